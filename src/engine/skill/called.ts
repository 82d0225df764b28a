import type { Tx } from '../../store/query.ts'
import { findSkill, listSkills, toEntry } from '../../store/skill.ts'

/** A skill is called by its folder name, a plugin skill by the name in its file. */
export async function skillCalled(
  tx: Tx,
  { workplace_id, name }: { readonly workplace_id: number; readonly name: string },
) {
  const [plugin, own] = name.split(':')
  if (own !== undefined)
    for (const entry of (await listSkills(tx, { workplace_id })).map(toEntry))
      if (entry.name.startsWith(`${plugin}:`) && entry.details?.alias === own)
        return await findSkill(tx, { workplace_id, name: entry.name })
  return await findSkill(tx, { workplace_id, name })
}
