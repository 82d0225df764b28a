import { valueAt } from '../json-text.ts'
import { fieldsOf, flagOf } from './fields.ts'

/** The name of our plugin, in whatever marketplace it lies. */
export const PLUGIN = 'holdfast'

/** What settings say of our plugin: under each name that it has there, whether it is enabled. */
export function readPlugins(text: string): Readonly<Record<string, boolean>> {
  const ours = Object.entries(fieldsOf(valueAt(text, ['enabledPlugins']))).flatMap(([name, value]) => {
    const isEnabled = name.startsWith(`${PLUGIN}@`) ? flagOf(value) : undefined
    return isEnabled === undefined ? [] : [[name, isEnabled] as const]
  })
  return Object.fromEntries(ours)
}
