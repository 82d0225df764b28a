import { isBlank } from '../text/line.ts'
import type { Plan, Step } from './plan.ts'

/** A named stage of an effort, entered in order, left with proof. */
export interface Phase {
  readonly label: string
  readonly name: string
  /** Proof fields required to leave this phase. */
  readonly proof?: readonly string[] | undefined
  readonly [more: string]: unknown
}

/** The phases of a plan; none for other notations. */
export const phasesIn = (plan: Plan): readonly Phase[] =>
  plan.notation === 'phases'
    ? plan.steps.map(({ label, title, proof, optional }) => ({ label, name: title, proof, optional }))
    : []

/** Proof fields required to leave the current phase. */
export function proofToLeave(plan: Plan | undefined, current: string | null): readonly string[] {
  if (plan === undefined || current === null) return []
  const { label } = splitPhase(current)
  return phasesIn(plan).find((phase) => phase.label === label)?.proof ?? []
}

const LABEL = /^[0-9]+(\.([0-9]+[A-Z]?|[A-Z]+))*$/

export const isPhaseLabel = (text: string): boolean => LABEL.test(text)

/** The label of a declared phase; older skills write `major` and `minor` instead. */
export function writtenLabel({ label, major, minor }: Readonly<Record<string, unknown>>): string {
  if (label !== undefined || major === undefined) return wordOf(label)
  return minor === undefined || minor === 0 ? wordOf(major) : `${wordOf(major)}.${wordOf(minor)}`
}

const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** Splits `3.A: Build Loop` into label and name; the name is optional. */
export function splitPhase(text: string): { readonly label: string; readonly name: string } {
  const [label = '', ...rest] = text.split(':')
  return { label: label.trim(), name: rest.join(':').trim() }
}

/** A phase as it is shown and stored. */
export const phaseText = (phase: { readonly label: string; readonly name: string }): string =>
  phase.name === '' ? phase.label : `${phase.label}: ${phase.name}`

/** A step as people read it: a phase with its name, any other step by its label. */
export const fullName = ({ notation }: Plan, { label, title }: Step): string =>
  notation === 'phases' ? phaseText({ label, name: title }) : label

/** Required phases never entered; untaken alternatives are joined with "or". */
export function phasesNotEntered(phases: readonly Phase[], history: readonly string[]): readonly string[] {
  const labels = new Set(history.map((text) => splitPhase(text).label))
  const entered = [...labels].map(segments)
  const leadsInto = (branch: readonly string[]) =>
    entered.some((other) => branch.every((part, index) => other[index] === part))
  const missed = new Map<string, Map<string, string>>()
  for (const phase of phases.toSorted((a, b) => compareLabels(a.label, b.label))) {
    if (labels.has(phase.label) || phase['optional'] === true) continue
    const path = segments(phase.label)
    const depth = path.findIndex((part, index) => isLetter(part) && !leadsInto(path.slice(0, index + 1)))
    const isOwed = depth === -1 || !entered.some((other) => isAlternative(other, path, depth))
    if (!isOwed) continue
    const group = depth === -1 ? phase.label : `${path.slice(0, depth).join('.')}.`
    const branches = missed.get(group) ?? new Map<string, string>()
    missed.set(group, branches)
    // The first phase of an alternative stands for the whole branch.
    const branch = path[depth] ?? ''
    if (!branches.has(branch)) branches.set(branch, phaseText(phase))
  }
  return [...missed.values()].map((branches) => [...branches.values()].join(' or '))
}

/** True if two paths enter alternatives at the same depth. */
const isAlternative = (other: readonly string[], path: readonly string[], depth: number): boolean =>
  isLetter(other[depth]) && path.slice(0, depth).every((part, index) => other[index] === part)

/** The labels that may follow one, or start the plan, in order: the next number, or one of the next letters. */
export function labelsAfter(phases: readonly Phase[], from: string | undefined): readonly string[] {
  const later = phases
    .map(({ label }) => label)
    .filter((label) => from === undefined || (compareLabels(label, from) > 0 && !isBranchSwitch(from, label)))
    .toSorted(compareLabels)
  return firstOf(later, branchesOf(from ?? ''))
}

/** The first of these labels; if it begins a branch, the first labels of every branch beside it. */
function firstOf(labels: readonly string[], own: readonly string[]): readonly string[] {
  const [first] = labels
  const branch = first === undefined ? undefined : branchesOf(first).find((one) => !own.includes(one))
  if (first === undefined || branch === undefined) return first === undefined ? [] : [first]
  const group = parentOf(branch)
  const beside = Map.groupBy(labels, (label) => branchesOf(label).find((one) => parentOf(one) === group))
  return [...beside].flatMap(([one, inside]) => (one === undefined ? [] : firstOf(inside, [...own, one])))
}

const parentOf = (branch: string): string => branch.slice(0, branch.lastIndexOf('.'))

/** The branches that contain a label, outermost first: 3.A.1B is in 3.A and 3.A.1.B. */
function branchesOf(label: string): readonly string[] {
  const path = segments(label)
  return path.flatMap((part, depth) => (isLetter(part) ? [path.slice(0, depth + 1).join('.')] : []))
}

/** `false` and 0 are answers; missing values, blanks, unfilled form lines and lists of them are not. */
export function missingProof(
  fields: readonly string[],
  proof: Readonly<Record<string, unknown>>,
): readonly string[] {
  return fields.filter((field) => isNoAnswer(Object.hasOwn(proof, field) ? proof[field] : undefined))
}

function isNoAnswer(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return isBlank(value)
  return typeof value === 'object' && Object.values(value).every(isNoAnswer)
}

const MOST_KNOWN = 1000
const paths = new Map<string, readonly string[]>()

/** Numbers are a sequence and letters are alternatives, so 3.1A is branch A of 3.1. */
export function segments(label: string): readonly string[] {
  const known = paths.get(label)
  if (known !== undefined) return known
  // Cached, because every move compares all labels.
  const path = label.match(/[0-9]+|[A-Z]+/g) ?? []
  if (paths.size >= MOST_KNOWN) paths.clear()
  paths.set(label, path)
  return path
}

/** A segment is all digits or all letters, so the first character decides. */
export const isLetter = (segment: string | undefined): boolean => segment !== undefined && segment >= 'A'

export function compareLabels(a: string, b: string): number {
  const [left, right] = [segments(a), segments(b)]
  for (let depth = 0; depth < Math.max(left.length, right.length); depth++) {
    const [x, y] = [left[depth], right[depth]]
    if (x === y) continue
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (isLetter(x) !== isLetter(y)) return isLetter(x) ? 1 : -1
    return isLetter(x) ? (x < y ? -1 : 1) : Number(x) - Number(y)
  }
  return 0
}

/** 3.A → 3.B: one alternative was chosen, so its sibling is no longer open. */
export function isBranchSwitch(from: string, to: string): boolean {
  const [left, right] = [segments(from), segments(to)]
  const depth = left.findIndex((segment, index) => segment !== right[index])
  return depth !== -1 && isLetter(left[depth]) && isLetter(right[depth])
}
