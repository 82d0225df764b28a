import type { Place } from '../../../model/diagnostic.ts'
import type { SourceText } from '../../text/text.ts'

/** Where the parts of a module are written; a part that cannot be found is at the first export. */
export interface Places {
  readonly top: Place
  /** The place of a workflow by its name. */
  workflow(name: unknown): Place
  /** The place of a declared value. */
  field(name: string, from: Place): Place
  /** The next place of a step below a line, so that a duplicate points to its own line. */
  step(id: unknown, from: Place): Place
}

const ID = /\bid['"]?\s*:\s*(['"`])([^'"`]{1,200})\1/g
const FIELD = /\b([A-Za-z_][\w-]{0,63})(['"`]?)\s*:\s*param\b/g
const WORKFLOW = /\bworkflow\(\s*(['"`])([^'"`]{1,200})\1/g

/** Finds parts by their names, because the exported data do not say where they were written. */
export function placesIn(source: SourceText): Places {
  const top = exportPlace(source)
  const ids = placesOf(source, ID)
  const workflows = placesOf(source, WORKFLOW)
  const fields = placesOf(source, FIELD, 1)
  const used = new Set<Place>()
  return {
    top,
    workflow: (name) => workflows.get(name)?.[0] ?? top,
    field(name, from) {
      const places = fields.get(name) ?? []
      return places.find(({ line }) => line >= from.line) ?? places[0] ?? from
    },
    step(id, from) {
      // The second step of a gate has no id of its own in the text.
      const own = ids.get(id)
      const places = own ?? (typeof id === 'string' ? ids.get(id.replace(/-gate$/, '')) : undefined) ?? []
      const unused = own === undefined ? places : places.filter((place) => !used.has(place))
      const place = unused.find(({ line }) => line >= from.line) ?? unused[0] ?? places.at(-1) ?? top
      if (own !== undefined) used.add(place)
      return place
    },
  }
}

/** The place of the first export. */
export function exportPlace({ file, lines }: SourceText): Place {
  return { file, line: lines.findIndex((line) => /^\s*export\b/.test(line)) + 1 || 1, column: 1 }
}

/** The places of each name that a group of the pattern matches. */
function placesOf(
  { file, lines }: SourceText,
  pattern: RegExp,
  group = 2,
): ReadonlyMap<unknown, readonly Place[]> {
  const named = lines.flatMap((text, index) =>
    [...text.matchAll(pattern)].map((found) => ({
      name: found[group],
      place: { file, line: index + 1, column: found.index + 1 },
    })),
  )
  return new Map(
    [...Map.groupBy(named, ({ name }) => name)].map(([name, rows]) => [name, rows.map(({ place }) => place)]),
  )
}
