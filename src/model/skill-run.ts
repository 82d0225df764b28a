import { OUR_FOLDER } from './our-folder.ts'
import { datedName } from './text/dated-name.ts'
import { shellWord } from './shell/word.ts'
import { oneLine } from './text/line.ts'

/** The work folder of one call of a skill, below the project. */
export interface SkillRun {
  readonly id: number
  readonly project_id: number
  readonly workplace_id: number
  /** Its effort; a skill that requires nothing has none. */
  readonly effort_id: number | null
  readonly span_id: string | null
  readonly skill: string
  readonly args: string
  /** The name of the folder. */
  readonly name: string
  readonly created_at: string
  /** When the folder was complete; null while it is being made. */
  readonly made_at: string | null
}

export const RUNS_FOLDER = `${OUR_FOLDER}/runs`
/** Published results lie beside the user's files, where people see them. */
export const REPORTS_FOLDER = 'reports'

export const SYNTHESIS = 'synthesis.md'
export const RUN_LOG = 'run.log'
export const RUN_FOLDERS = ['handoffs', 'outputs'] as const

/** Names a run by day, skill and arguments. */
export const runName = (
  { now, skill, args }: { readonly now: string; readonly skill: string; readonly args: string },
  counter: number,
): string => datedName(now, `${skill} ${args}`, counter)

/** The initial files of a run. Deterministic. */
export const runFiles = ({ skill, args, created_at }: SkillRun): Readonly<Record<string, string>> => ({
  'context.md': `# ${oneLine(skill)}\n\n${args === '' ? '' : `Called with: ${oneLine(args)}\n\n`}What all who work on this run must know.\n`,
  [RUN_LOG]: runLogLine('run', `${oneLine(skill)} was called`, created_at),
})

/** One line of the log of a run. */
export const runLogLine = (phase: string, text: string, now: string): string =>
  `[${now.slice(0, 19).replace('T', ' ')} UTC] [${oneLine(phase)}] ${oneLine(text, LONGEST_LINE)}\n`

const LONGEST_LINE = 10_000

/** What the agent reads about the run of its call. */
export const runText = (skill: string, path: string): string =>
  [
    `Work folder of this run of ${oneLine(skill)}: ${oneLine(path)}`,
    '- context.md: what everyone on this run must know',
    '- handoffs/ and outputs/: the input and the result of each agent, one file each',
    `- ${RUN_LOG}: the log; to add a line: holdfast run log TEXT --run ${nameOf(path)}`,
    `- ${SYNTHESIS}: REQUIRED, the result of the run; writing this file completes the run`,
  ].join('\n')

/** The command must work in any window, also beside other runs. */
const nameOf = (path: string): string => shellWord(oneLine(path.slice(path.lastIndexOf('/') + 1)))

/** What the agent reads if the folder could not be made. */
export const noRunText = (skill: string, reason: string): string =>
  `This run of ${oneLine(skill)} has no work folder: ${oneLine(reason)}`

/** The state of a run; `gone` if its folder was removed. */
export type RunState = 'complete' | 'in-progress' | 'gone'
