/** How long the lease of an item holds unless it is renewed, in seconds. */
export const USUAL_LEASE = 300
/** A worker process renews after a third of it. */
export const WORKER_LEASE = 60
export const LONGEST_LEASE = 86_400
