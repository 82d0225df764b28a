/** The clock of this machine. */
export const clock = { now: Date.now }
