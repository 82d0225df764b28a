/** How long the lease of an item holds unless it is renewed, in seconds. */
export const USUAL_LEASE = 300
export const LONGEST_LEASE = 86_400
