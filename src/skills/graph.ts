import { missingFor } from '../model/plan/advance.ts'
import { type Plan, ROOT_ARTIFACTS, type Step } from '../model/plan/plan.ts'

interface Edge {
  /** Null is the start. */
  readonly from: string | null
  /** Null is the end. */
  readonly to: string | null
  readonly label: string | null
}

/** The plan as a Mermaid flowchart. */
export function mermaid(plan: Plan): string {
  const names = new Map(plan.steps.map((step, index) => [step.id, `s${index}`]))
  const nodes = plan.steps.map((step) => `  ${names.get(step.id)}${shape(step)}`)
  const edges = edgesOf(plan).map(
    ({ from, to, label }) =>
      `  ${names.get(from ?? '') ?? 'start'} -->${label === null ? '' : `|"${escape(label)}"|`} ${names.get(to ?? '') ?? 'finish'}`,
  )
  const ends = edges.some((edge) => edge.endsWith(' finish')) ? ['  finish((("end")))'] : []
  return ['flowchart TD', '  start(("start"))', ...nodes, ...ends, ...edges].join('\n')
}

function shape(step: Step): string {
  const text = escape(
    step.title === '' || step.title === step.label ? step.label : `${step.label}: ${step.title}`,
  )
  return step.optional ? `(["${text} (optional)"])` : `["${text}"]`
}

/** Escapes characters with a meaning in Mermaid or Markdown; control characters become spaces. */
const escape = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[#"&<>|[\]{}`\\]/g, (char) => `#${char.charCodeAt(0)};`)

/** Every transition between steps. */
export function edgesOf(plan: Plan): readonly Edge[] {
  const starts = (
    plan.entry.length > 0
      ? plan.entry
      : plan.steps.filter((step) => missingFor(plan, step, {}).length === 0).map(({ id }) => id)
  ).map((to) => ({ from: null, to, label: null }))
  const byOutcome = plan.steps.flatMap((step) =>
    Object.entries(outcomes(step)).flatMap(([label, targets]) =>
      (targets.length === 0 ? [null] : targets).map((to) => ({
        from: step.id,
        to,
        label: label === '' ? null : label,
      })),
    ),
  )
  const byArtifact = plan.steps.flatMap((step) =>
    step.consumes
      .filter((artifact) => !ROOT_ARTIFACTS.includes(artifact))
      .flatMap((artifact) =>
        plan.steps
          .filter((producer) => producer.produces.includes(artifact))
          .map((producer) => ({ from: producer.id, to: step.id, label: artifact })),
      ),
  )
  return [...starts, ...byOutcome, ...byArtifact]
}

/** Merges outcomes with the same target into one arrow; a lone ok gets no label. */
function outcomes(step: Step): Readonly<Record<string, readonly string[]>> {
  const groups = new Map<string, { readonly names: string[]; readonly targets: readonly string[] }>()
  for (const [name, targets] of Object.entries(step.next ?? {})) {
    const key = targets.join('\n')
    const group = groups.get(key) ?? { names: [], targets }
    group.names.push(name)
    groups.set(key, group)
  }
  return Object.fromEntries(
    [...groups.values()].map(({ names, targets }) => [
      names.includes('ok') && groups.size === 1 ? '' : names.join(' / '),
      targets,
    ]),
  )
}

/** The plan as readable lines. */
export function tree(plan: Plan): string {
  const edges = edgesOf(plan)
  const name = (id: string | null) =>
    id === null ? 'end' : (plan.steps.find((step) => step.id === id)?.label ?? id)
  return plan.steps
    .map((step) => {
      const marks = [
        step.phase === undefined ? '' : `in ${step.phase}`,
        step.optional ? 'optional' : '',
        step.limit === undefined ? '' : `at most ${step.limit} times`,
        step.only === undefined ? '' : `${step.only} only`,
      ].filter((mark) => mark !== '')
      const head = `${step.label}${step.title === '' || step.title === step.label ? '' : `  ${step.title}`}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`
      const lines = [
        ...(step.consumes.length === 0 ? [] : [`needs ${step.consumes.join(', ')}`]),
        ...(step.proof.length === 0 ? [] : [`requires proof of ${step.proof.join(', ')}`]),
        ...edges
          .filter(({ from }) => from === step.id)
          .map(({ to, label }) => `${label === null ? '' : `${label} `}→ ${name(to)}`),
      ]
      return [head, ...lines.map((line, index) => `${index === lines.length - 1 ? '└' : '├'} ${line}`)].join(
        '\n',
      )
    })
    .join('\n')
}
