/** Fields of every event, as far as the client reports them. */
export interface EventOrigin {
  readonly client: string
  /** The client's event name. */
  readonly name?: string | undefined
  /** The client's session id. */
  readonly session?: string | undefined
  readonly cwd?: string | undefined
  readonly transcript?: string | undefined
  /** The client's id of the current prompt. */
  readonly promptId?: string | undefined
  /** Set inside a sub-agent or teammate, whose work is not the main thread's. */
  readonly subagent?: Subagent | undefined
  /** Our id of the agent that the client runs as, from its environment. */
  readonly agent?: string | undefined
  /** How the client asks its user for permission. */
  readonly permissionMode?: string | undefined
  /** The process of the client, if the caller says so. */
  readonly pid?: number | undefined
}

/** An event told by plain fields instead of a client's payload. */
export interface PlainEvent {
  readonly session: string
  readonly cwd?: string
  readonly prompt?: string
  readonly source?: string
  readonly tool?: {
    readonly name: string
    readonly id: string | undefined
    readonly input: object
    readonly result: unknown
  }
}

export interface Subagent {
  readonly id: string
  readonly type?: string | undefined
}

/** A file or folder that a tool works on, as an absolute path. */
export interface Touch {
  readonly path: string
  readonly how: 'read' | 'write' | 'list'
  /** Only what a search finds in it. */
  readonly part?: true
  /** What a write makes of it, if the call says so: the whole text, or texts to replace. */
  readonly makes?: string | readonly Replacement[] | undefined
}

/** A text of a file that a tool replaces by another. */
export interface Replacement {
  readonly from: string
  readonly to: string
  readonly isEverywhere: boolean
}

/** An item of the client's todo list. */
export interface Todo {
  readonly id?: string | undefined
  readonly text?: string | undefined
  readonly status?: string | undefined
}

/** What a tool does, in our terms; `other` does not concern the rules. */
export type ToolAction =
  | { readonly kind: 'files'; readonly touches: readonly Touch[] }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  | {
      readonly kind: 'agent'
      readonly type?: string | undefined
      readonly prompt: string
      /** As requested; the client may differ. */
      readonly background?: boolean | undefined
    }
  | {
      readonly kind: 'todos'
      readonly todos: readonly Todo[]
      /** Set if these are the whole list. */
      readonly isWhole?: boolean | undefined
    }
  | { readonly kind: 'other' }

export interface ToolCall {
  /** The client's call id; permission requests have none. */
  readonly id?: string | undefined
  /** The client's tool name. */
  readonly name: string
  readonly does: ToolAction
  /** Its input, as the client sent it: for the record, and for prompts of ours in it. */
  readonly input: unknown
}

export interface ToolOutcome extends ToolCall {
  /** Its result, as the client sent it. */
  readonly result: unknown
  /** The text of the result that the agent saw, cut if it is long; undefined if unknown. */
  readonly shown?: string | undefined
  /** Whether the work has ended; false in the background or if unknown. */
  readonly ended: boolean
  /** Set if it goes on in the background. */
  readonly goesOn?: true
  /** The sub-agent that the call started, and whether it is done or still running. */
  readonly subagent?:
    | { readonly id: string | undefined; readonly state: 'done' | 'running' | 'unknown' }
    | undefined
}

export const SESSION_SOURCES = ['startup', 'resume', 'compact', 'clear', 'fork'] as const

/** What happened, without its origin. */
export type Happening =
  | {
      readonly kind: 'session.started'
      /** Undefined if the source is unknown. */
      readonly source?: (typeof SESSION_SOURCES)[number] | undefined
      /** The client told of no start: its window was ended here, and its context is whole. */
      readonly isBack?: true
      readonly model?: string | undefined
      readonly contextTokens?: number | undefined
    }
  | { readonly kind: 'session.ended'; readonly reason?: string | undefined }
  | {
      readonly kind: 'prompt.submitted'
      readonly text: string
      /** Clients also submit prompts of their own, such as the end of a sub-agent. */
      readonly by: 'user' | 'client'
    }
  | {
      readonly kind: 'prompt.expanded'
      readonly command: string
      readonly args: string
      readonly text: string
      /** Set if a sub-agent carries out a call that the user typed. */
      readonly isTyped?: boolean
    }
  | { readonly kind: 'tool.before'; readonly tool: ToolCall }
  | { readonly kind: 'tool.after'; readonly tool: ToolOutcome }
  | {
      readonly kind: 'tool.failed'
      readonly tool: ToolCall
      readonly error: string
      readonly interrupted: boolean
    }
  | { readonly kind: 'tool.batch'; readonly tools: readonly ToolOutcome[] }
  | { readonly kind: 'permission.requested'; readonly tool: ToolCall }
  | { readonly kind: 'permission.denied'; readonly tool: ToolCall; readonly reason?: string | undefined }
  | { readonly kind: 'subagent.started' }
  | ({ readonly kind: 'subagent.stopped'; readonly subagentTranscript?: string | undefined } & Stopped)
  | ({ readonly kind: 'turn.stopped' } & Stopped)
  | { readonly kind: 'turn.failed'; readonly error: string; readonly lastMessage?: string | undefined }
  | { readonly kind: 'compact.before'; readonly trigger?: string | undefined }
  | {
      readonly kind: 'compact.after'
      readonly trigger?: string | undefined
      readonly summary?: string | undefined
    }
  | {
      readonly kind: 'context.measured'
      readonly percent?: number | undefined
      readonly tokens?: number | undefined
      readonly window?: number | undefined
    }
  | { readonly kind: 'notification'; readonly about?: string | undefined; readonly message: string }
  | { readonly kind: 'message.shown' }
  | {
      readonly kind: 'instructions.loaded'
      readonly path?: string | undefined
      readonly why?: string | undefined
    }
  | { readonly kind: 'todo.created'; readonly todo: Todo }
  | { readonly kind: 'todo.completed'; readonly todo: Todo }
  | { readonly kind: 'teammate.idle'; readonly teammate?: string | undefined }
  | {
      readonly kind: 'config.changed'
      readonly source?: string | undefined
      readonly path?: string | undefined
    }
  | { readonly kind: 'cwd.changed'; readonly from?: string | undefined; readonly to?: string | undefined }
  | { readonly kind: 'folder.added'; readonly path?: string | undefined }
  | {
      readonly kind: 'file.changed'
      readonly path?: string | undefined
      readonly change?: string | undefined
    }
  | { readonly kind: 'worktree.wanted'; readonly worktree?: string | undefined }
  | { readonly kind: 'worktree.removed'; readonly path?: string | undefined }
  | { readonly kind: 'model.switching'; readonly from?: string | undefined; readonly to?: string | undefined }
  | { readonly kind: 'model.switched'; readonly from?: string | undefined; readonly to?: string | undefined }
  | { readonly kind: 'question.asked'; readonly message: string }
  | { readonly kind: 'question.answered'; readonly answer?: string | undefined }
  | { readonly kind: 'setup'; readonly trigger?: string | undefined }
  /** Unknown events, and those that only concern the client. */
  | { readonly kind: 'other' }

interface Stopped {
  /** Whether this stop follows a refused one. */
  readonly again: boolean
  readonly lastMessage?: string | undefined
  /** Background tasks; the turn has ended but the work has not. */
  readonly running: number
}

/** A client event, in our terms. */
export type HookEvent = EventOrigin & Happening
