import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { faultsIn } from '../../src/harness/told.ts'
import { decidedOutcome } from '../../src/model/plan/decided.ts'
import type { Step } from '../../src/model/plan/plan.ts'
import { SHIPPED_MODES } from '../../src/model/shipped-modes.ts'
import { User } from '../holdfast.ts'

const FOLDERS = ['contents/skills', 'examples']
/** The skill that the page about workflows builds. */
const HOWTO = '.claude/skills/howto'
const linesOf = (text: string) => text.trimEnd().split('\n').length

interface Checked {
  readonly skills: readonly { readonly name: string; readonly plan: string | null }[]
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
}

/** What the check says of a folder, with its modules run. */
async function checked(user: User, folder: string): Promise<Checked> {
  const { stdout } = await user.run(['skill', 'check', folder, '--run-modules', '--notes', '--json'])
  return JSON.parse(stdout) as Checked
}

describe.each(FOLDERS)('every workflow in %s', (folder) => {
  test('passes the check, and its SKILL.md only says which command begins it', async () => {
    await using user = new User()
    const names = globSync(`${folder}/*/workflow.ts`).map((file) => dirname(file).slice(folder.length + 1))
    expect(names.length).toBeGreaterThan(2)
    const { skills, diagnostics } = await checked(user, resolve(folder))
    expect(diagnostics).toEqual([])
    const workflows = new Set(skills.filter(({ plan }) => plan === 'workflow').map(({ name }) => name))
    // A pipeline of workflows has no module of its own.
    expect(names.filter((name) => !workflows.has(name))).toEqual([])
    for (const name of names) {
      const text = readFileSync(join(folder, name, 'SKILL.md'), 'utf8')
      const told = [...text.matchAll(/^holdfast (.*)$/gm)].map(([, words = '']) => words)
      expect(told).toEqual([expect.stringMatching(new RegExp(`^step ${name}( --param \\w+=\\S.*)*$`))])
      expect(linesOf(text)).toBeLessThan(20)
    }
  })
})

test('every example has less than 40 lines and a line in the README', () => {
  const readme = readFileSync('examples/README.md', 'utf8')
  const files = globSync('examples/*/workflow.ts')
  expect(files.filter((file) => linesOf(readFileSync(file, 'utf8')) >= 40)).toEqual([])
  for (const file of files) expect(readme).toContain(`(${file.slice('examples/'.length)})`)
})

test('the page about workflows teaches one with a gate in less than 40 lines, which passes the check', async () => {
  await using user = new User()
  const page = readFileSync('docs/workflows.md', 'utf8')
  const files = [...page.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)]
  for (const [, path = '', text = ''] of files) {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  expect(files.map(([, , text = '']) => linesOf(text)).filter((lines) => lines >= 40)).toEqual([])
  expect(files.map(([, path]) => path)).toEqual(['workflow.ts', 'SKILL.md'].map((name) => `${HOWTO}/${name}`))
  expect(await checked(user, user.project)).toMatchObject({
    skills: [{ name: 'howto', plan: 'workflow', steps: 3 }],
    diagnostics: [],
  })
})

/** The agents of the package: the model and the tools of each, no more than it needs. */
const AGENTS = {
  'design-vet': 'opus: Read, Grep, Glob, Bash, Write',
  developer: 'sonnet: Read, Edit, Write, Grep, Glob, Bash',
  explore: 'sonnet: Read, Grep, Glob, Bash, Write',
  handoff: 'haiku: Read, Grep, Glob, Bash',
  'plan-reviewer': 'sonnet: Read, Grep, Glob, Bash, Write',
  'quality-reviewer': 'inherit: Read, Grep, Glob, Bash, Write',
  'quiet-task': 'haiku: Read, Write, Edit, Bash, Grep, Glob',
  refactor: 'sonnet: Read, Edit, Write, Grep, Glob, Bash',
  'tdd-task': 'haiku: Read, Write, Edit, Bash, Grep, Glob',
  'technical-writer': 'sonnet: Read, Edit, Write, Grep, Glob, Bash',
  thinker: 'inherit: Read, Grep, Glob, Bash, Write',
  vet: 'sonnet: Read, Grep, Glob, Bash, Write',
}
/** Agents that no workflow dispatches: a compiled runbook contains or names them, or a skill does in words. */
const OTHERS = ['handoff', 'refactor', 'tdd-task']

