import { valueAt } from '../json-text.ts'
import { fieldsOf, flagOf } from './fields.ts'

/** The name of our plugin in any marketplace. */
export const PLUGIN = 'holdfast'

/** Whether settings enable our plugin, by each name that it has there. */
export function readPlugins(text: string): Readonly<Record<string, boolean>> {
  const ours = Object.entries(fieldsOf(valueAt(text, ['enabledPlugins']))).flatMap(([name, value]) => {
    const isEnabled = name.startsWith(`${PLUGIN}@`) ? flagOf(value) : undefined
    return isEnabled === undefined ? [] : [[name, isEnabled] as const]
  })
  return Object.fromEntries(ours)
}
