import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { notWritten, writeWhole } from '../../daemon/write-whole.ts'
import { canHaveOverlay, overlayPath } from '../../files/overlays.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { IGNORES } from '../../model/our-folder.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import { isInside } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Proposal } from '../../skills/propose.ts'
import { heldBy, type OverlayScope, packagedFor, type Surveyed } from './survey.ts'

/** An overlay that is not yet written. */
export interface Draft extends Proposal {
  readonly id: string
  readonly scope: OverlayScope
  readonly path: string
  /** The overlay of the other scope, which would stay in force or be forgotten. */
  readonly instead?: string
}

/** A skill that is not adopted, and the reason. */
export interface Skipped {
  readonly id: string
  readonly why: string
  readonly next: string
}

/** Drafts an overlay for a skill, or says why there is none. */
export async function draftOf(
  one: Parsed,
  found: Surveyed,
  { scope, replaces }: { readonly scope: OverlayScope | undefined; readonly replaces: boolean },
): Promise<Draft | Skipped> {
  const { id } = one.definition
  const own = scope ?? usualScope(one, found)
  const [held, before] = [heldBy(one, found.overlays), found.overlays.get(id)]
  const word = shellWord(id)
  if (held === 'plan')
    return {
      id,
      why: `${id} has a plan of its own, which is in force.`,
      next: `holdfast skill show ${word} --all`,
    }
  if (!canHaveOverlay(id))
    return { id, why: `${id} has a name that no overlay can have.`, next: 'holdfast skill adopt' }
  if (before !== undefined && !replaces)
    return {
      id,
      why: `${id} is adopted already: ${before}`,
      next: `holdfast skill adopt ${word} --replace${scope === undefined ? '' : ` --scope ${scope}`}`,
    }
  const proposal = await proposalFor(one)
  if (proposal === undefined)
    return {
      id,
      why: `${id} has no steps that could be held. Write its plan by hand, as docs/skills.md says: ${overlayPath(found.folders[own], id)}`,
      next: 'holdfast skill adopt',
    }
  if (before === undefined) return { ...proposal, id, scope: own, path: overlayPath(found.folders[own], id) }
  const now = isInside(found.folders.user, before) ? 'user' : 'project'
  if (scope === undefined || scope === now) return { ...proposal, id, scope: now, path: before }
  return { ...proposal, id, scope, path: overlayPath(found.folders[scope], id), instead: before }
}

/** The scope of a new overlay: a skill of the project is for everybody who works on it. */
const usualScope = ({ definition: { file } }: Parsed, { scopes }: Surveyed): OverlayScope =>
  scopes.get(file) === 'project' ? 'project' : 'user'

/** The overlay that Holdfast proposes for a skill; undefined if its text has no steps. */
async function proposalFor({ definition: { id, file } }: Parsed): Promise<Proposal | undefined> {
  const [{ candidateAt }, { readTexts }, { proposeFor }] = await Promise.all([
    import('../../files/skill-at.ts'),
    import('../../files/skill-texts.ts'),
    import('../../skills/read-all.ts'),
  ])
  const candidate = await candidateAt(file, clients)
  if (candidate === undefined) return undefined
  const texts = await readTexts(candidate)
  return proposeFor({ ...candidate, id }, { textOf: (path) => texts.get(path) ?? '' }, packagedFor(id))
}

/** Writes an overlay, complete or not at all. */
export function writeOverlay(found: Surveyed, { id, path, text, scope, instead }: Draft): void {
  const { project } = found.folders
  try {
    makeFoldersSync(dirname(path))
    if (isInside(project, path)) ignoreWork(dirname(dirname(project)))
  } catch (error) {
    const other = scope === 'user' ? 'project' : 'user'
    throw notWritten(path, error, `holdfast skill adopt ${shellWord(id)} --scope ${other}`)
  }
  writeWhole(path, text, 0o644)
  if (instead !== undefined) removeOverlay(instead, found)
}

/** Overlays may be committed, the work of agents in the same folder is not. */
function ignoreWork(root: string): void {
  const path = join(root, IGNORES.path)
  if (!existsSync(path)) writeWhole(path, IGNORES.text, 0o644)
}

/** Removes an overlay and the folder of its plugin, if that is empty now. */
export function removeOverlay(path: string, { folders }: Surveyed): void {
  rmSync(path)
  const isOurs = (folder: string) => Object.values(folders).some((top) => isInside(top, folder))
  for (let folder = dirname(path); isOurs(folder); folder = dirname(folder))
    try {
      rmdirSync(folder)
    } catch {
      return
    }
}
