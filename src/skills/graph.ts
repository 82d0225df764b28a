import { begin } from '../model/plan/advance.ts'
import { type Dispatch, isBrought, type Plan, type Step } from '../model/plan/plan.ts'
import { hasControl } from '../model/text/line.ts'
import { slug } from './text/text.ts'

interface Edge {
  /** Null is the start. */
  readonly from: string | null
  /** Null is the end. */
  readonly to: string | null
  readonly label: string | null
}

/** The plan as a Mermaid flowchart; the workflows that its sub-agents run are boxes beside it. */
export const mermaid = (plan: Plan): string => ['flowchart TD', ...linesOf(plan, '', '  ')].join('\n')

/** The prefix keeps the nodes of a workflow apart from those of all others. */
function linesOf(plan: Plan, prefix: string, indent: string): readonly string[] {
  const names = new Map(plan.steps.map((step, index) => [step.id, `${prefix}s${index}`]))
  const nameOf = (id: string | null, otherwise: string) => names.get(id ?? '') ?? `${prefix}${otherwise}`
  const nodes = plan.steps.map((step) => `${nameOf(step.id, '')}${shape(step)}`)
  const edges = edgesOf(plan).map(
    ({ from, to, label }) =>
      `${nameOf(from, 'start')} -->${label === null ? '' : `|"${escape(label)}"|`} ${nameOf(to, 'finish')}`,
  )
  const ends = edges.some((edge) => edge.endsWith('finish')) ? [`${prefix}finish((("end")))`] : []
  const boxes = Object.entries(plan.workflows ?? {}).flatMap(([name, below], index) => {
    const box = `${prefix}w${index}`
    const arrows = plan.steps
      .filter(({ dispatch }) => dispatch?.workflow === name)
      .map(({ id }) => `${nameOf(id, '')} -.-> ${box}start`)
    // An arrow to the box, and not into it, would have Mermaid draw the box as one long row.
    return [
      `subgraph ${box}["sub-agents run ${escape(name)}"]`,
      ...linesOf(below, box, '  '),
      'end',
      ...arrows,
    ]
  })
  return [`${prefix}start(("start"))`, ...nodes, ...ends, ...edges, ...boxes].map(
    (line) => `${indent}${line}`,
  )
}

function shape(step: Step): string {
  const marks = marksOf(step)
  const text = [titleOf(step), marks.join(', ')]
    .filter((line) => line !== '')
    .map(escape)
    .join('<br/>')
  return step.optional ? `(["${text}"])` : `["${text}"]`
}

/** A label that only repeats the title takes space. */
function titleOf({ label, title }: Step): string {
  if (title === '') return label
  return [title, slug(title, title)].includes(label) ? title : `${label}: ${title}`
}

/** What a step says besides its targets, in words. */
const marksOf = ({ phase, optional, limit, only, when = {}, dispatch, writes }: Step): readonly string[] =>
  [
    phase === undefined ? '' : `in ${phase}`,
    optional ? 'optional' : '',
    limit === undefined ? '' : `at most ${limit} times`,
    only === undefined ? '' : `${only} only`,
    ...Object.entries(when).map(([name, value]) => `if ${name} is ${value}`),
    dispatch === undefined ? '' : agentsOf(dispatch),
    writes === undefined ? '' : `opens ${writes.includes('**') ? 'all files' : writes.join(', ')}`,
  ].filter((mark) => mark !== '')

function agentsOf({ count, join, countOf }: Dispatch): string {
  if (countOf !== undefined) return `sub-agents by the value of ${countOf}`
  if (count === 1) return '1 sub-agent'
  return join === count ? `${count} sub-agents, all needed` : `${count} sub-agents, ${join} needed`
}

/** Escapes characters with a meaning in Mermaid or Markdown; control characters become spaces. */
const escape = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[#"&<>|[\]{}`\\]/g, (char) => `#${char.charCodeAt(0)};`)

/** Every transition between steps. */
export function edgesOf(plan: Plan): readonly Edge[] {
  const starts = (plan.entry.length > 0 ? plan.entry : begin(plan).open).map((to) => ({
    from: null,
    to,
    label: null,
  }))
  const byOutcome = plan.steps.flatMap((step) =>
    outcomes(step).flatMap(({ label, targets }) =>
      (targets.length === 0 ? [null] : targets).map((to) => ({ from: step.id, to, label })),
    ),
  )
  const byArtifact = plan.steps.flatMap((step) =>
    step.consumes
      .filter((artifact) => !isBrought(plan, artifact))
      .flatMap((artifact) =>
        plan.steps
          .filter((producer) => producer.produces.includes(artifact))
          .map((producer) => ({ from: producer.id, to: step.id, label: artifact })),
      ),
  )
  return [...starts, ...byOutcome, ...byArtifact]
}

interface Ways {
  readonly label: string | null
  readonly targets: readonly string[]
}

/** Merges outcomes with the same target into one arrow; a lone ok gets no label. */
function outcomes({ next = {}, onError, onLimit }: Step): readonly Ways[] {
  const groups = new Map<string, { readonly names: string[]; readonly targets: readonly string[] }>()
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ...Object.entries(next),
    ...(onError === undefined ? [] : [['error', [onError]] as const]),
    ...(onLimit === undefined ? [] : [['limit', [onLimit]] as const]),
  ]
  for (const [name, targets] of ways) {
    const key = targets.join('\n')
    const group = groups.get(key) ?? { names: [], targets }
    group.names.push(name)
    groups.set(key, group)
  }
  return [...groups.values()].map(({ names, targets }) => ({
    label: names.includes('ok') && groups.size === 1 ? null : names.join(' / '),
    targets,
  }))
}

/** A command whose lines were joined by spaces would read as another one. */
const inOneLine = (command: string): string => (hasControl(command) ? JSON.stringify(command) : command)

/** The plan as readable lines, with the workflows of its sub-agents below it. */
export function tree(plan: Plan, path = ''): string {
  const below = Object.entries(plan.workflows ?? {}).map(
    ([name, one]) => `\nSub-agents run the workflow ${path}${name}:\n${tree(one, `${path}${name}/`)}`,
  )
  return [...stepLines(plan), ...below].join('\n')
}

function stepLines(plan: Plan): readonly string[] {
  const edges = edgesOf(plan)
  const name = (id: string | null) =>
    id === null ? 'end' : (plan.steps.find((step) => step.id === id)?.label ?? id)
  return plan.steps.map((step) => {
    const marks = marksOf(step)
    const head = `${step.label}${step.title === '' || step.title === step.label ? '' : `  ${step.title}`}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`
    const lines = [
      ...(step.consumes.length === 0 ? [] : [`needs ${step.consumes.join(', ')}`]),
      ...(step.proof.length === 0 ? [] : [`requires proof of ${step.proof.join(', ')}`]),
      ...(step.run === undefined ? [] : [`runs ${inOneLine(step.run)}`]),
      ...(step.dispatch?.workflow === undefined ? [] : [`sub-agents run ${step.dispatch.workflow}`]),
      ...edges
        .filter(({ from }) => from === step.id)
        .map(({ to, label }) => `${label === null ? '' : `${label} `}→ ${name(to)}`),
    ]
    return [head, ...lines.map((line, index) => `${index === lines.length - 1 ? '└' : '├'} ${line}`)].join(
      '\n',
    )
  })
}
