import type { Wiring } from '../../model/client-settings.ts'
import type { Io } from '../frame/io.ts'
import { allInstalled, findInstalled, originalOf } from './installed.ts'
import { about, type Place, placeOf, wiredAt } from './place.ts'
import { writeSettings } from './write-settings.ts'

/** What the user chose about the settings. */
export type Chosen = Pick<Wiring, 'failsClosed' | 'allowsHoldfast' | 'statusLine' | 'lock'>

interface Keys {
  readonly port?: number
  readonly hook?: string
}

/** The new settings; before the first daemon, port and token are placeholders. */
export function wiredText(place: Place, chosen: Chosen, keys: Keys): string {
  const { client, file, home, scope } = place
  const known = findInstalled(home, { client: client.name, path: file.path })
  const locked = known?.lock && { lock: known.lock, original: originalOf(known)?.toString('utf8') ?? '' }
  return about(file, () =>
    client.settings.wire(file.text, {
      ...chosen,
      locked,
      // They also count in each locked project.
      byCommands: scope === 'user' && allInstalled(home).some(({ lock }) => lock !== undefined),
      scope,
      port: keys.port ?? 'PORT',
      token: keys.hook ?? 'TOKEN',
      home: home.folder,
      launcher: home.launcher,
    }),
  )
}

/** The settings of the user, if their hooks use HTTP. */
export function byHttp(io: Io, { client, project }: Place): Place | undefined {
  const user = placeOf(io, { client: client.name, project }, 'user')
  return wiredAt(user).ways.some(({ kind }) => kind === 'http') ? user : undefined
}

/** Rewrites the hooks of the user as commands, after a project was locked. */
export function useCommands(user: Place | undefined, keys: Keys): void {
  if (user === undefined) return
  const { failsClosed, allowsHoldfast, statusLine } = wiredAt(user)
  const chosen = { failsClosed, allowsHoldfast, statusLine: statusLine?.isOurs === true }
  writeSettings(user, wiredText(user, chosen, keys))
}
