import type { Diagnostic } from '../diagnostic.ts'
import type { Runbook } from './runbook.ts'

/** A runbook on disk, as far as it can be run. */
export interface RunbookReading {
  /** Undefined if there is none, or if it has errors. */
  readonly runbook: Runbook | undefined
  readonly errors: readonly Diagnostic[]
  /** Whether its compiled files are there and say what the runbook says now; known only if it was asked. */
  readonly compiled: 'current' | 'outdated' | 'missing' | 'unknown'
}

/** A runbook to read, by canonical paths. */
export interface RunbookPlace {
  readonly folder: string
  /** The root of its project. */
  readonly root: string
  /** Whether all compiled files are read too, which takes most of the time. */
  readonly asksCompiled: boolean
}

/** Reads a runbook as it is on disk. Must not throw for what a user wrote. */
export type ReadRunbook = (at: RunbookPlace) => Promise<RunbookReading>
