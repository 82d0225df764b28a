import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Parsed } from '../src/model/plan/definition.ts'

/** What people say about one skill of the corpus; lines stand for its headings and list items. */
interface Label {
  readonly file: string
  /** Of the text that was judged. */
  readonly digest: string
  /** Every acceptable plan, by the lines of its steps; an empty list means none, "files" a folder of steps. */
  readonly plans: readonly (readonly number[] | 'files')[]
  /** The lines of its optional steps. */
  readonly optional?: readonly number[]
  readonly diagnostics: readonly (readonly [code: string, line: number, verdict: Verdict])[]
  /** Files that the text names and that do not exist, with the line that names each first. */
  readonly missing: readonly (readonly [path: string, line: number])[]
  /** What a checker should report besides. */
  readonly faults?: readonly (readonly [code: string, line: number])[]
}

type Verdict = 'right' | 'useless' | 'wrong'

/** The diagnostics that name a missing file. */
const MISSING = new Set(['HF121', 'HF122'])

const FOLDER = join(import.meta.dirname, '../test/corpus')

/** The skills by which the checker was made, and others that were judged only afterwards. */
export type Labelled = 'labels' | 'unseen'

const labelsIn = (name: Labelled): readonly Label[] =>
  readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Label)

/** Compares what the checker says with the labels of the same texts; undefined if no text has one. */
export function score(name: Labelled, parsed: readonly Parsed[], textOf: (path: string) => string) {
  const labels = labelsIn(name)
  const digestOf = (path: string) => createHash('sha256').update(textOf(path)).digest('hex').slice(0, 12)
  const known = new Map(labels.map((label) => [label.file, label]))
  const judged = parsed.flatMap((one) => {
    const label = known.get(one.definition.file)
    return label === undefined || digestOf(label.file) !== label.digest ? [] : [{ one, label }]
  })
  if (judged.length === 0) return undefined
  const plans = judged.map(({ one, label }) => ({ file: label.file, ...planScore(one, label) }))
  const said = judged.flatMap(({ one, label }) => verdictsOf(one, label))
  const files = judged.map(({ one, label }) => ({ file: label.file, ...missingScore(one, label) }))
  const faults = judged.flatMap(({ one, label }) =>
    (label.faults ?? []).map(([code, line]) => has(one, code, line)),
  )
  return {
    summary: {
      labelled: judged.length,
      ...planSummary(plans),
      diagnostics: diagnosticSummary(said),
      other_faults_found: share(faults.filter((one) => one).length, faults.length),
      missing_files: missingSummary(files),
    },
    details: [
      ...plans
        .filter(({ isRight }) => !isRight)
        .map(({ file, got, accepted }) => `plan ${file}: [${got}], accepted ${JSON.stringify(accepted)}`),
      ...said
        .filter(({ verdict }) => verdict !== 'right')
        .map(({ file, code, line, message, verdict }) => `${verdict} ${file}:${line} ${code} ${message}`),
      ...files.flatMap(({ file, wanted, given }) => [
        ...wanted.filter((path) => !given.includes(path)).map((path) => `not found ${file}: ${path}`),
        ...given.filter((path) => !wanted.includes(path)).map((path) => `found too much ${file}: ${path}`),
      ]),
    ],
  }
}

function planSummary(plans: readonly ReturnType<typeof planScore>[]) {
  const given = plans.filter(({ isGiven }) => isGiven)
  const wanted = plans.filter(({ isWanted }) => isWanted)
  const right = (list: typeof plans) => list.filter(({ isRight }) => isRight).length
  return {
    plans_right: share(right(plans), plans.length),
    plan_precision: share(right(given), given.length),
    plan_recall: share(right(wanted), wanted.length),
    optional_steps_right: share(given.filter((one) => one.isRight && one.hasOptional).length, right(given)),
  }
}

function diagnosticSummary(said: ReturnType<typeof verdictsOf>) {
  const count = (wanted: (typeof said)[number]['verdict']) =>
    said.filter(({ verdict }) => verdict === wanted).length
  const judged = said.length - count('unlabelled')
  return {
    right: share(count('right'), judged),
    useless: share(count('useless'), judged),
    wrong: share(count('wrong'), judged),
    unlabelled: count('unlabelled'),
  }
}

function missingSummary(files: readonly ReturnType<typeof missingScore>[]) {
  const sum = (numberOf: (one: (typeof files)[number]) => number) =>
    files.reduce((total, one) => total + numberOf(one), 0)
  const hits = sum((one) => one.hits)
  return {
    recall: share(
      hits,
      sum(({ wanted }) => wanted.length),
    ),
    precision: share(
      hits,
      sum(({ given }) => given.length),
    ),
  }
}

const share = (part: number, whole: number): string =>
  `${part} of ${whole}${whole === 0 ? '' : ` (${((part / whole) * 100).toFixed(1)} %)`}`

function planScore({ definition: { plan } }: Parsed, { plans, optional = [] }: Label) {
  const isFiles = plan?.notation === 'steps'
  const got = (plan?.steps ?? []).map(({ place }) => place.line).join()
  const isRight =
    plans.length === 0
      ? plan === undefined
      : plans.some((one) => (one === 'files' ? isFiles : !isFiles && one.join() === got))
  const isWanted = plans.length > 0 && !plans.some((one) => one.length === 0)
  const isSaid = (line: number) => optional.includes(line)
  const hasOptional =
    isFiles || plan?.steps.every((step) => step.optional === isSaid(step.place.line)) === true
  return {
    got: isFiles ? 'files' : got,
    accepted: plans,
    isRight,
    isGiven: plan !== undefined,
    isWanted,
    hasOptional,
  }
}

const has = ({ diagnostics }: Parsed, code: string, line: number): boolean =>
  diagnostics.some((one) => one.code === code && one.line === line)

/** The verdict on each diagnostic of the main file; missing files are counted apart. */
const verdictsOf = ({ definition: { file }, diagnostics }: Parsed, label: Label) =>
  diagnostics
    .filter((one) => !MISSING.has(one.code))
    .map(({ code, line, message }) => ({
      file,
      code,
      line,
      message,
      verdict:
        label.diagnostics.find(([known, at]) => known === code && at === line)?.[2] ??
        (label.faults?.some(([known, at]) => known === code && at === line) === true
          ? ('right' as const)
          : ('unlabelled' as const)),
    }))

/** A file of the skill can be named with and without the folder of the skill. */
const fromSkill = (path: string): string => path.replace(/^(\.\/|\{skill-root\}\/)/, '')

function missingScore({ diagnostics }: Parsed, { missing }: Label) {
  const wanted = [...new Set(missing.map(([path]) => fromSkill(path)))]
  const given = [
    ...new Set(
      diagnostics
        .filter(({ code }) => MISSING.has(code))
        .map(({ message }) => fromSkill(message.split(' ')[0] ?? '')),
    ),
  ]
  return { wanted, given, hits: wanted.filter((path) => given.includes(path)).length }
}
