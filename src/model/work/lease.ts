/** How long the lease of an item holds unless it is renewed, in seconds; a worker renews it after a third. */
export const USUAL_LEASE = 300
export const WORKER_LEASE = 60
export const LONGEST_LEASE = 86_400
