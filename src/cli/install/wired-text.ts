import type { Wired, Wiring } from '../../model/client-settings.ts'
import type { Io } from '../frame/io.ts'
import { findInstalled, originalOf } from './installed.ts'
import { about, type Place, placeOf, wiredAt } from './place.ts'
import { writeSettings } from './write-settings.ts'

/** What the user chose about the settings. */
export type Chosen = Pick<Wiring, 'failsClosed' | 'allowsHoldfast' | 'allowsSkills' | 'statusLine' | 'lock'>

/** The new settings. */
export function wiredText(place: Place, chosen: Chosen): string {
  const { client, file, home, scope } = place
  const known = findInstalled(home, { client: client.name, path: file.path })
  const locked = known?.lock && { lock: known.lock, original: originalOf(known)?.toString('utf8') ?? '' }
  return about(file, () =>
    client.settings.wire(file.text, {
      ...chosen,
      locked,
      scope,
      home: home.folder,
      launcher: home.launcher,
    }),
  )
}

/** Whether hooks that an older version wrote call by HTTP. */
export const callsByHttp = ({ ways }: Pick<Wired, 'ways'>): boolean =>
  ways.some(({ kind }) => kind === 'http')

/** The settings of the user, if their hooks use HTTP. */
export function byHttp(io: Io, { client, project }: Place): Place | undefined {
  const user = placeOf(io, { client: client.name, project }, 'user')
  return callsByHttp(wiredAt(user)) ? user : undefined
}

/** Rewrites the hooks of the user as commands, after a project was locked. */
export function useCommands(user: Place | undefined): void {
  if (user === undefined) return
  const { failsClosed, allowsHoldfast, allowsSkills = false, statusLine } = wiredAt(user)
  const chosen = { failsClosed, allowsHoldfast, allowsSkills, statusLine: statusLine?.isOurs === true }
  writeSettings(user, wiredText(user, chosen))
}
