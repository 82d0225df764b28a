import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { skillsFolder } from '../model/client-files.ts'
import { defaultClient } from '../clients/index.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Definition } from '../model/plan/definition.ts'
import type { Span } from '../model/span.ts'
import { type Finding, once, type Tested } from './finding.ts'
import { faultOf } from './graph.ts'
import { doNamed } from './named-action.ts'
import type { Rehearsal } from './rehearsal.ts'
import type { Heard, Window } from './window.ts'
import { failing, plainly } from './worked.ts'

/** The text names a file or a skill that does not exist. */
const MISSING: ReadonlySet<string> = new Set(['HF121', 'HF122'])
const isMissing = ({ code }: Diagnostic): boolean => MISSING.has(code)

/** Level 0 of a skill without a plan: what the check finds. Missing files are a fault of its texts. */
export function testCheck(diagnostics: readonly Diagnostic[], about: string): Tested {
  const by = (wanted: Diagnostic['severity']) => diagnostics.filter(({ severity }) => severity === wanted)
  return {
    level: 0,
    counts: { errors: by('error').length, warnings: by('warning').length },
    findings: by('error').map(faultOf),
    notes: [
      // Errors may be why there is no plan.
      ...(by('error').length > 0 ? [] : [about]),
      ...by('warning')
        .filter((one) => !isMissing(one))
        .map((one) => faultOf(one).message),
    ],
  }
}

/** Level 1 besides what agents read: the files that the texts name. */
export const missingFiles = (diagnostics: readonly Diagnostic[]): readonly Finding[] =>
  diagnostics.filter(isMissing).map((one) => ({ ...faultOf(one), level: 1, code: 'file' }))

/** The paths of the texts of a skill, below its folder. */
const textPathsIn = (folder: string): readonly string[] =>
  globSync('**/*.md', { cwd: folder, exclude: ['**/node_modules'] }).toSorted()

/** The texts of a skill as an agent reads them. */
export const textsIn = (folder: string): readonly Heard[] =>
  textPathsIn(folder).map((path) => ({ kind: 'shown', text: readFileSync(join(folder, path), 'utf8') }))

/** A skill that stands beside the tested one in a chain, and that nobody tests. */
export const OTHER = 'another-skill'
const textOf = (name: string): string => `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`

/** What is tested of a skill without a plan. */
export const ABOUT_PLAIN =
  'It has no plan, so there are no paths: its check, its texts, and prompts that call it are tested.'

/** What came of the work with a skill that no plan holds. */
export interface Tried {
  readonly heard: readonly Heard[]
  readonly tested: Tested
}

/** Level 2 of a skill without a plan: called alone, before another skill and after one, nothing is in its way. */
export async function tryPlain(
  rehearsal: Rehearsal,
  definition: Definition,
  doing: (text: string) => void,
): Promise<Tried> {
  const { id } = definition
  const chains = [[id], [id, OTHER], [OTHER, id]]
  const heard: Heard[] = []
  const findings: Finding[] = []
  for (const chain of chains) {
    const prompt = promptOf(chain)
    doing(`an agent with the prompt ${prompt}`)
    const it = await rehearsal.open()
    putSkill(it, OTHER)
    const wrong = await workThrough(it, definition, chain)
    if (wrong !== undefined) findings.push(...failing('obedient', plainly(it, wrong), [prompt]).findings)
    heard.push(...it.heard)
    await it.ends()
  }
  const notes = ['It has no plan, so nothing holds an agent to its text.']
  return { heard, tested: { level: 2, counts: { prompts: chains.length }, findings: once(findings), notes } }
}

const promptOf = (chain: readonly string[]): string => chain.map((skill) => `/${skill} it`).join(' and ')

/** Puts a skill into the project that does nothing but be there. */
export const putSkill = (it: Window, name: string): void =>
  it.put(join(skillsFolder(defaultClient), name, 'SKILL.md'), textOf(name))

/** Works with each skill in turn, and does what the end of a turn names; returns what is wrong. */
async function workThrough(
  it: Window,
  definition: Definition,
  skills: readonly string[],
): Promise<string | undefined> {
  await it.call(promptOf(skills))
  for (const [at, skill] of skills.entries()) {
    const open = await skillInCharge(it)
    if (open !== skill) return `The call of /${skill} opens no span; in charge is ${open ?? 'nothing'}.`
    if (skill === definition.id) {
      const wrong = await doAnyWork(it, definition)
      if (wrong !== undefined) return wrong
    }
    const held = await it.stops()
    const isLast = at === skills.length - 1
    if (isLast) return held === undefined ? undefined : `The turn may not end: ${held}`
    if (held === undefined) return `Nothing calls /${skills[at + 1]} after /${skill}.`
    const wrong = await doNamed(it, held)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** The skill that the newest open span belongs to. */
async function skillInCharge(it: Window): Promise<string | undefined> {
  const params = { session_id: it.session, status: 'active', limit: 1 }
  return (await it.ask<readonly Span[]>('span.list', params))[0]?.skill
}

/** Reads the texts of the skill, and does a bit of everything; nothing may be refused, except for a log entry. */
async function doAnyWork(it: Window, { id, requiredTodos }: Definition): Promise<string | undefined> {
  const folder = join(skillsFolder(defaultClient), id)
  const works = [
    ...textPathsIn(join(it.project, folder)).map((path) => () => it.read(join(folder, path))),
    () => it.todos([...requiredTodos, 'Do it']),
    () => it.write('example.txt', 'An example.\n'),
    () => it.shell('git status'),
    ...(it.effort === 0 ? [] : [() => it.bad('effort finish EFFORT')]),
  ]
  for (const work of works) {
    let refused = await work()
    for (let more = requiredTodos.length; refused !== undefined && OWN_DEMANDS.test(refused); more--) {
      const wrong = await doNamed(it, refused)
      if (wrong !== undefined || more < 0) return `Refused: ${wrong ?? refused}`
      refused = await work()
    }
    if (refused !== undefined) return `Refused: ${refused}`
  }
  return undefined
}

/** What a skill without a plan may demand all the same: signs of life, todos, and a result. */
const OWN_DEMANDS = / tool calls with no log entry|has open todos|has no result/
