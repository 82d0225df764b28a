import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The skills and commands beside a checked folder, which its skills may refer to. */
export function namesBeside(root: string): readonly string[] {
  const above = dirname(root)
  const skills = entriesOf(above).filter((name) => existsSync(join(above, name, 'SKILL.md')))
  const commands = [above, dirname(above)].flatMap((folder) => entriesOf(join(folder, 'commands')))
  return [...skills, ...commands.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))]
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
