/** Waits for work at most this long; undefined if it takes longer, and the work goes on by itself. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), milliseconds)
  // Nobody waits for a failure that comes late.
  work.catch(() => undefined)
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
