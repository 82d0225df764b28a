import type { Wired } from '../../model/client.ts'
import { type Place, wiredAt } from './place.ts'

/** The wider scopes first, because what a narrower one says counts. */
export const WIDEST_FIRST = ['user', 'project', 'local'] as const

/** The names under which our plugin is enabled by these settings together. */
export function enabledPlugins(places: readonly Place[]): readonly string[] {
  const said = WIDEST_FIRST.flatMap((scope) => places.filter((place) => place.scope === scope)).map(pluginsAt)
  const together: Wired['plugins'] = Object.assign({}, ...said)
  return Object.keys(together).filter((name) => together[name] === true)
}

/** Of settings that cannot be read others tell. */
function pluginsAt(place: Place): Wired['plugins'] {
  try {
    return wiredAt(place).plugins
  } catch {
    return {}
  }
}

export const disableCommand = (name: string): string => `claude plugin disable ${name}`
