import type { TouchedDirective } from './directive.ts'
import type { OurWords } from './door.ts'
import type { HookEvent } from './event.ts'
import type { Invocation } from './invocation.ts'
import type { SeenRun } from './plan/evidence.ts'
import type { PhaseCall } from './shell/phase-call.ts'

/** What a command may read without naming it. */
export interface UnsureRead {
  readonly why: UnsureWhy
  readonly command: string
  /** Files that it gives to programs, or names beyond a limit, by real path. */
  readonly named: readonly string[]
  /** Files that it only mentions or takes along, by real path or as patterns. */
  readonly mentioned: readonly string[]
}

/** Why: a name of run time, a limit, a program that opens files, a copy of many files, the folder of a process. */
export type UnsureWhy = 'variable' | 'limit' | 'program' | 'copy' | 'process'

/** A path that is written and its folder, or itself if it is one. */
export interface Written {
  readonly path: string
  readonly folder: string
}

/** The phase call of a shell command; undefined if it cannot be parsed. */
export interface PhaseMention {
  readonly call: PhaseCall | undefined
}

/** What only the user may do, as far as a call shows it. */
export interface Doors {
  /** Calls of our program that loosen the rules. */
  readonly calls: readonly OurWords[]
  /** Files that hold the rules, which it changes or whose secrets it reads. */
  readonly files: readonly string[]
}

/** What an event concerns, from the event and the disk. */
export interface Subject {
  readonly event: HookEvent
  readonly invocations: readonly Invocation[]
  /** Files that it reads, by real path; the last part may be a pattern. */
  readonly reads: readonly string[]
  readonly unsure?: UnsureRead | undefined
  /** Folders that a command searches. */
  readonly looked?: readonly string[] | undefined
  /** What it writes; for a file tool only if a plan may gate it. */
  readonly writes?: readonly Written[] | undefined
  /** A command that writes files that its text does not name. */
  readonly unsureWrite?: string | undefined
  /** Plan commands that ended in this event. */
  readonly seen: readonly SeenRun[]
  readonly phase?: PhaseMention | undefined
  /** Set if it opens a door. */
  readonly doors?: Doors | undefined
  /** Set if changed settings of the client call us no more. */
  readonly hooksGone?: true | undefined
  /** Directives in force that the client does not load itself, nearest first. */
  readonly directives: readonly TouchedDirective[]
}
