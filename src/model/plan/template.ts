import type { Values } from './plan-for.ts'

const TEMPLATE = /\{\{\s*(?:state\.)?([A-Za-z_][\w-]*)\s*\}\}/g

/** The names that every workflow has: the folder of its task, and the number of its effort. */
export const OWN_VALUES = ['task', 'effort'] as const
export type OwnValue = (typeof OWN_VALUES)[number]

/** The names that a text takes values of, as `{{name}}` or `{{state.name}}`. */
export const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(TEMPLATE)].map(([, name = '']) => name)

/** A text with values in its templates; what a value says is never a template itself. */
export const fillTemplate = (text: string, values: Values): string =>
  text.replaceAll(TEMPLATE, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : written,
  )

/** The same in every text of a value, at every depth; the names of its fields stay. */
export const fillTemplates = <T>(value: T, values: Values): T => filled(value, values) as T

function filled(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fillTemplate(value, values)
  if (Array.isArray(value)) return value.map((part: unknown) => filled(part, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, values)]))
}

/** All texts, numbers and booleans in a value, in order. */
export function allTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  return Object.values(value ?? {}).flatMap(allTexts)
}
