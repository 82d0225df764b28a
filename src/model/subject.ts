import type { TouchedDirective } from './directive.ts'
import type { HookEvent } from './event.ts'
import type { Invocation } from './invocation.ts'
import type { SeenRun } from './plan/evidence.ts'
import type { PhaseCall } from './shell/phase-call.ts'

/** What a command may read besides what it surely reads. */
export interface UnsureRead {
  /** A name that only running the command would tell, or a program that opens files by itself. */
  readonly why: 'variable' | 'program'
  readonly command: string
  /** The files that its text names, by their real paths. */
  readonly named: readonly string[]
}

/** A path that a command writes, and the folder that it lies in, or itself where it is one. */
export interface Written {
  readonly path: string
  readonly folder: string
}

/** What a shell command has to do with phases; the call is undefined where it cannot be read. */
export interface PhaseMention {
  readonly call: PhaseCall | undefined
}

/** What an event is about, as far as the event itself and the disk tell. */
export interface Subject {
  readonly event: HookEvent
  readonly invocations: readonly Invocation[]
  /** Files that it reads, by their real paths; the last part may be a pattern. */
  readonly reads: readonly string[]
  readonly unsure?: UnsureRead | undefined
  /** The folders that a command looks into, whatever it reads there. */
  readonly looked?: readonly string[] | undefined
  readonly writes?: readonly Written[] | undefined
  /** A command that writes something that its text does not name. */
  readonly unsureWrite?: string | undefined
  /** Commands of the plan that it saw to their end. */
  readonly seen: readonly SeenRun[]
  readonly phase?: PhaseMention | undefined
  /** Directives in force where it works, nearest first, that the client does not load itself. */
  readonly directives: readonly TouchedDirective[]
}
