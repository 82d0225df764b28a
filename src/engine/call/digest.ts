/** The same parameters give the same digest, in whatever order they were written. */
export function digestOf(params: unknown): string {
  // Found at its first use, because it would be the slowest import of a daemon that starts.
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(sorted(params)))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
