import { hasControl } from './text/line.ts'

/** A worker's identity. It owns at most one active effort. */
export interface Agent {
  readonly id: string
  readonly label: string | null
  readonly claims: readonly string[]
  readonly effort_id: number | null
}

/** Whether an agent may be handed work of a skill; without claims it accepts every skill. */
export const accepts = ({ claims }: Pick<Agent, 'claims'>, skill: string): boolean =>
  claims.length === 0 || claims.includes(skill)

/** The variables that name the agent of a process, in order; the second is the name of older fleets. */
export const AGENT_VARIABLES = ['HOLDFAST_AGENT', 'FLEET_PANE'] as const

/** The HTTP headers that carry them, because a header cannot fall back to another variable. */
export const AGENT_HEADERS = ['Holdfast-Agent', 'Holdfast-Pane'] as const

/** The agent among the values of these variables; a value that cannot be a name must not fail a hook. */
export const agentAmong = (values: readonly (string | undefined)[]): string | undefined =>
  values.map((value) => value?.trim() ?? '').find(isName)

const LONGEST_NAME = 200

/** A client that does not resolve a variable sends its name. */
const isName = (value: string): boolean =>
  value !== '' && value.length <= LONGEST_NAME && !value.startsWith('$') && !hasControl(value)

/** The agent that the environment names. */
export const agentIn = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  agentAmong(AGENT_VARIABLES.map((name) => env[name]))
