import { listed } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Tx } from '../../store/query.ts'
import { listSkills } from '../../store/skill.ts'

interface Beginning {
  /** With the skill where only one could be meant. */
  readonly command: string
  /** The skills to choose from, as a sentence; empty where nothing is to be chosen. */
  readonly choice: string
}

const ROOM = 200

/** How work begins in a folder, as far as that is known. */
export async function beginningOf(
  tx: Tx,
  { dir, project_id }: { readonly dir: string | undefined; readonly project_id: number | undefined },
): Promise<Beginning> {
  const start = `holdfast effort start ${dir === undefined ? 'DIR' : shellWord(dir)}`
  const skills = project_id === undefined ? [] : await listSkills(tx, { project_id })
  const [only, ...others] = skills.map(({ name }) => name)
  // What is on disk may not be stored yet, so that none here does not mean that there is none.
  if (only === undefined) return { command: `${start} SKILL`, choice: '' }
  if (others.length === 0) return { command: `${start} ${shellWord(only)}`, choice: '' }
  return { command: `${start} SKILL`, choice: ` SKILL is one of: ${listed([only, ...others], ROOM)}.` }
}