test('every role that a workflow of the package dispatches is an agent that the package ships, with its model and tools', async () => {
  await using user = new User()
  const files = globSync('contents/agents/*.md')
  const agents = files.map((file) => {
    const text = readFileSync(file, 'utf8')
    const of = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(text)?.[1]
    return [of('name'), `${of('model')}: ${of('tools')}`]
  })
  expect(Object.fromEntries(agents)).toEqual(AGENTS)
  const texts = globSync('contents/skills/*/*.ts').map((file) => readFileSync(file, 'utf8'))
  const roles = texts.flatMap((text) =>
    [...text.matchAll(/\bdispatch\('([\w-]+)'/g)].map(([, role = '']) => role),
  )
  expect(new Set([...roles, ...OTHERS])).toEqual(new Set(Object.keys(AGENTS)))
  cpSync('contents/agents', join(user.project, '.claude/agents'), { recursive: true })
  const { stdout } = await user.run(['skill', 'check', '.claude/agents', '--notes'])
  expect(stdout).toContain(`${files.length} agents, 0 errors, 0 warnings`)
})

test.each(globSync(['contents/agents/*.md', 'contents/skills/*/SKILL.md', 'contents/**/resources/*.md']))(
  'every command that %s names exists',
  (file) => {
    const text = readFileSync(file, 'utf8')
    expect(faultsIn({ kind: 'shown', text }, { commands, launcher: 'holdfast', fills: false })).toEqual([])
  },
)

const TIERS = [
  ['up-to-5', 'under-100', '1', 'direct'],
  ['up-to-5', '100-and-more', '1', 'delegated'],
  ['up-to-5', 'under-100', '2-to-4', 'delegated'],
  ['6-to-15', 'under-100', '1', 'delegated'],
  ['6-to-15', '100-and-more', '2-to-4', 'delegated'],
  ['up-to-5', 'under-100', 'over-4', 'runbook'],
  ['over-15', 'under-100', '1', 'runbook'],
] as const

test.each(TIERS)(
  'plan-adhoc carries out %s files, %s lines and %s components by its tier %s',
  (files, lines, components, tier) => {
    const modules = JSON.parse(readFileSync('contents/trusted.json', 'utf8')) as Record<string, Trusted>
    const { exported } = Object.values(modules).find(({ skill }) => skill === 'plan-adhoc') ?? {}
    const measure = exported?.steps.find(({ id }) => id === 'measure')
    expect(measure && decidedOutcome(measure, { files, lines, components })).toBe(tier)
  },
)

interface Trusted {
  readonly skill: string
  readonly exported: { readonly steps: readonly (Pick<Step, 'decides'> & { readonly id: string })[] }
}

test.each(['plan-adhoc/resources/runbook-format.md', 'plan-tdd/resources/tdd-runbook-format.md'])(
  'the form in %s is a runbook without an error or warning',
  async (form) => {
    await using user = new User()
    cpSync(`contents/skills/${form}`, join(user.project, 'plans/sessions/runbook.md'))
    // What the project of the example has before.
    mkdirSync(join(user.project, 'src'), { recursive: true })
    for (const name of ['cache.ts', 'cache.test.ts']) writeFileSync(join(user.project, 'src', name), '')
    const { code, stdout } = await user.run(['runbook', 'check', 'plans/sessions'])
    expect(stdout).toContain('0 errors, 0 warnings')
    expect(code).toBe(0)
  },
)

test.each(SHIPPED_MODES.filter(({ kind }) => kind === 'action'))(
  'the skill mode-$name asks for what the tag #$tag asks for',
  ({ name, tag, text }) => {
    const skill = readFileSync(`contents/skills/mode-${name}/SKILL.md`, 'utf8')
    expect(skill).toContain(text)
    expect(skill).toContain(`The tag #${tag} asks for the same`)
    expect(skill).toContain('Done when:')
  },
)
