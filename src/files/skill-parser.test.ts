import { expect, onTestFinished, test } from 'vitest'
import type { Candidate } from '../skills/find.ts'
import { parse } from './skill-texts.ts'
import { SkillParser } from './skill-parser.ts'

const candidate: Candidate = { kind: 'skill', id: 'x', folder: '/x', file: '/x/SKILL.md', others: [] }
const textOf = (body: string) =>
  new Map([['/x/SKILL.md', `---\nname: x\ndescription: Does things.\n---\n\n${body}`]])
const ordinary = textOf(`${'Some words about it.\n\n'.repeat(500)}## Phase 1: Do\n\n## Phase 2: Check\n`)
/** As long as a text may be, and slow to parse. */
const slow = textOf('1. a\n'.repeat(100_000))

function open(longest?: number): SkillParser {
  const parser = new SkillParser(longest)
  onTestFinished(() => parser.close())
  return parser
}

test('the thread answers what the process itself would', async () => {
  const parser = open()
  const answer = await parser.parse({ candidate, texts: ordinary, modules: undefined })
  expect(parser.isAwake).toBe(true)
  expect(answer).toEqual(await parse(candidate, ordinary))
  expect(answer.definition.plan?.steps).toHaveLength(2)
})

test('a small skill needs no thread', async () => {
  const parser = open()
  const { definition } = await parser.parse({ candidate, texts: textOf('Do it.'), modules: undefined })
  expect(definition.name).toBe('x')
  expect(parser.isAwake).toBe(false)
})

test('timers run while a large skill is parsed', async () => {
  const parser = open()
  await parser.parse({ candidate, texts: ordinary, modules: undefined })
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  onTestFinished(() => clearInterval(timer))
  await parser.parse({ candidate, texts: slow, modules: undefined })
  const beside = ticks
  ticks = 0
  await parse(candidate, slow)
  expect(beside).toBeGreaterThan(10 * (ticks + 1))
})

test('a skill that takes too long fails alone', async () => {
  const parser = open(1)
  const both = await Promise.allSettled([
    parser.parse({ candidate, texts: slow, modules: undefined }),
    parser.parse({ candidate, texts: textOf('Do it.'), modules: undefined }),
  ])
  expect(both).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }])
  expect(parser.isAwake).toBe(false)
})

test('after a failure, the next skill gets a new thread', async () => {
  const parser = open()
  const cut = parser.parse({ candidate, texts: slow, modules: undefined })
  const next = parser.parse({ candidate, texts: ordinary, modules: undefined })
  await expect.poll(() => parser.isAwake).toBe(true)
  parser.close()
  await expect(cut).rejects.toThrow('too long')
  expect((await next).definition.plan?.steps).toHaveLength(2)
})
