import { ownName, type SkillDetails } from '../../model/skill.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, listSkills, toEntry } from '../../store/skill.ts'

/** A skill as the names that call it need it. */
interface Named {
  readonly name: string
  readonly details: SkillDetails | null
}

/**
 * A skill is called by its folder name, a plugin skill by the name in its file too, and without its plugin if no other
 * skill has that name.
 */
export async function skillCalled(
  tx: Tx,
  { workplace_id, name }: { readonly workplace_id: number; readonly name: string },
) {
  const found = await findSkill(tx, { workplace_id, name })
  if (found !== undefined) return found
  const entries = (await listSkills(tx, { workplace_id })).map(toEntry)
  const meant = byNames(entries).get(name)
  return meant === undefined ? undefined : await findSkill(tx, { workplace_id, name: meant.name })
}

/** The skills of a workplace by every name that calls them. */
export async function callableSkills(
  tx: Tx,
  { workplace_id }: { readonly workplace_id: number },
): Promise<ReadonlyMap<string, SkillDetails | null>> {
  const entries = (await listSkills(tx, { workplace_id })).map(toEntry)
  return new Map([...byNames(entries)].map(([name, { details }]) => [name, details] as const))
}

function byNames(entries: readonly Named[]): ReadonlyMap<string, Named> {
  const full = entries.flatMap((one) => fullNames(one).map((name) => [name, one] as const))
  const short = Map.groupBy(
    entries.filter(({ name }) => name.includes(':')),
    ({ name }) => ownName(name),
  )
  const alone = [...short].flatMap(([name, [one, other]]) =>
    one === undefined || other !== undefined ? [] : [[name, one] as const],
  )
  return new Map([...alone, ...full])
}

const fullNames = ({ name, details }: Named): readonly string[] =>
  details?.alias !== undefined && name.includes(':')
    ? [name, `${name.slice(0, name.indexOf(':'))}:${details.alias}`]
    : [name]
