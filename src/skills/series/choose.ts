import type { Block, Heading } from '../text/markdown.ts'
import { entryOf, orderOf } from './entry.ts'
import { findSeries, type PlacedSeries, type Series } from './find.ts'
import { leadVerdict, namesOnlyPlan, type Verdict, verdictOf } from './section.ts'
import { areDescriptions, shareOfInstructions } from './verbs.ts'

/** The plan of a text, or else the procedures of equal standing of which each use selects one. */
export interface Choice {
  readonly plan: Series | undefined
  readonly equals: readonly Series[]
}

/** A series that may be the plan. */
interface Candidate {
  readonly series: PlacedSeries
  /** How sure it is that these are the steps of each use: 9 tags, 6 to 8 named steps, 2 to 5 announced numbers, 1 a guess. */
  readonly sure: number
  /** The heading that says so. */
  readonly by: Heading | undefined
  readonly word: string
  /** Set if it holds only in some case. */
  readonly isCase: boolean
}

const NONE: Choice = { plan: undefined, equals: [] }

const made = new WeakMap<readonly Block[], Choice>()

/** Chooses the plan by what the headings above each series say, once; what is not clear is no plan. */
export function choosePlan(blocks: readonly Block[]): Choice {
  const choice = made.get(blocks) ?? choose(blocks)
  made.set(blocks, choice)
  return choice
}

function choose(blocks: readonly Block[]): Choice {
  const all = findSeries(blocks).flatMap(candidateOf)
  const inside = new Set(
    all.flatMap(({ series, isCase }) => (isCase ? [] : series.entries.map(({ line }) => line))),
  )
  const outer = all.filter(({ series }) => !series.above.some(({ line }) => inside.has(line)))
  const best = outer.filter(({ isCase }) => !isCase).toSorted(byRank)
  const [first] = best
  if (first === undefined) return NONE
  const equals = equalTo(first, outer)
  if (equals.length === 0) return { plan: first.series, equals: [] }
  return first.sure === WEAK
    ? NONE
    : { plan: undefined, equals: [first, ...equals].map(({ series }) => series) }
}

const FORMS: readonly PlacedSeries['form'][] = ['list', 'bold', 'heading', 'tag']

/** The surest first, then headings before lists, then the longest. */
const byRank = (a: Candidate, b: Candidate): number =>
  b.sure - a.sure ||
  FORMS.indexOf(b.series.form) - FORMS.indexOf(a.series.form) ||
  b.series.entries.length - a.series.entries.length ||
  a.series.line - b.series.line

function equalTo(first: Candidate, all: readonly Candidate[]): readonly Candidate[] {
  const { length } = first.series.entries
  return all.filter((other) => {
    if (other === first) return false
    const double = other.series.entries.length * 2
    // A guess must be the only one; a much shorter procedure is a detail.
    return first.sure === WEAK
      ? other.sure <= WEAK && other.series.form === first.series.form && double >= length
      : !other.isCase && areAlternatives(first, other) && double > length
  })
}

/** Whether two sections have the same standing and kind, such as two workflows or the same steps of two topics. */
function areAlternatives(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.series.above.at(-1), other.series.above.at(-1)]
  if (a === b || a?.level !== b?.level) return false
  if (one.by !== undefined && one.by === other.by) return one.series.form === other.series.form
  if (one.word !== '') return one.word === other.word && !isPlain(one.by) && !isPlain(other.by)
  return (
    one.sure === other.sure && one.series.word === other.series.word && one.series.form === other.series.form
  )
}

/** Headings that name the procedure and nothing else. */
const isPlain = (heading: Heading | undefined): boolean =>
  heading !== undefined && namesOnlyPlan(heading.text)

const WEAK = 1
/** So many named headings are the procedure, whatever stands above them. */
const MANY = 6

function candidateOf(series: PlacedSeries): readonly Candidate[] {
  const { form, word, above } = series
  const section = sectionOf(above, word !== '')
  const { sure, isCase } =
    form === 'list' || word === '' ? bareRank(series, section) : namedRank(series, section)
  return sure === undefined ? [] : [{ series, sure, by: section.by, word: section.word, isCase }]
}

interface Rank {
  readonly sure: number | undefined
  readonly isCase: boolean
}

const OUT: Rank = { sure: undefined, isCase: false }
const CASE: Rank = { sure: 0, isCase: true }
const at = (sure: number): Rank => ({ sure, isCase: false })

