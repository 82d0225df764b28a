import { listed, quoted } from '../text/line.ts'
import { itemsOf, pathIn, type Runbook, type RunbookPhase, stepFileOf } from './runbook.ts'

/** The step that reviews everything at the end. */
export const FINAL = 'final-review'

const ROOM = 2000

/** What a reviewer is asked: one phase, or the whole runbook. */
export function reviewTask(
  runbook: Runbook,
  { phase, isFull }: { readonly phase: RunbookPhase | undefined; readonly isFull: boolean },
): readonly string[] {
  const folder = runbook.folder === '.' ? 'the root of the project' : runbook.folder
  const what =
    phase === undefined
      ? `all changes of the runbook in ${folder}, as one change`
      : `phase ${phase.number}${phase.title === '' ? '' : ` (${quoted(phase.title)})`} of the runbook in ${folder}`
  const files = (phase?.items ?? itemsOf(runbook)).flatMap(
    (item) => stepFileOf(item) ?? runbook.files.slice(0, 1),
  )
  return [
    `Review ${what}.`,
    `What was asked: ${listed(
      [...new Set(files)].map((file) => inFolder(runbook, file)),
      ROOM,
    )}, and the reports in ${pathIn(runbook, 'reports')}.`,
    'What was done: see git log and git diff.',
    'Check that each of them has its result, that nothing beside them changed, and that the code is correct and simple.',
    isFull ? 'Run the whole test suite and every check of the project.' : 'Run the tests of what changed.',
    ...(phase === undefined
      ? [`Compare the whole with the goal: the design or requirements in ${folder}, if there are any.`]
      : []),
    'Change nothing but your report. List in it what must be fixed, each with its file and line.',
  ]
}

/** What is asked of the one who fixes what a review found. */
export const fixTask = (report: string): readonly string[] => [
  `Read the review in ${report}. Fix everything that it says must be fixed, and nothing else.`,
  'Run the checks that the review names.',
]

/** A file of the runbook has the path of its folder already. */
const inFolder = (runbook: Runbook, file: string): string =>
  runbook.files.includes(file) ? file : pathIn(runbook, file)
