import type { Arguments, Flags } from './args.ts'
import type { Io } from './io.ts'

/** A command of `holdfast`. */
export interface Command {
  /** Its words, such as `daemon start`. */
  readonly name: string
  readonly summary: string
  /** Its arguments, such as `METHOD [JSON]`. */
  readonly usage: string
  /** The meaning of each argument. */
  readonly places?: Readonly<Record<string, string>>
  readonly flags: Flags
  /** The meaning of undeclared flags, if the command accepts them. */
  readonly otherFlags?: string
  readonly examples?: readonly string[]
  /** Always exits with 0, because it runs between an agent and its tools. */
  readonly isHarmless?: true
  /** Returns the exit code. */
  run(io: Io, given: Arguments): Promise<number>
}
