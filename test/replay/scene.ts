import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Stage } from './course.ts'
import type { Step } from './trail.ts'

export interface Skill {
  readonly name: string
  readonly steps: readonly Step[]
  /** Phases instead of steps. */
  readonly stages?: readonly Stage[]
  /** Required todos; without them, the names of required phases are. */
  readonly todos?: readonly string[]
  /** Steps that are ordered only by their numbers advise and never refuse. */
  readonly numbered?: boolean
  /** Phases that the engine only guesses, so that a call of it is no effort. */
  readonly headings?: readonly string[]
  readonly heartbeat?: boolean
  /** The client gives it to a sub-agent. */
  readonly forks?: boolean
}

/** Phases with proof, a loop with a way out, an optional phase and one that quick mode leaves out. */
const STAGES: readonly Stage[] = [
  { label: '1', name: 'Look', proof: ['seen'] },
  { label: '2', name: 'Try', limit: 2, onLimit: '6' },
  { label: '3', name: 'Build', proof: ['passing'], next: { again: ['2'], over: ['1', '2'] } },
  { label: '4', name: 'Polish', optional: true },
  { label: '5', name: 'Deepen', only: 'full', proof: ['depth', 'width'] },
  { label: '6', name: 'Tell', proof: ['told'] },
]

/** Phases whose loop ends with the user, and an outcome that ends the work. */
const ROUNDS: readonly Stage[] = [
  { label: '1', name: 'Draft', limit: 2 },
  { label: '2', name: 'Review', proof: ['verdict'], next: { again: ['1'], drop: [] } },
  { label: '3', name: 'Publish', optional: true },
]

/** Step files with a loop that leads elsewhere at its limit, and an outcome that ends the work. */
const CYCLE: readonly Step[] = [
  { file: 'sketch', consumes: ['user-request'], produces: ['drawing'] },
  { file: 'build', consumes: ['drawing'], produces: ['code'], limit: 2, onLimit: 'ask' },
  { file: 'buff', consumes: ['code'], produces: ['shine'], optional: true },
  {
    file: 'test',
    consumes: ['code'],
    produces: ['report'],
    next: { again: ['build'], redraw: ['sketch'], drop: [] },
  },
  { file: 'ship', consumes: ['report', 'shine'], produces: ['release'] },
  { file: 'ask', next: { ok: [] } },
]

/** Step files with a choice, and a loop whose limit is a question for the user. */
const CHOICE: readonly Step[] = [
  { file: 'try', consumes: ['user-request'], produces: ['attempt'], limit: 2 },
  {
    file: 'judge',
    consumes: ['attempt'],
    produces: ['verdict'],
    next: { ok: ['keep'], low: ['rework', 'swap'], fail: ['try'] },
  },
  { file: 'keep', consumes: ['verdict'], produces: ['kept'] },
  { file: 'rework', consumes: ['verdict'], produces: ['reworked'], limit: 2 },
  { file: 'swap', consumes: ['verdict'], produces: ['swapped'] },
  { file: 'note', consumes: ['user-request'], produces: ['notes'] },
]

/** The skills of every project: a line, a fork, a watched one, an advisory one, one without a plan, a guide, one for sub-agents, two with phases, two with loops. */
export const SKILLS: readonly Skill[] = [
  {
    name: 'flow',
    steps: [
      { file: 'look', consumes: ['user-request'], produces: ['view'] },
      { file: 'think', consumes: ['view'], produces: ['idea'] },
      { file: 'do', consumes: ['idea'], produces: ['result'] },
    ],
  },
  {
    name: 'fan',
    steps: [
      { file: 'split', produces: ['parts'] },
      { file: 'left', consumes: ['parts'], produces: ['l'] },
      { file: 'right', consumes: ['parts'], produces: ['r'] },
      { file: 'polish', consumes: ['parts'], produces: ['shine'], optional: true },
      { file: 'join', consumes: ['l', 'r', 'shine'], produces: ['whole'] },
    ],
  },
  {
    name: 'watched',
    heartbeat: true,
    steps: [
      { file: 'one', consumes: ['user-request'], produces: ['a'] },
      { file: 'two', consumes: ['a'], produces: ['b'] },
    ],
  },
  {
    name: 'loose',
    numbered: true,
    steps: [{ file: 'step-01-a' }, { file: 'step-02-b' }, { file: 'step-03-c' }],
  },
  { name: 'plain', steps: [] },
  { name: 'guide', steps: [], headings: ['Gather', 'Write (optional)', 'Check'] },
  {
    name: 'spy',
    forks: true,
    steps: [
      { file: 'peek', consumes: ['user-request'], produces: ['sight'] },
      { file: 'tell', consumes: ['sight'], produces: ['word'] },
    ],
  },
  { name: 'stages', steps: [], stages: STAGES },
  { name: 'rounds', steps: [], stages: ROUNDS, todos: ['Write', 'Compare'] },
  { name: 'cycle', steps: CYCLE },
  { name: 'choice', steps: CHOICE },
]

