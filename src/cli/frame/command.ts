import type { Arguments, Flags } from './args.ts'
import type { Io } from './io.ts'

/** One thing that `holdfast` can be told to do. */
export interface Command {
  /** The words that call it, such as `daemon start`. */
  readonly name: string
  readonly summary: string
  /** What follows the name, such as `METHOD [JSON]`. */
  readonly usage: string
  /** What each place of the usage is. */
  readonly places?: Readonly<Record<string, string>>
  readonly flags: Flags
  /** What other flags mean, for a command that takes flags which it cannot know. */
  readonly otherFlags?: string
  readonly examples?: readonly string[]
  /** Stands between an agent and its tools, so that whatever goes wrong its exit code is 0. */
  readonly isHarmless?: true
  /** Gives the exit code. */
  run(io: Io, given: Arguments): Promise<number>
}
