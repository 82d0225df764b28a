import type { Diagnostic } from '../diagnostic.ts'
import type { Runbook } from './runbook.ts'

/** A runbook on disk, as far as it can be run. */
export interface RunbookReading {
  /** Undefined if there is none, or if it has errors. */
  readonly runbook: Runbook | undefined
  readonly errors: readonly Diagnostic[]
  /** Whether its compiled files are there and say what the runbook says now. */
  readonly compiled: 'current' | 'outdated' | 'missing'
}

/** Reads the runbook of a folder, both canonical; the root is that of its project. Must not throw for what a user wrote. */
export type ReadRunbook = (at: { readonly folder: string; readonly root: string }) => Promise<RunbookReading>