/** Whether a call of the skill begins an effort. */
export const isPlanned = ({ steps, stages }: Skill): boolean => steps.length > 0 || stages !== undefined

export const skillNamed = (name: string): Skill | undefined => SKILLS.find((skill) => skill.name === name)

/** Relative to the folder of a project. */
export const pathOf = (skill: string, file: string): string =>
  `.claude/skills/${skill}/${file === 'SKILL' ? 'SKILL.md' : `steps/${file}.md`}`

/** Creates a project with all of the skills. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, '.git'), { recursive: true })
  for (const skill of SKILLS) {
    const { name, steps, stages, heartbeat, forks, headings = [] } = skill
    const beats = `${heartbeat === true ? 'heartbeat: true\n' : ''}${forks === true ? 'context: fork\n' : ''}`
    const head = `---\nname: ${name}\ndescription: Does ${name}.\n${beats}---\n\nDo it.\n`
    const phases = headings.map((title, index) => `\n## Phase ${index + 1}: ${title}\n\nDo it.\n`)
    await put(join(folder, pathOf(name, 'SKILL')), [head, ...phases].join(''))
    if (stages !== undefined)
      await put(join(folder, `.claude/skills/${name}/holdfast.yaml`), sidecarOf(skill))
    for (const step of steps) await put(join(folder, pathOf(name, step.file)), textOf(step))
  }
  for (const [name, { file, isHard }] of Object.entries(DIRECTIVES)) {
    await put(join(folder, name, 'a.txt'), 'a\n')
    await put(join(folder, file), `${isHard ? '---\nrequired: before-writing\n---\n' : ''}# Mind ${name}\n`)
  }
}

/** YAML may be JSON; an outcome that leads nowhere ends the plan. */
const sidecarOf = ({ stages: phases, todos: required_todos }: Skill): string =>
  inYaml({ phases, required_todos })

const inYaml = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) => (Array.isArray(one) && one.length === 0 ? 'end' : one))

function textOf({ file, consumes, produces, optional, next, limit, onLimit }: Step): string {
  const fields = [
    ...(consumes === undefined ? [] : [`consumes: [${consumes.join(', ')}]`]),
    ...(produces === undefined ? [] : [`produces: [${produces.join(', ')}]`]),
    ...(optional === true ? ['optional: true'] : []),
    ...(next === undefined ? [] : [`next: ${inYaml(next)}`]),
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(onLimit === undefined ? [] : [`onLimit: ${onLimit}`]),
  ]
  const body = `${halvesOf(file).flat().join('\n\n')}\n`
  return fields.length === 0 ? body : `---\n${fields.join('\n')}\n---\n\n${body}`
}

export type Half = 'first' | 'last'
export const HALVES: readonly Half[] = ['first', 'last']

const halvesOf = (file: string): readonly (readonly string[])[] => [
  [`# ${file}`, `Begin to ${file}.`],
  [`Go on to ${file}.`, `End to ${file}.`],
]

/** The lines of a half of a step, which no other step has. */
export const halfOf = (file: string, half: Half): readonly string[] =>
  halvesOf(file)[HALVES.indexOf(half)] ?? []

/** The lines that both halves have. */
export const LINES = 4

/** The halves of its steps that a read shows; a count of lines shows none. */
export const shownBy = ({ by, part }: Extract<Tool, { kind: 'read' }>): readonly Half[] =>
  by === 'pipe' ? [] : part === undefined ? HALVES : [part]

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** A file of a skill; `SKILL` is SKILL.md. */
export interface SkillFile {
  readonly skill: string
  readonly file: string
}

export type Folder = 'src' | 'lib'

/** The directives of a folder; one of them must be read before a write. */
export const DIRECTIVES: Readonly<Record<Folder, { readonly file: string; readonly isHard: boolean }>> = {
  src: { file: 'src/.directives/INVARIANTS.md', isHard: false },
  lib: { file: 'lib/.directives/COMMANDS.md', isHard: true },
}

