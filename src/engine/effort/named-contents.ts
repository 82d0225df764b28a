import type { Effort } from '../../model/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toEntry } from '../../store/skill.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { contentsNamed, type NamedContents } from '../skill/contents.ts'

/** What the current phase of an effort names. */
export async function namedByEffort(tx: Tx, effort: Effort | undefined): Promise<readonly NamedContents[]> {
  const place = effort === undefined ? undefined : await placeOfEffort(tx, effort)
  if (effort === undefined || place === undefined) return []
  const skill = await findSkill(tx, { workplace_id: place.workplace_id, name: effort.skill })
  return skill === undefined ? [] : [contentsNamed(toEntry(skill), effort, place.root)]
}
