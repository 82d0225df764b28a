import type { SkillDetails } from '../../model/skill.ts'
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

/** The skills of a workplace by every name that calls them. */
export async function callableSkills(
  tx: Tx,
  { workplace_id }: { readonly workplace_id: number },
): Promise<ReadonlyMap<string, SkillDetails | null>> {
  const entries = (await listSkills(tx, { workplace_id })).map(toEntry)
  return new Map(
    entries.flatMap(({ name, details }) =>
      namesOf(name, details?.alias).map((one) => [one, details] as const),
    ),
  )
}

const namesOf = (name: string, alias: string | undefined): readonly string[] =>
  alias !== undefined && name.includes(':') ? [name, `${name.slice(0, name.indexOf(':'))}:${alias}`] : [name]
