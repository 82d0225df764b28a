import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A step as its author wrote it; the tests know no more of a plan than that. */
interface Step {
  readonly file: string
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly optional?: boolean
}

export interface Skill {
  readonly name: string
  readonly steps: readonly Step[]
  /** Steps that only their numbers put in order advise and never refuse. */
  readonly numbered?: boolean
  readonly heartbeat?: boolean
}

/** What every project of a replay has: a line, a fork, one that is watched, one that only advises, one without a plan. */
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
]

export const skillNamed = (name: string): Skill | undefined => SKILLS.find((skill) => skill.name === name)

/** Below the folder of a project. */
export const pathOf = (skill: string, file: string): string =>
  `.claude/skills/${skill}/${file === 'SKILL' ? 'SKILL.md' : `steps/${file}.md`}`

/** Makes a project with all of the skills in it. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, '.git'), { recursive: true })
  for (const { name, steps, heartbeat } of SKILLS) {
    const beats = heartbeat === true ? 'heartbeat: true\n' : ''
    const head = `---\nname: ${name}\ndescription: Does ${name}.\n${beats}---\n\nDo it.\n`
    await put(join(folder, pathOf(name, 'SKILL')), head)
    for (const step of steps) await put(join(folder, pathOf(name, step.file)), textOf(step))
  }
}

function textOf({ file, consumes, produces, optional }: Step): string {
  const fields = [
    ...(consumes === undefined ? [] : [`consumes: [${consumes.join(', ')}]`]),
    ...(produces === undefined ? [] : [`produces: [${produces.join(', ')}]`]),
    ...(optional === true ? ['optional: true'] : []),
  ]
  return fields.length === 0 ? `# ${file}\n` : `---\n${fields.join('\n')}\n---\n\n# ${file}\n`
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** A file of a skill; `SKILL` is SKILL.md. */
export interface SkillFile {
  readonly skill: string
  readonly file: string
}

export type Tool =
  | {
      readonly kind: 'read'
      readonly by: 'Read' | 'cat' | 'head' | 'sed' | 'pipe'
      readonly files: readonly SkillFile[]
    }
  /** An interpreter that opens a file is not seen through. */
  | { readonly kind: 'hidden'; readonly file: SkillFile }
  | { readonly kind: 'edit'; readonly file: SkillFile }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'shell' | 'agent' | 'todos' | 'ours' }

export type Source = 'startup' | 'resume' | 'compact' | 'clear' | 'fork'

/** What one client does, or what is told of it. */
export type Act =
  | { readonly kind: 'start'; readonly source: Source }
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'before' | 'after' | 'failed'; readonly id: string; readonly tool: Tool }
  /** A sub-agent's own events. */
  | { readonly kind: 'sub'; readonly event: string; readonly tool: Tool }
  | { readonly kind: 'compacting' | 'notification' }
  /** The end of a turn, with the last words of the agent. */
  | { readonly kind: 'stop'; readonly words: string }
  | { readonly kind: 'end'; readonly reason: string }
  /** The status line tells how full the window is. */
  | { readonly kind: 'usage'; readonly percent: number }
  /** The agent's own commands: a word in the log, and the end of its effort. */
  | { readonly kind: 'log' | 'finish' }

/** All deeds of one tick happen at once, each in another project. */
export interface Deed {
  readonly tick: number
  /** The time of day, in milliseconds. */
  readonly at: number
  readonly project: number
  readonly session: string
  readonly act: Act
}
