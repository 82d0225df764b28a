/** What every event tells, as far as the client told it. */
export interface EventOrigin {
  readonly client: string
  /** The client's own name of the event. */
  readonly name?: string | undefined
  /** The client's own id of the session. */
  readonly session?: string | undefined
  readonly cwd?: string | undefined
  readonly transcript?: string | undefined
  /** The client's id of the prompt that is being worked on. */
  readonly promptId?: string | undefined
  /** Only inside a sub-agent or teammate: what it does is not the main thread's. */
  readonly subagent?: Subagent | undefined
  /** What the client asks its user about before it does it. */
  readonly permissionMode?: string | undefined
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
}

/** An item of the client's own list of things to do. */
export interface Todo {
  readonly id?: string | undefined
  readonly text?: string | undefined
  readonly status?: string | undefined
}

/** What a tool does, in our words; `other` is what is none of our business. */
export type ToolAction =
  | { readonly kind: 'files'; readonly touches: readonly Touch[] }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  | {
      readonly kind: 'agent'
      readonly type?: string | undefined
      readonly prompt: string
      /** As it was asked for; the client may do otherwise. */
      readonly background?: boolean | undefined
    }
  | {
      readonly kind: 'todos'
      readonly todos: readonly Todo[]
      /** Whether these are all that there will be on the list. */
      readonly isWhole?: boolean | undefined
    }
  | { readonly kind: 'other' }

export interface ToolCall {
  /** The client's id of this use of the tool; a request for permission has none. */
  readonly id?: string | undefined
  /** The client's name of the tool. */
  readonly name: string
  readonly does: ToolAction
  /** What is kept of its input: cut, for the record and not for judging. */
  readonly input: unknown
}

export interface ToolOutcome extends ToolCall {
  /** What is kept of its result. */
  readonly result: unknown
  /** Whether what it began has come to its end; not so in the background, or where nobody can tell. */
  readonly ended: boolean
  /** Of a call that has begun a sub-agent: which one, and whether it has come back or goes on in the background. */
  readonly subagent?:
    | { readonly id: string | undefined; readonly state: 'done' | 'running' | 'unknown' }
    | undefined
}

export const SESSION_SOURCES = ['startup', 'resume', 'compact', 'clear', 'fork'] as const

/** What happened, without who told it. */
export type Happening =
  | {
      readonly kind: 'session.started'
      /** Nothing where the client names a source that we do not know. */
      readonly source?: (typeof SESSION_SOURCES)[number] | undefined
      readonly model?: string | undefined
      readonly contextTokens?: number | undefined
    }
  | { readonly kind: 'session.ended'; readonly reason?: string | undefined }
  | {
      readonly kind: 'prompt.submitted'
      readonly text: string
      /** A client also submits prompts of its own, such as the news that a sub-agent has finished. */
      readonly by: 'user' | 'client'
    }
  | {
      readonly kind: 'prompt.expanded'
      readonly command: string
      readonly args: string
      readonly text: string
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
  /** What we do not know, or what is the client's own affair. */
  | { readonly kind: 'other' }

interface Stopped {
  /** Whether this stop follows one that we refused. */
  readonly again: boolean
  readonly lastMessage?: string | undefined
  /** What goes on in the background: with it, a turn is over and the work is not. */
  readonly running: number
}

/** What a client told us, in our words and not in the client's. */
export type HookEvent = EventOrigin & Happening
