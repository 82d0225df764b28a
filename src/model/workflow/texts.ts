import type { Plan, Step } from '../plan/plan.ts'

/** A text that a workflow names: a convention, or a resource. */
export interface TextName {
  readonly kind: 'convention' | 'resource'
  readonly name: string
}

/** Names of texts become names of files, so they lead nowhere else. */
export const isTextName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z0-9][\w.-]{0,99}$/.test(name)

/** The key of a text in `texts` of a plan. */
export const textKey = ({ kind, name }: TextName): string => `${kind} ${name}`

/** Every text that the steps of a plan name, those of its workflows too, each once. */
export function textsNamed(plan: Plan): readonly TextName[] {
  const named = new Map<string, TextName>()
  for (const text of allIn(plan)) named.set(textKey(text), text)
  return [...named.values()]
}

const allIn = ({ steps, workflows = {} }: Plan): readonly TextName[] => [
  ...steps.flatMap(textsIn),
  ...Object.values(workflows).flatMap(allIn),
]

/** The texts that a step names. */
export const textsIn = ({ actions = [] }: Pick<Step, 'actions'>): readonly TextName[] =>
  actions.flatMap((action): readonly TextName[] => {
    if (typeof action === 'string') return []
    const { block, name } = action
    return (block === 'convention' || block === 'resource') && isTextName(name) ? [{ kind: block, name }] : []
  })

/**
 * The files that may hold a text, best first. The folders are those of the skill, of the project (`.holdfast`), of the
 * user and of the package, in this order.
 */
export const textPlaces = ({ kind, name }: TextName, folders: readonly string[]): readonly string[] =>
  folders.map((folder) => `${folder}/${kind}s/${name}.md`)

/** A plan with the texts that its steps name; each of its workflows has its own, because it runs by itself. */
export function withTexts(plan: Plan, texts: Readonly<Record<string, string>>): Plan {
  const { workflows, ...own } = plan
  const named = textsNamed(own).flatMap((name) => {
    const text = texts[textKey(name)]
    return text === undefined ? [] : [[textKey(name), text] as const]
  })
  return {
    ...own,
    ...(named.length > 0 && { texts: Object.fromEntries(named) }),
    ...(workflows !== undefined && {
      workflows: Object.fromEntries(
        Object.entries(workflows).map(([name, below]) => [name, withTexts(below, texts)]),
      ),
    }),
  }
}