/** Steps that are called so need no more than a place that does not deny it. */
function namedRank({ form, entries, above }: PlacedSeries, { kind, isTop }: Section): Rank {
  if (form === 'tag') return at(9)
  if (form === 'bold') return kind === 'no' ? OUT : kind === 'case' ? CASE : at(isTop ? 6 : WEAK)
  if (kind === 'no' || kind === 'case') return entries.length >= MANY ? at(6) : kind === 'no' ? OUT : CASE
  return at(kind === 'plan' || above.length < 2 ? 8 : 7)
}

/** Numbers alone need a heading or a line above that announces steps, or else instructions as titles. */
function bareRank(series: PlacedSeries, section: Section): Rank {
  const { form, entries, above, lead } = series
  const { kind } = section
  if (kind === 'no' && section.sure === 3) return OUT
  const announced = form === 'list' ? leadVerdict(lead) : undefined
  const announces = announced?.kind === 'plan' ? announced.sure : 0
  const titles = entries.map(({ title }) => title)
  // Steps within a step go on with its number.
  if (orderOf(entries[0]?.number ?? '') >= 2 || areDescriptions(titles)) return OUT
  const share = shareOfInstructions(titles)
  const isAll = share === 1 && entries.length >= FEW
  if (kind === 'no' && announces < 3 && !isAll) return OUT
  if (kind === 'case') return share > MOST ? CASE : OUT
  if (above.length === 0)
    return share > SOME || (form === 'list' && (lead === '' || announces > 0)) ? at(2) : OUT
  if (announced?.kind === 'no') return share > MOST ? CASE : OUT
  if (announced?.kind === 'case' && section.sure < 3) return share > MOST ? CASE : OUT
  if (kind === 'plan' && isEnough(series, section, { share, announces }))
    return at(section.isTop && (form !== 'list' || section.isNear) ? 2 + section.sure : WEAK)
  if (announces > 1 || (above.length === 1 && above[0]?.level === 1 && share > SOME))
    return at(section.isTop && kind !== 'no' ? 2 : WEAK)
  // Half of a procedure still shows that the file has several.
  return !section.isTop || share < SOME ? OUT : share > MOST ? at(WEAK) : CASE
}

/** Whether numbers below a heading of a procedure are its steps: the less it says, the more they must. */
function isEnough(
  { form, entries }: PlacedSeries,
  { sure }: Section,
  { share, announces }: { readonly share: number; readonly announces: number },
): boolean {
  if (form === 'bold') return share > SOME
  if (sure === 3 || announces > 1) return true
  return form === 'list' ? share > (sure === 1 ? MOST : SOME) : share > MOST && entries.length > 2
}

/** How many titles, or which share of them, must be instructions; chosen by the labels of the corpus. */
const FEW = 4
const SOME = 0.39
const MOST = 0.59

interface Section {
  readonly kind: 'plan' | 'no' | 'case' | undefined
  /** As the verdict says: 0 to 3. */
  readonly sure: number
  readonly by: Heading | undefined
  readonly word: string
  /** Whether it is the heading right above. */
  readonly isNear: boolean
  /** Whether no other topic is above it. */
  readonly isTop: boolean
}

/** The nearest heading that says something decides; the title of the file only warns what is directly below. */
function sectionOf(above: readonly Heading[], isNamed: boolean): Section {
  for (const [index, heading] of above.toReversed().entries()) {
    const verdict = headingVerdict(heading)
    if (verdict === undefined) continue
    if (heading.level === 1 && (isNamed || index > 0 || verdict.kind !== 'no' || verdict.sure < 3)) break
    const outer = above.slice(0, above.length - 1 - index).filter(({ level }) => level > 1)
    return {
      kind: verdict.kind,
      sure: verdict.kind === 'case' ? 0 : verdict.sure,
      by: heading,
      word: verdict.kind === 'plan' ? verdict.word : '',
      isNear: index === 0,
      isTop: outer.length === 0 || outer.some((one) => headingVerdict(one)?.kind === 'plan'),
    }
  }
  const isTop = above.filter(({ level }) => level > 1).length < 2
  return { kind: undefined, sure: 0, by: undefined, word: '', isNear: true, isTop }
}

const known = new WeakMap<Heading, { readonly verdict: Verdict | undefined }>()

/** What a heading says, read once; a step says nothing about the lists in it. */
function headingVerdict(heading: Heading): Verdict | undefined {
  const { verdict } = known.get(heading) ?? {
    verdict: entryOf(heading.text) === undefined ? verdictOf(heading.text) : undefined,
  }
  known.set(heading, { verdict })
  return verdict
}
