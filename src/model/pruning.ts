/** Younger sessions are never pruned, however large the database is. */
const LEAST_DAYS = 7

/** The ages to prune by, in days: the usual one, then less each time while the database is too large. */
export function pruningAges(days: number): readonly number[] {
  const half = Math.floor(days / 2)
  return half < LEAST_DAYS ? [days] : [days, ...pruningAges(half)]
}
