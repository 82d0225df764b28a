import type { Effort } from '../../model/effort.ts'
import type { Tx } from '../../store/query.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { contentsNamed, type NamedContents } from '../skill/contents.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'

/** What the current phase of an effort names. */
export async function namedByEffort(tx: Tx, effort: Effort | undefined): Promise<readonly NamedContents[]> {
  const place = effort === undefined ? undefined : await placeOfEffort(tx, effort)
  if (effort === undefined || place === undefined) return []
  const skill = await skillOfEffort(tx, effort)
  return skill === undefined ? [] : [contentsNamed(skill, effort, place.root)]
}
