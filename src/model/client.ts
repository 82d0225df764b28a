import type { ClientFolders, ClientPlugins, ClientSandbox, Environment } from './client-files.ts'
import type { Settings } from './client-settings.ts'
import type { Decision } from './decision.ts'
import type { HookEvent, PlainEvent } from './event.ts'
import type { Routes } from './coverage.ts'
import type { ClientHistory } from './history.ts'
import type { ContextMeasure } from './session.ts'
import type { NewMessage } from './transcript.ts'

/** What a client does with an answer to one of its events. */
export interface Honours {
  readonly kind: HookEvent['kind']
  /** The effect of a block; undefined if the event cannot be refused. */
  readonly block?: string | undefined
  /** The decisions whose contexts reach the agent. */
  readonly context: readonly Decision['kind'][]
  /** The decisions whose notice reaches the user. */
  readonly notice: readonly Decision['kind'][]
}

/** A test event that shows whether hooks arrive and are obeyed. */
export interface Canary {
  readonly event: string
  readonly payload: object
  /** The expected reply. */
  readonly wants: 'refusal' | 'context' | 'nothing'
}

/** How a client would read a reply. */
export type Heard = Canary['wants'] | 'unreadable'

/** The content of a part of a client's transcript. */
export interface TranscriptTail {
  readonly messages: readonly NewMessage[]
  /** The last context usage, if reported. */
  readonly usage?: ContextMeasure | undefined
}

/** The protocol of a client. Both directions are pure and never throw. */
export interface Protocol {
  /** Its events by its own names. */
  readonly events: ReadonlyMap<string, Honours>
  decode(payload: unknown): HookEvent
  /** The payload, marked as one of this kind; unchanged if the client has no such event. */
  named(payload: unknown, kind: HookEvent['kind']): unknown
  /** The payload that the client would send for an event told by plain fields; `named` gives it its kind. */
  payload(event: PlainEvent): object
  /** The reply body, or undefined if empty. Leaves out fields that the client would misread. */
  encode(decision: Decision, event: HookEvent): unknown
}

/** The sessions of a client. */
export interface Sessions {
  /** Parses whole lines of its transcript. */
  transcript(text: string): TranscriptTail
  /** The session id from the environment of a command. */
  sessionIn(env: Environment): string | undefined
  /** The command that reopens a session. */
  resume(session: string): string
}

/** Test events for the hooks of a client. */
export interface Trials {
  /** One per hooked event, and more if an event has several routes. */
  canaries(session: string): readonly Canary[]
  heard(reply: string, event: string): Heard
}

/** A call of a tool, as the client names it. */
export interface ToolUse {
  readonly name: string
  readonly input: object
}

/** How a scripted agent works as this client. Pure. */
export interface Hand {
  /** Reads the lines of a file from one on, up to another. */
  readonly read: (file: string, from: number, to: number) => ToolUse
  /** What the client answers to a reading. */
  readonly shown: (file: string, content: string, from: number) => unknown
  readonly write: (file: string, content: string) => ToolUse
  readonly shell: (command: string) => ToolUse
  readonly todos: (items: readonly string[]) => ToolUse
  /** Calls a skill. */
  readonly call: (skill: string, args: string) => ToolUse
  /** Gives work to a sub-agent. */
  readonly give: (prompt: string) => ToolUse
  /** What the client answers when that sub-agent has succeeded. */
  readonly given: (agent: string) => unknown
  /** The fields of an event of a sub-agent. */
  readonly inside: (agent: string) => object
  /** The fields of a call that failed. */
  readonly failed: object
  /** The variables of a shell in a session. */
  readonly environment: (session: string) => Environment
  /** What the agent reads in a reply. */
  readonly heard: (reply: unknown) => { readonly refusal: string | undefined; readonly context: string }
}

/** An agent program with hooks. All code that depends on it is behind this interface. */
export interface Client extends Protocol, Sessions, Trials {
  /** What users and URLs call it; its folder in src/clients has the same name. */
  readonly name: string
  readonly folders: ClientFolders
  /** The prefix of its environment variables. */
  readonly variables: string
  /** Instruction files that it loads itself; `otherwise` at the root if it has none of `names`. */
  readonly instructions: { readonly names: readonly string[]; readonly otherwise: readonly string[] }
  readonly settings: Settings
  /** Set if it runs commands in the text of a skill while it loads it: those commands, with what the text stands for. */
  readonly loadedCommands?: (
    text: string,
    at: { readonly args: string; readonly folder: string },
  ) => readonly string[]
  readonly routes: Routes
  readonly plugins?: ClientPlugins
  /** Set if the client can run shells in a sandbox, which the level `locked` needs. */
  readonly sandbox?: ClientSandbox
  /** Set if the client draws a status line: what it passes to the command, for a session and its folder. */
  readonly statusLine?: (session: string, cwd: string) => object
  /** Set if a scripted agent can work as this client. */
  readonly hand?: Hand
  /** Set if it keeps transcripts of earlier sessions. */
  readonly history?: ClientHistory
}

/** The known clients by name, in list order. */
export type Clients = ReadonlyMap<string, Client>

/** The client that a caller names; the first of the list if it names none. */
export const clientMeant = (clients: Clients, name: string | undefined): Client | undefined =>
  name === undefined ? clients.values().next().value : clients.get(name)
