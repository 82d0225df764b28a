/** The files that a session worked on. */
export interface Touched {
  readonly changed: readonly string[]
  readonly read: readonly string[]
}

/** An earlier session with its files. */
export interface EarlierSession extends Touched {
  readonly native_id: string
  /** Its last sign of life. */
  readonly at: string
}

/** An earlier session, with the files that this work has too. */
export interface RelatedSession extends EarlierSession {
  /** The first words of the user. */
  readonly about: string | null
}

const MOST_RELATED = 3
/** Among fewer sessions, a file that most of them touched may still be what they were about. */
const MANY = 4
const BOTH_CHANGED = 3

/**
 * The earlier sessions that changed files of this work, or read what it changed; those with most in common first. A
 * file that more than half of them touched relates two sessions only if both changed it.
 */
export function sharing(own: Touched, earlier: readonly EarlierSession[]): readonly EarlierSession[] {
  const changed = new Set(own.changed)
  const read = new Set(own.read)
  const isCommon = commonIn(earlier)
  return earlier
    .map((one) => {
      const both = one.changed.filter((path) => changed.has(path))
      const theirs = one.changed.filter((path) => !changed.has(path) && read.has(path) && !isCommon(path))
      const ours = one.read.filter(
        (path) => changed.has(path) && !one.changed.includes(path) && !isCommon(path),
      )
      const score = BOTH_CHANGED * both.length + theirs.length + ours.length
      return { score, session: { ...one, changed: [...both, ...theirs], read: ours } }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.session.at.localeCompare(a.session.at))
    .slice(0, MOST_RELATED)
    .map(({ session }) => session)
}

/** Tells whether more than half of the sessions touched a file. */
function commonIn(earlier: readonly EarlierSession[]): (path: string) => boolean {
  const counts = new Map<string, number>()
  for (const { changed, read } of earlier)
    for (const path of new Set([...changed, ...read])) counts.set(path, (counts.get(path) ?? 0) + 1)
  return (path) => earlier.length >= MANY && (counts.get(path) ?? 0) * 2 > earlier.length
}