export type Tool =
  | {
      readonly kind: 'read'
      readonly by: 'Read' | 'cat' | 'head' | 'sed' | 'pipe'
      readonly files: readonly SkillFile[]
      /** Set if only this half of each file is shown. */
      readonly part?: Half | undefined
    }
  /** Reads by an interpreter are not detected. */
  | { readonly kind: 'hidden'; readonly file: SkillFile }
  | { readonly kind: 'edit'; readonly file: SkillFile }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'shell' | 'ours' }
  | { readonly kind: 'todos'; readonly items: readonly Todo[] }
  /** Its prompt names steps; a background sub-agent continues after its call is answered. */
  | {
      readonly kind: 'agent'
      readonly steps: readonly SkillFile[]
      readonly isBehind: boolean
      /** The halves of its steps that the prompt holds. */
      readonly holds: readonly Half[]
    }
  /** A shell command of ours that moves the effort in its plan. */
  | { readonly kind: 'command'; readonly move: Move }
  /** Work in a folder with a directive, or reading that directive. */
  | { readonly kind: 'work'; readonly by: 'Read' | 'Edit' | 'cat' | 'directive'; readonly folder: Folder }

export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'completed'
}

/** A way to move in a plan: `effort phase`, `step go`, or `step done|fail|skip` with an outcome. */
export interface Move {
  readonly by: 'phase' | 'go' | 'done'
  /** A phase or step, as it is typed. */
  readonly to: string
  readonly outcome: string
  /** The fields of proof that it gives. */
  readonly gives: readonly string[]
}

export const proofOf = (gives: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(gives.map((field) => [field, 'yes']))

/** Calls that no plan speaks of, unless it requires todos. */
export const ASIDE: readonly Tool[] = [{ kind: 'shell' }, { kind: 'todos', items: [] }, { kind: 'ours' }]

export type Source = 'startup' | 'resume' | 'compact' | 'clear' | 'fork'

export type SubEvent = 'SubagentStart' | 'PreToolUse' | 'PostToolUse' | 'SubagentStop' | 'StopFailure'

/** What a sub-agent that has called a skill does, and what any other does. */
export const AT_WORK: readonly SubEvent[] = ['PreToolUse', 'PostToolUse']
export const IN_PASSING: readonly SubEvent[] = [
  'SubagentStart',
  'PreToolUse',
  'PreToolUse',
  'PostToolUse',
  'PostToolUse',
  'SubagentStop',
  'SubagentStop',
  'StopFailure',
]

/** What users type about skills, and what the client submits itself. */
export const promptsWith = (name: string, other: string): readonly string[] => [
  `/${name}`,
  `/${name}`,
  `/${name} - a thing`,
  `/${name} a thing`,
  `/${name} another thing`,
  `/${name} --continue`,
  `/${name} --continue`,
  `/${name} /${other} x`,
  'Go on.',
  'Go on.',
  `See /${name}.`,
  '<task-notification>A task ended.</task-notification>',
  '/nobody',
]

/** An action of one client, or an event about it. */
export type Act =
  | { readonly kind: 'start'; readonly source: Source }
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'before' | 'failed'; readonly id: string; readonly tool: Tool }
  | { readonly kind: 'after'; readonly id: string; readonly tool: Tool; readonly result: string }
  /** A sub-agent's own events. */
  | {
      readonly kind: 'sub'
      readonly event: SubEvent
      readonly agent: string
      readonly id: string
      readonly tool: Tool
    }
  | { readonly kind: 'compacting' | 'notification' }
  /** The end of a turn; its last messages may be partly written. */
  | {
      readonly kind: 'stop'
      readonly last: string
      readonly half: string | undefined
      readonly fails: boolean
    }
  /** The transcript lines that a killed client had still written. */
  | { readonly kind: 'unheard'; readonly prompt: string; readonly id: string; readonly result: string }
  | { readonly kind: 'end'; readonly reason: string }
  /** The status line reports the context usage. */
  | { readonly kind: 'usage'; readonly percent: number }
  /** The agent's own commands: a log entry, a move in its plan, and the end of its effort. */
  | { readonly kind: 'log' }
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'tick'; readonly item: string }
  | { readonly kind: 'finish'; readonly gives: readonly string[]; readonly abandons: boolean }
  /** The user allows a phase, a step, or to leave out a field of proof. */
  | { readonly kind: 'approve'; readonly subject: string }
  /** The daemon stops, or is killed right after its last answers, and another one replaces it. */
  | { readonly kind: 'restart'; readonly kills: boolean }

/** All deeds of one tick happen concurrently, each in another project. */
export interface Deed {
  readonly tick: number
  /** The time of day, in milliseconds. */
  readonly at: number
  readonly project: number
  readonly session: string
  /** The client's id of the current prompt. */
  readonly prompt: string
  readonly act: Act
}

/** The skill that an allowed act of any thread has called. */
export function calledBy(act: Act, decision: 'allow' | 'block'): Skill | undefined {
  if (act.kind === 'prompt') return skillNamed(/^\/(\w+)/.exec(act.text)?.[1] ?? '')
  const isCall = act.kind === 'before' || (act.kind === 'sub' && act.event === 'PreToolUse')
  return isCall && decision === 'allow' && act.tool.kind === 'skill' ? skillNamed(act.tool.name) : undefined
}
