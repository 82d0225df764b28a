import type { Wired } from '../../model/client-settings.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { type Place, placesOf, wiredAt } from './place.ts'

type Line = NonNullable<Wired['statusLine']>

interface Found {
  readonly place: Place
  readonly line: Line
}

/** Of several status lines the client draws the one of the narrowest scope. */
const NARROWEST_FIRST = ['local', 'project', 'user'] as const

/** The status lines that are set for a project, the one that is drawn first. */
function linesIn(io: Io, { client, project }: Place): readonly Found[] {
  const places = placesOf(io, { project, client: client.name })
  return NARROWEST_FIRST.flatMap((scope) => places.filter((place) => place.scope === scope)).flatMap(
    (place) => {
      const line = lineAt(place)
      return line === undefined ? [] : [{ place, line }]
    },
  )
}

/** Of settings that cannot be read others tell. */
function lineAt(place: Place): Line | undefined {
  try {
    return wiredAt(place).statusLine
  } catch {
    return undefined
  }
}

/** A status line that stands elsewhere and that one here would hide. */
export const hiddenLine = (io: Io, here: Place): Found | undefined =>
  linesIn(io, here).find(
    ({ place, line }) => !line.isOurs && place.file.path !== here.file.path && isWider(place, here.scope),
  )

const isWider = (place: Place, scope: Place['scope']): boolean =>
  NARROWEST_FIRST.indexOf(place.scope) > NARROWEST_FIRST.indexOf(scope)

/** Whether `init` puts one in. A shared file is no place for what only one user wants to see. */
export function wantsLine(io: Io, { values, switches }: Arguments, place: Place): boolean {
  if (place.client.statusLine === undefined && switches.has('status_line'))
    throw usage(`${place.client.name} draws no status line.`, 'holdfast init --help')
  const isDrawn = place.client.statusLine !== undefined && place.scope !== 'project'
  if (!isDrawn || values['status_line'] === 'false') return false
  const { ways, statusLine } = wiredAt(place)
  if (switches.has('status_line') || statusLine?.isOurs === true) return true
  // Whoever has hooks of ours and no such line has said no before.
  return ways.length === 0 && hiddenLine(io, place) === undefined
}
