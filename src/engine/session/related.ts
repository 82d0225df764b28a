import { type EarlierSession, type RelatedSession, sharing, type Touched } from '../../model/same-files.ts'
import { fromJson } from '../../store/json.ts'
import { askedIn } from '../../store/message.ts'
import { endedWithFiles } from '../../store/other-sessions.ts'
import type { Tx } from '../../store/query.ts'

/** Sessions further back are not looked for. */
const MOST_SINCE = 1000

/** Earlier sessions of a project about the files of a work, with what they were about. */
export async function relatedTo(
  tx: Tx,
  own: Touched,
  of: {
    readonly project_id: number
    readonly native_id: string
    readonly effort_id: number
    readonly before: number
  },
): Promise<readonly RelatedSession[]> {
  if (own.changed.length + own.read.length === 0) return []
  const rows = await endedWithFiles(tx, { ...of, after: of.before - MOST_SINCE })
  const byNative = Map.groupBy(rows, ({ native_id }) => native_id ?? '')
  const earlier = [...byNative].map(([native_id, windows]): EarlierSession => ({
    native_id,
    at: windows[0]?.at ?? '',
    changed: pathsOf(windows.flatMap(({ changed_files: now, left_files: left }) => [now, left])),
    read: pathsOf(windows.map(({ loaded_files: files }) => files)),
  }))
  const related: RelatedSession[] = []
  for (const one of sharing(own, earlier))
    related.push({ ...one, about: (await askedIn(tx, one))?.first ?? null })
  return related
}

const pathsOf = (texts: readonly (string | null)[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => fromJson<readonly string[]>(text, []))),
]
