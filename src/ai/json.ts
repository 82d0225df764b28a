/** A field of an answer; undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string | number, unknown>>)[name]
  }
  return found
}

export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A count of tokens; undefined if it is none. */
export const countAt = (value: unknown, ...path: readonly (string | number)[]): number | undefined => {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined
}

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string | undefined => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}
