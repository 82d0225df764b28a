/** Known names that a misspelled one may mean, nearest first. */
export function nearest(name: string, known: readonly string[], limit = 3): readonly string[] {
  const wanted = name.toLowerCase()
  const reach = (candidate: string) => Math.max(2, Math.floor(candidate.length / 3))
  return known
    .filter((candidate) => Math.abs(candidate.length - wanted.length) <= reach(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= reach(candidate))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substituted))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
