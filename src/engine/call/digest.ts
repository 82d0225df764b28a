/** Equal parameters have equal digests, in any key order. */
export function digestOf(params: unknown): string {
  // Loaded on first use, because it would be the slowest import at startup.
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

/** A secret for the result of a run, which only its holder can report, and only once. */
export const newToken = (): string =>
  process.getBuiltinModule('node:crypto').randomBytes(24).toString('base64url')
