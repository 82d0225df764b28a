import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { decidingNames } from '../../src/model/plan/decided.ts'
import { missingIn } from '../../src/model/plan/fields.ts'
import type { Plan } from '../../src/model/plan/plan.ts'
import { ENTRY, User } from '../holdfast.ts'

const run = promisify(execFile)
const CONTENTS = join(import.meta.dirname, '../../contents')
const SKILLS = globSync('skills/*/', { cwd: CONTENTS }).toSorted()
const FILES = globSync(['*.md', '.directives/commands/*.md'], { cwd: CONTENTS }).toSorted()

test('every command that the shipped texts tell an agent works where it works', async () => {
  await using user = new User()
  const texts = FILES.map((file) => readFileSync(join(CONTENTS, file), 'utf8')).join('\n')
  const told = new Set([...texts.matchAll(/`(holdfast [^`]+)`/g)].map(([, line = '']) => line))
  // Nothing is left to do for an effort that is finished.
  const lines = [...told].toSorted((a, b) => Number(a.includes(' finish ')) - Number(b.includes(' finish ')))
  expect(lines.length).toBeGreaterThan(5)
  const { id, task_id } = await started(user)
  writeFileSync(join(task_id, '1_MAKE.md'), 'Made.\n')
  for (const line of lines) {
    const words = line.replaceAll('NUMBER', `${id}`).replace(' NAME ', ' CMD_APPEND_LOG ')
    const shell = words.replace(/^holdfast/, `'${process.execPath}' '${ENTRY}'`)
    await run('sh', ['-c', `${shell} < /dev/null`], { cwd: user.project, env: { ...user.env } })
  }
  expect(await user.json(['effort', 'show', `${id}`])).toMatchObject({ lifecycle: 'finished' })
})

/** The fields of the standard that our skills use; its validator knows no others. */
interface Frontmatter {
  readonly name: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
}

const frontmatterOf = (skill: string): Frontmatter => {
  const [, yaml = ''] = readFileSync(join(CONTENTS, skill, 'SKILL.md'), 'utf8').split('---\n')
  return parse(yaml) as Frontmatter
}

/** What a table has room for: at most 100 characters, without a full stop. */
const CELL = /^\S.{0,98}[^\s.]$/

test.each(SKILLS)('%s says in a line each what it does, leaves and needs', (skill) => {
  const { metadata, ...standard } = frontmatterOf(skill)
  expect(standard).toEqual({ name: basename(skill), description: expect.stringMatching(/\.$/) })
  expect(Object.keys(metadata)).toEqual(['summary', 'leaves', 'needs'])
  for (const said of Object.values(metadata)) expect(said).toMatch(CELL)
})

test.each(SKILLS)('%s sends the agent to its first command if it has a workflow', (skill) => {
  const hasWorkflow = existsSync(join(CONTENTS, skill, 'workflow.ts'))
  const { description } = frontmatterOf(skill)
  expect(description.endsWith(' Run its first command before anything else.')).toBe(hasWorkflow)
})

/** A reader of the catalogue sees all of it at once. */
const LONGEST_EXAMPLE = 60

test.each(SKILLS)('%s has an example that ends with what is left on disk', (skill) => {
  const example = exampleOf(skill)
  expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_EXAMPLE)
  expect(example).toMatch(new RegExp(`^# Example: ${basename(skill)}\n[^]*\n> .*/${basename(skill)}`))
  expect(example).toMatch(/^(?:\*\*)?Left on disk/m)
})

test('the examples name steps and state that their plans have, and the texts what their commands ask for', async () => {
  await using user = new User()
  cpSync(join(CONTENTS, 'skills'), join(user.project, '.claude/skills'), { recursive: true })
  await user.json(['project', 'upsert', user.project])
  for (const skill of SKILLS.filter((one) => existsSync(join(CONTENTS, one, 'workflow.ts')))) {
    const asked = JSON.stringify({ path: join(user.project, '.claude', skill), run_modules: true })
    const words = ['rpc', 'agent.skills.parse', asked]
    const { definition } = await user.json<{ definition: { plan: Plan } }>(words)
    const { steps, state } = namesIn(definition.plan)
    expect({ skill, unasked: unaskedIn(definition.plan) }).toEqual({ skill, unasked: [] })
    const example = exampleOf(skill)
    const done = [...example.matchAll(/step done ([\w-]+)/g)].map(([, step]) => step)
    const set = [...example.matchAll(/--set '?([\w-]+)=/g)].map(([, field]) => field)
    expect({ skill, done: done.filter((step) => !steps.includes(step ?? '')) }).toEqual({ skill, done: [] })
    expect({ skill, set: set.filter((field) => !state.includes(field ?? '')) }).toEqual({ skill, set: [] })
    expect(done.length).toBeGreaterThan(0)
  }
})

const exampleOf = (skill: string): string => readFileSync(join(CONTENTS, skill, 'EXAMPLE.md'), 'utf8')

interface Names {
  readonly steps: readonly string[]
  readonly state: readonly string[]
}

/** The steps and the state of a plan, and of those that its sub-agents follow. */
function namesIn({ steps, state = {}, workflows = {} }: Plan): Names {
  const children = Object.values(workflows).map(namesIn)
  return {
    steps: [...steps.map(({ label }) => label), ...children.flatMap((child) => child.steps)],
    state: [...Object.keys(state), ...children.flatMap((child) => child.state)],
  }
}

/** The values that a text says its command takes, and that the printed command has no blank for. */
const unaskedIn = ({ steps, state = {}, workflows = {} }: Plan): readonly string[] => [
  ...steps.flatMap((step) => {
    const said = [...JSON.stringify(step.actions ?? []).matchAll(/--set (\w+)/g)].map(([, name = '']) => name)
    const endsPlan = Object.values(step.next ?? {}).some(({ length }) => length === 0)
    const owed = endsPlan ? missingIn(state, {}) : []
    const asked = new Set([...decidingNames(step), ...owed])
    return said.filter((name) => !asked.has(name)).map((name) => `${step.label} ${name}`)
  }),
  ...Object.values(workflows).flatMap(unaskedIn),
]

test('the check finds nothing to say about the skills of the package', async () => {
  await using user = new User()
  const words = ['--json', 'skill', 'check', join(CONTENTS, 'skills')]
  const { code, stdout } = await user.run(words)
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly object[] }
  expect({ code, diagnostics }).toEqual({ code: 0, diagnostics: [] })
})

async function started(user: User) {
  const folder = join(user.project, '.claude/skills/make')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: make\ndescription: Makes.\n---\n\nMake it.\n')
  await user.run(['effort', 'start', 'tasks/one', 'make'])
  const [effort] = await user.json<{ id: number; task_id: string }[]>(['effort', 'find-active'])
  if (effort === undefined) throw new Error('No effort was started.')
  return effort
}
