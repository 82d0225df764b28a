import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagedSkill } from '../src/files/overlays.ts'

const FOLDER = join(import.meta.dirname, '..', 'contents', 'overlays')

/** An overlay of the package. */
export interface PackagedOverlay {
  readonly file: string
  readonly text: string
  readonly skill: string
  /** The repository of the skill, and the version of the skill if there are several. */
  readonly from: string
  /** What the overlay holds, in one sentence. */
  readonly holds: string
}

const ABOUT = /^# (?<skill>\S+) \((?<from>[^)]+)\): (?<holds>.+)\n/

/** All overlays of the package, as their first lines describe them. */
export const packagedOverlays = (): readonly PackagedOverlay[] =>
  readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8')
      const { skill, from, holds } = ABOUT.exec(text)?.groups ?? {}
      if (skill === undefined || from === undefined || holds === undefined || packagedSkill(file) !== skill)
        throw new Error(`The first line of ${file} must be: # SKILL (REPOSITORY): what it holds.`)
      return { file, text, skill, from, holds }
    })

/** The page with the overlays of the package. */
export function overlaysPage(made: string): string {
  const rows = packagedOverlays().map(({ skill, from, holds }) => `| \`${skill}\` | ${from} | ${holds} |`)
  const head = ['| skill | from | what is held |', '|---|---|---|']
  return `# Overlays of the package\n\n${made}\nThe package has plans for these public skills. A plan is in force only after you adopt it: \`holdfast skill adopt NAME\` [copies it](../skills.md#skills-of-others) to your config folder or the project, where you can edit it. It names headings of the skill; if your version of the skill does not have them, the plan is not proposed. A file that is held back stays closed until the step that needs it; proof is what the agent writes down, because only you know your test command; [evidence](../evidence.md) tells how to have Holdfast run it instead. Files, steps and the ends of turns are held back; commands such as \`git push\` are not.\n\n${[...head, ...rows].join('\n')}\n`
}
