import { oneLine } from './text/line.ts'

/** The folder that one call of a skill keeps its work in, below the project. */
export interface SkillRun {
  readonly id: number
  readonly project_id: number
  /** What it is part of; a skill that asks for nothing has no effort. */
  readonly effort_id: number | null
  readonly span_id: string | null
  readonly skill: string
  readonly args: string
  /** The name of the folder. */
  readonly name: string
  readonly created_at: string
  /** When all of the folder was there; null where making it has not come to its end. */
  readonly made_at: string | null
}

/** What is ours in a project, and must not show up in what its user commits. */
const OUR_FOLDER = '.holdfast'
export const IGNORES = { path: `${OUR_FOLDER}/.gitignore`, text: '# Made by holdfast.\n*\n' } as const
export const RUNS_FOLDER = `${OUR_FOLDER}/runs`
/** Published to be seen, so it lies beside the user's own files. */
export const REPORTS_FOLDER = 'reports'

export const SYNTHESIS = 'synthesis.md'
export const RUN_LOG = 'run.log'
export const RUN_FOLDERS = ['handoffs', 'outputs'] as const

const LONGEST_SLUG = 48

/** The name of a run by its day and by what it was called with; the second of the same name ends with `-02`. */
export function runName(
  { now, skill, args }: { readonly now: string; readonly skill: string; readonly args: string },
  counter: number,
): string {
  const slug = `${skill} ${args.slice(0, 10 * LONGEST_SLUG)}`
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^-|-$/g, '')
  const name = `${now.slice(0, 10)}-${slug === '' ? 'run' : slug}`
  return counter === 1 ? name : `${name}-${String(counter).padStart(2, '0')}`
}

/** What stands in the files of a run from the beginning; the same whenever it is asked for. */
export const runFiles = ({ skill, args, created_at }: SkillRun): Readonly<Record<string, string>> => ({
  'context.md': `# ${oneLine(skill)}\n\n${args === '' ? '' : `Called with: ${oneLine(args)}\n\n`}What all who work on this run must know.\n`,
  [RUN_LOG]: runLogLine('run', `${oneLine(skill)} was called`, created_at),
})

/** One line of the log of a run. */
export const runLogLine = (phase: string, text: string, now: string): string =>
  `[${now.slice(0, 19).replace('T', ' ')} UTC] [${oneLine(phase)}] ${oneLine(text, LONGEST_LINE)}\n`

const LONGEST_LINE = 10_000

/** What an agent is told about the run that its call has begun. */
export const runText = (skill: string, path: string): string =>
  [
    `The run of ${oneLine(skill)} keeps its work in ${oneLine(path)}:`,
    '- context.md: what all who work on it must know',
    '- handoffs/ and outputs/: what each of them is given, and what each has found, a file each',
    `- ${RUN_LOG}: written with: holdfast run log TEXT`,
    `- ${SYNTHESIS}: REQUIRED; the result of the whole run, which is complete when this file is there`,
  ].join('\n')

/** What an agent is told where there is no folder. */
export const noRunText = (skill: string, reason: string): string =>
  `The run of ${oneLine(skill)} has no folder of its own, because none could be made: ${oneLine(reason)}`

/** Whether a run has come to its result; `gone` where somebody has taken its folder away. */
export type RunState = 'complete' | 'in-progress' | 'gone'
