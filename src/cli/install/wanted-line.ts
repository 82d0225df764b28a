import type { Wired } from '../../model/client-settings.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { type Place, placesOf, wiredAt } from './place.ts'

type Line = NonNullable<Wired['statusLine']>

interface Found {
  readonly place: Place
  readonly line: Line
}

/** The client shows the status line of the narrowest scope. */
const NARROWEST_FIRST = ['local', 'project', 'user'] as const

/** The status lines of a project, the visible one first. */
function linesIn(io: Io, { client, project }: Place): readonly Found[] {
  const places = placesOf(io, { project, client: client.name })
  return NARROWEST_FIRST.flatMap((scope) => places.filter((place) => place.scope === scope)).flatMap(
    (place) => {
      const line = lineAt(place)
      return line === undefined ? [] : [{ place, line }]
    },
  )
}

/** Unreadable settings are reported elsewhere. */
function lineAt(place: Place): Line | undefined {
  try {
    return wiredAt(place).statusLine
  } catch {
    return undefined
  }
}

/** A status line in other settings that a new one would hide. */
export const hiddenLine = (io: Io, here: Place): Found | undefined =>
  linesIn(io, here).find(
    ({ place, line }) => !line.isOurs && place.file.path !== here.file.path && isWider(place, here.scope),
  )

const isWider = (place: Place, scope: Place['scope']): boolean =>
  NARROWEST_FIRST.indexOf(place.scope) > NARROWEST_FIRST.indexOf(scope)

/** Whether `init` installs a status line; a shared file gets none, because it is personal. */
export function wantsLine(io: Io, { values, switches }: Arguments, place: Place): boolean {
  if (place.client.statusLine === undefined && switches.has('status_line'))
    throw usage(`${place.client.name} has no status line.`, 'holdfast init --help')
  const isDrawn = place.client.statusLine !== undefined && place.scope !== 'project'
  if (!isDrawn || values['status_line'] === 'false') return false
  const { ways, statusLine } = wiredAt(place)
  if (switches.has('status_line') || statusLine?.isOurs === true) return true
  // Hooks without a status line mean that the user declined it before.
  return ways.length === 0 && hiddenLine(io, place) === undefined
}
