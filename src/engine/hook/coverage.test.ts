import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients } from '../../clients/index.ts'
import type { Claim, Route, Target } from '../../model/coverage.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { clientAt, contextOf, reasonOf } from './client.contract.ts'
import { makeWorld, type World } from '../world.contract.ts'

let world: World
beforeAll(async () => {
  world = await makeWorld(temporarySqlite)
})
afterAll(() => world[Symbol.asyncDispose]())

/** A client that has called the skill and read nothing of it yet. */
async function atWork() {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow')
  const at = (step: string): Target => {
    const file = it.flow(`steps/${step}.md`)
    return {
      project: it.project,
      file,
      relative: relative(it.project, file),
      name: `${step}.md`,
      steps: it.flow('steps'),
      skill: it.flow('.'),
      skills: join(it.flow('.'), '..'),
    }
  }
  const take = (payload: Readonly<Record<string, unknown>>) => {
    const { tool_name: tool, tool_input: input, ...more } = payload
    return typeof tool === 'string'
      ? it.use(tool, input as object, more)
      : it.fire('UserPromptSubmit', payload)
  }
  /** What happens when the last step is read by one of the examples of a route, and what the ledger says. */
  const readEarly = async (route: Route, index: number) => {
    const seq = await world.lastSeq()
    const answer = await take(route.payloads(at('do'))[index] ?? {})
    const said = (await world.since(seq)).map(({ event_type, payload }) => ({ event_type, payload }))
    return { answer, context: contextOf(answer), said }
  }
  const readInTurn = async (route: Route, index: number) =>
    await take(route.payloads(at('look'))[index] ?? {})
  return { it, readEarly, readInTurn }
}

type AtWork = Awaited<ReturnType<typeof atWork>>

/** What each claim promises of one example. */
const PROMISES: Readonly<Record<Claim, (work: AtWork, route: Route, index: number) => Promise<void>>> = {
  async enforced({ it, readEarly, readInTurn }, route, index) {
    const { answer } = await readEarly(route, index)
    expect(answer.decision).toBe('block')
    if (route.whole === true) return
    expect((await readInTurn(route, index)).decision).toBe('allow')
    expect(await it.spans()).toEqual(['flow active look'])
  },
  async advised({ it, readEarly, readInTurn }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect(answer.decision).toBe('allow')
    expect(context).toContain('Step do needs idea')
    expect(said).toMatchObject([{ event_type: 'step.visited', payload: { out_of_order: true } }])
    await readInTurn(route, index)
    expect(await it.spans()).toEqual(['flow active do,look'])
    expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
  },
  async observed({ it, readEarly }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect({ decision: answer.decision, context }).toEqual({ decision: 'allow', context: '' })
    expect(said.map(({ event_type }) => event_type)).toEqual(['read.unresolved'])
    expect(await it.spans()).toEqual(['flow active'])
  },
  async unseen({ it, readEarly }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect({ decision: answer.decision, context, said }).toEqual({ decision: 'allow', context: '', said: [] })
    expect(await it.spans()).toEqual(['flow active'])
  },
}

describe.each([...clients.values()])('in $name', ({ routes: { reads: listed } }) => {
  const cases = listed.flatMap((route) =>
    route.examples.map((example, index) => ({ ...route, route, example, index })),
  )
  test.each(cases)('$what is $claim: $example', async ({ route, claim, index }) => {
    expect.hasAssertions()
    await PROMISES[claim](await atWork(), route, index)
  })

  test('each route has one payload for each example', () => {
    const target = { project: '', file: '', relative: '', name: '', steps: '', skill: '', skills: '' }
    for (const { examples, payloads } of listed) expect(payloads(target)).toHaveLength(examples.length)
  })
})

/** A client that works on nothing, in a project with a folder whose directive must be read before writing. */
async function aboutToWrite(wantsEffort: boolean) {
  const it = await clientAt(world)
  const folder = join(it.project, 'src')
  await mkdir(folder)
  const directive = join(folder, 'INVARIANTS.md')
  await writeFile(directive, '---\nrequired: before-writing\n---\n')
  await writeFile(join(folder, 'file.txt'), 'a')
  await it.start()
  if (wantsEffort) await world.call('db.project.setSessionGate', { path: it.project, on: true })
  const file = join(folder, 'file.txt')
  const target: Target = {
    project: it.project,
    file,
    relative: 'src/file.txt',
    name: 'file.txt',
    steps: folder,
    skill: '',
    skills: '',
  }
  /** Where it writes somewhere unknown, it does so beside what is in force. */
  const write = async (route: Route, index: number) => {
    const payload = route.payloads(target)[index] ?? {}
    const seq = await world.lastSeq()
    const cwd = route.claim === 'observed' ? folder : it.project
    const answer = await it.fire('PreToolUse', { tool_use_id: 'one', cwd, ...payload })
    const said = (await world.since(seq)).map(({ event_type }) => event_type)
    return { answer, said: said.filter((event) => event !== 'directive.told') }
  }
  return { directive, write }
}

/** The decision, and what the ledger says. */
const WRITE_PROMISES: Readonly<Record<Claim, readonly [string, readonly string[]] | undefined>> = {
  enforced: ['block', ['tool.refused']],
  advised: undefined,
  observed: ['allow', ['write.unresolved']],
  unseen: ['allow', []],
}

describe.each([...clients.values()])('in $name', ({ routes: { writes: listed } }) => {
  const cases = listed.flatMap((route) =>
    route.examples.map((example, index) => ({ ...route, route, example, index })),
  )
  test.each(cases)('$what is $claim: $example', async ({ route, claim, index }) => {
    const promised = WRITE_PROMISES[claim]
    const isEnforced = claim === 'enforced'
    const gated = await (await aboutToWrite(true)).write(route, index)
    expect([gated.answer.decision, gated.said]).toEqual(promised)
    expect(reasonOf(gated.answer).includes('holdfast effort start')).toBe(isEnforced)
    const { directive, write } = await aboutToWrite(false)
    const directed = await write(route, index)
    expect([directed.answer.decision, directed.said]).toEqual(promised)
    expect(reasonOf(directed.answer).includes(directive)).toBe(isEnforced)
  })
})
