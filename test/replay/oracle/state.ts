import type { Course } from '../course.ts'
import type { Folder, Half, Skill } from '../scene.ts'
import { Script } from '../script.ts'
import type { Trail } from '../trail.ts'

/** One skill at work, with all that its plan knows. */
export interface Effort {
  readonly ordinal: number
  readonly skill: Skill
  active: boolean
  /** Who began or continued it last, and keeps it while that session is open. */
  last?: Client
  /** The words of the call that began it. */
  readonly request: string
  readonly task: Task
  /** Set for step files. */
  trail: Trail | undefined
  /** What each session has seen of those that it read in part, by session and step. */
  readonly seen: Map<string, ReadonlySet<Half>>
  /** Set for phases. */
  course: Course | undefined
  /** The phase that it entered last. */
  phase: string | undefined
  /** The required todos that were on a list, and those that are done. */
  readonly listed: Set<string>
  readonly ticked: Set<string>
  /** What the user allowed and nobody used yet. */
  readonly approved: string[]
}

/** A folder of work, made for the words of a call. */
export interface Task {
  readonly words: string
}

/** A stretch of a client in which one skill is in charge. */
export interface Span {
  readonly number: number
  readonly skill: string
  readonly effort: Effort | undefined
  readonly parent: Span | undefined
  status: 'active' | 'suspended' | 'completed'
  readonly steps: string[]
}

/** One context window of a client. */
export interface Window {
  readonly follows: boolean
  readonly begun: number
  effort: Effort | undefined
  /** Undefined in the root of the project. */
  task: Task | undefined
  heard: number
  /** Tool calls since the last log entry. */
  calls: number
  /** Whether the agent was reminded since then. */
  isReminded: boolean
  usage: number
  told: number
  dehydratedAt: number
  /** The directives that the context has, and those that refused a write. */
  readonly directives: Map<Folder, 'told' | 'refused'>
}

/** Steps or a whole skill that one call delegated to a sub-agent that has not returned. */
export interface HandedOver {
  readonly call: string
  readonly skill: string
  readonly effort: Effort | undefined
  readonly steps: readonly string[]
  /** The halves that the prompt held. */
  readonly holds: readonly Half[]
  /** What each sub-agent has seen, by sub-agent and step. */
  readonly seen: Map<string, ReadonlySet<Half>>
  /** Set for a whole skill: the words of the call, and its prompt. */
  readonly fork?: { readonly words: string; readonly prompt: string }
  /** The sub-agent, once it is known. */
  agent: string | undefined
  /** The sub-agents that have stopped before. */
  readonly stopped: Set<string>
}

/** How thoroughly a skill works. */
export type Mode = 'full' | 'quick'

/** A client, or a sub-agent that has called a skill with a plan and works in a scope of its own. */
export interface Client {
  readonly name: string
  readonly project: Project
  /** The client of a sub-agent. */
  readonly parent: Client | undefined
  readonly spans: Span[]
  /** The open window; the last one is kept for a client that returns. */
  window: Window | undefined
  last: Window | undefined
  /** Tool calls that have started and not ended. */
  underWay: Set<string>
  readonly script: Script
  handedOver: HandedOver[]
}

/** What one project knows. */
export interface Project {
  isKnown: boolean
  /** How many spans were opened. */
  opened: number
  readonly efforts: Effort[]
  readonly clients: Client[]
}

/** Uses up one approval, if there is one. */
export function use(approved: string[], what: string): boolean {
  const at = approved.indexOf(what)
  if (at >= 0) approved.splice(at, 1)
  return at >= 0
}

/** Newest first. */
export const openSpans = ({ spans }: Client): readonly Span[] =>
  spans.filter(({ status }) => status !== 'completed').toReversed()

/** The answer to an event. */
export type Decision = 'allow' | 'block'

/** One event, and what it leads to. */
export interface Moment {
  readonly at: number
  /** The client's id of the current prompt. */
  readonly prompt: string
  readonly ledger: string[]
  readonly warnings: string[]
  /** Where the entries of the event itself begin, after those of a window that it opened. */
  begun: number
  /** Whether an existing effort was resumed. */
  takesUp: boolean
}

/** Adds entries to the ledger. */
export function say({ ledger }: Moment, ...entries: readonly string[]): void {
  ledger.push(...entries)
}

/** A refused call never begins. */
export function refuseCall(moment: Moment, { underWay }: Client, id: string, entry: string): 'block' {
  underWay.delete(id)
  say(moment, entry)
  return 'block'
}

/** A refused command changes nothing. */
export function refuse(moment: Moment, entry: string): 'block' {
  say(moment, entry)
  return 'block'
}

/** The client of a name, which is made when it is first heard of. */
export function clientIn(project: Project, name: string, parent?: Client): Client {
  const known = project.clients.find((one) => one.name === name)
  if (known !== undefined) return known
  const client: Client = {
    name,
    project,
    parent,
    spans: [],
    window: undefined,
    last: undefined,
    underWay: new Set(),
    script: new Script(),
    handedOver: [],
  }
  project.clients.push(client)
  return client
}
