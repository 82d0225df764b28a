interface Said {
  /** What the agent should know from here on. */
  readonly contexts: readonly string[]
  /** What the user should see. */
  readonly notice?: string | undefined
}

/** What we tell a client about one of its events. A reason says what is missing and what to do about it. */
export type Decision = Said &
  ({ readonly kind: 'allow' } | { readonly kind: 'block'; readonly reason: string })
