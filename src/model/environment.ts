/** The environment in which a session began: the search path, and digests instead of values, which may be secret. */
export interface SessionEnvironment {
  /** Makes the digests of this record different from those of others. */
  readonly salt: string
  readonly path: string
  readonly home: string
  /** The digest of each value, by the name of its variable. */
  readonly variables: Readonly<Record<string, string>>
  /** The processes of the client that ran the session, as far as the system shows them. */
  readonly clients?: readonly string[]
  /** Those that also sent a later prompt; a short-lived process around the hook is none. */
  readonly lasting?: readonly string[]
}

/** A process around a caller, nearest first. */
export interface CallerProcess {
  /** Its number and its start, such as `4711:123456`. */
  readonly id: string
  /** When it began, in milliseconds. */
  readonly began: number
  /** The session that its environment names. */
  readonly session?: string
}

/** The environment that a command of a proof ran in. */
export interface ProofEnvironment {
  readonly path: string
  /** Variables of the caller that the session did not begin with. */
  readonly unused: readonly string[]
}
