import { isChild } from './child.ts'
import type { LedgerEntry } from './ledger.ts'
import { osErrorOf } from './os-error.ts'
import { shellWord } from './shell/word.ts'
import { oneLine } from './text/line.ts'
import { startOn } from './task.ts'

/** Every error code, with its JSON-RPC number, CLI exit code and HTTP status. */
export const ERROR_CODES = {
  'parse-error': { rpc: -32700, exit: 65, http: 400, meaning: 'the message is not JSON' },
  'invalid-request': { rpc: -32600, exit: 65, http: 400, meaning: 'the JSON is not a request' },
  'unknown-method': { rpc: -32601, exit: 64, http: 404, meaning: 'no method or command has that name' },
  invalid: { rpc: -32602, exit: 64, http: 400, meaning: 'a parameter is missing or wrong' },
  internal: { rpc: -32603, exit: 70, http: 500, meaning: 'a bug in Holdfast; the log has the stack' },
  'not-found': { rpc: -32004, exit: 66, http: 404, meaning: 'the named object does not exist' },
  conflict: { rpc: -32009, exit: 1, http: 409, meaning: 'the state does not allow it' },
  refused: {
    rpc: -32010,
    exit: 1,
    http: 422,
    meaning: 'the plan does not allow it; the message says what to do',
  },
  forbidden: { rpc: -32003, exit: 77, http: 403, meaning: 'the caller may not access it' },
  'too-large': { rpc: -32013, exit: 65, http: 413, meaning: 'a size, depth or count is over its limit' },
  timeout: {
    rpc: -32008,
    exit: 75,
    http: 504,
    meaning: 'the deadline passed; it is safe to retry with the same key',
  },
  unavailable: { rpc: -32005, exit: 69, http: 503, meaning: 'the daemon or its database cannot be reached' },
  'storage-full': { rpc: -32011, exit: 74, http: 507, meaning: 'the disk is full; nothing changed' },
  'newer-database': {
    rpc: -32012,
    exit: 78,
    http: 500,
    meaning: 'a newer version wrote the database',
  },
  'not-configured': {
    rpc: -32014,
    exit: 78,
    http: 409,
    meaning: 'the config names no model for it, or turns it off; nothing was sent',
  },
} as const

export type ErrorCode = keyof typeof ERROR_CODES

interface ErrorDetails extends ErrorOptions {
  /** The next action, ideally the command that succeeds. */
  readonly hint?: string
  /** The parameter at fault. */
  readonly field?: string
  /** A ledger entry to keep although the transaction rolls back (INV_NOTHING_SILENT). */
  readonly record?: LedgerEntry
}

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly field: string | undefined
  readonly record: LedgerEntry | undefined

  /** Compares names, because the package contains this class twice: for commands and for the daemon. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Error[Symbol.hasInstance](value) && (value as Error).name === 'EngineError'
  }

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.hint = details.hint
    this.field = details.field
    this.record = details.record
  }
}

/** An error as JSON-RPC sends it. */
export interface WireError {
  readonly code: number
  readonly message: string
  readonly data: { readonly code: ErrorCode; readonly hint?: string; readonly field?: string }
}

/** An error that a caller can act on: one of ours, or a failure of the machine; undefined for a bug. */
export function knownError(error: unknown): EngineError | undefined {
  if (error instanceof EngineError) return error
  const found = osErrorOf(error)
  // Other errors of the operating system are explained where the path has a meaning.
  if (found?.code !== 'unavailable' && found?.code !== 'storage-full') return undefined
  const { path } = error as NodeJS.ErrnoException
  return new EngineError(found.code, `${path ?? 'A file'} ${found.is}.`, {
    cause: error,
    ...(found.hint !== undefined && { hint: found.hint }),
  })
}

export function toWire(error: unknown): WireError {
  const known =
    knownError(error) ??
    new EngineError(
      'internal',
      `Bug in Holdfast: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'holdfast doctor',
      },
    )
  const { code, message, hint, field } = known
  return {
    code: ERROR_CODES[code].rpc,
    message,
    data: { code, ...(hint !== undefined && { hint }), ...(field !== undefined && { field }) },
  }
}

/** Only the caller knows which folder around a path is the project root. */
export const projectNotFound = (path: string, root = '.') =>
  new EngineError('not-found', `${oneLine(path)} is not inside a registered project.`, {
    hint: `holdfast project upsert ${shellWord(root)}`,
  })

export const projectIdNotFound = (id: number) =>
  new EngineError('not-found', `Project ${id} does not exist.`, {
    field: 'project_id',
    hint: 'holdfast project list',
  })

export const taskNotFound = (path: string, hint = `holdfast task upsert ${shellWord(path)}`) =>
  new EngineError('not-found', `Task ${path} does not exist.`, {
    field: 'task_id',
    hint,
  })

export const effortNotFound = (id: number) =>
  new EngineError('not-found', `Effort ${id} does not exist.`, {
    field: 'effort_id',
    hint: 'holdfast effort find-active',
  })

export const effortFinished = (id: number, skill: string, task: string) =>
  isChild({ skill })
    ? new EngineError(
        'conflict',
        `Effort ${id} (${skill}) is finished. Return to the agent that started you.`,
        {
          field: 'effort_id',
          hint: `holdfast step --effort ${id}`,
        },
      )
    : new EngineError(
        'conflict',
        `Effort ${id} (${skill}) is finished. Begin it anew only if the user asks.`,
        {
          field: 'effort_id',
          hint: startOn(task, skill),
        },
      )

export const adHocEffort = (id: number, verb: string, task: string) =>
  new EngineError('conflict', `Effort ${id} is the ad-hoc effort of its task and cannot be ${verb}.`, {
    field: 'effort_id',
    hint: startOn(task),
  })

export const sessionNotFound = (id: number) =>
  new EngineError('not-found', `Session ${id} does not exist.`, {
    field: 'session_id',
    hint: 'holdfast session find',
  })

export const sessionEnded = (id: number, task: string) =>
  new EngineError('conflict', `Session ${id} has ended.`, {
    field: 'session_id',
    hint: `holdfast session start ${shellWord(task)} --prev-session ${id}`,
  })

export const agentNotFound = (id: string) =>
  new EngineError('not-found', `Agent ${id} is not registered.`, {
    field: 'agent_id',
    hint: `holdfast agent register ${shellWord(id)}`,
  })

export const deadlinePassed = () =>
  new EngineError('timeout', 'The deadline passed before the call started; nothing changed.')

export const keyReused = (key: string, method: string) =>
  new EngineError('conflict', `The idempotency key ${key} was already used for another call of ${method}.`, {
    field: 'idempotency_key',
    hint: 'Use a new key for a new call. Reuse a key only to repeat the same call.',
  })

/** The state changed between the read and the transaction. */
export const changedMeanwhile = () =>
  new EngineError('conflict', 'The state changed during the call; nothing was done.', {
    hint: 'Repeat the call.',
  })
