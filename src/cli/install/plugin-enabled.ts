import { WIDEST_FIRST } from '../../model/client-settings.ts'
import { type Place, wiredAt } from './place.ts'

/** The names of our plugin that these settings enable. */
export function enabledPlugins(places: readonly Place[]): readonly string[] {
  const said = WIDEST_FIRST.flatMap((scope) => places.filter((place) => place.scope === scope)).map(pluginsAt)
  const together: Readonly<Record<string, boolean>> = Object.assign({}, ...said)
  return Object.keys(together).filter((name) => together[name] === true)
}

/** Unreadable settings are reported elsewhere. */
function pluginsAt(place: Place): Readonly<Record<string, boolean>> {
  try {
    return wiredAt(place).plugins ?? {}
  } catch {
    return {}
  }
}
