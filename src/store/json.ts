/** Structured values are stored as JSON text, undefined as null. */
export const toJson = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)

export const fromJson = <T>(text: string | null, empty: T): T =>
  text === null ? empty : (JSON.parse(text) as T)
