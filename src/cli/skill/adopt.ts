import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome } from '../../daemon/home.ts'
import { packagedContents } from '../../daemon/packaged.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import {
  canHaveOverlay,
  findOverlays,
  overlayFolders,
  overlayPath,
  upToRepository,
} from '../../files/overlays.ts'
import { IGNORES, OVERLAYS } from '../../model/our-folder.ts'
import { isEnforceable } from '../../model/plan/validate.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import type { SkillScope } from '../../model/skill.ts'
import type { Proposal } from '../../skills/propose.ts'
import type { Io } from '../frame/io.ts'
import { readSkills } from './read.ts'

/** Whether a plan holds a skill: its own, one of the user, one that the user could adopt, or none. */
export type Held = 'plan' | 'overlay' | 'adoptable' | 'guide'

export type OverlayScope = 'user' | 'project'

/** The skills that the clients find here, with the overlays that are in force. */
export interface Surveyed {
  readonly parsed: readonly Parsed[]
  readonly overlays: ReadonlyMap<string, string>
  /** The folder of overlays of each scope. */
  readonly folders: Readonly<Record<OverlayScope, string>>
  readonly scopes: ReadonlyMap<string, SkillScope>
}

/** Reads what can be adopted, as the daemon finds it from the current folder. */
export async function survey(io: Io): Promise<Surveyed> {
  const { parsed, scopes } = await readSkills(io, { path: '.', runs: false, all: true })
  const { overlays: user } = findHome(io.env)
  const overlays = await overlaysAt(io, io.cwd)
  const root = (await upToRepository(io.cwd)).at(-1) ?? io.cwd
  const isCalled = ({ definition: { kind } }: Parsed) => kind !== 'agent'
  return {
    parsed: parsed.filter(isCalled),
    overlays,
    folders: { user, project: join(root, OVERLAYS) },
    scopes,
  }
}

/** The overlays in force for skills of a folder, by id. */
export const overlaysAt = async (io: Io, folder: string): Promise<Surveyed['overlays']> =>
  await findOverlays(await overlayFolders(folder, findHome(io.env).overlays))

/** Whether a plan holds a skill, without making a proposal. */
export function heldBy(
  { definition: { plan, id }, diagnostics }: Parsed,
  overlays: Surveyed['overlays'],
): Held {
  if (overlays.has(id)) return 'overlay'
  if (plan !== undefined && isEnforceable(plan, diagnostics)) return 'plan'
  if (!canHaveOverlay(id)) return 'guide'
  return plan !== undefined || packagedFor(id).length > 0 ? 'adoptable' : 'guide'
}

const ownName = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/** The package overlays for skills of this name; a name may have several, for different texts. */
function packagedFor(id: string): readonly string[] {
  const folder = join(packagedContents(), 'overlays')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.replace(/(@.*)?\.yaml$/, '') === ownName(id))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** The overlay that Holdfast proposes for a skill; undefined if its text has no steps. */
export async function proposalFor({ definition: { id, file } }: Parsed): Promise<Proposal | undefined> {
  const [{ candidateAt }, { readTexts }, { proposeFor }] = await Promise.all([
    import('../../files/skill-folders.ts'),
    import('../../files/skill-texts.ts'),
    import('../../skills/read-all.ts'),
  ])
  const candidate = await candidateAt(file, clients)
  if (candidate === undefined) return undefined
  const texts = await readTexts(candidate)
  return proposeFor({ ...candidate, id }, { textOf: (path) => texts.get(path) ?? '' }, packagedFor(id))
}

/** The scope of a new overlay: a skill of the project is for everybody who works on it. */
export const usualScope = ({ definition: { file } }: Parsed, { scopes }: Surveyed): OverlayScope =>
  scopes.get(file) === 'project' ? 'project' : 'user'

/** Writes an overlay, complete or not at all. */
export function writeOverlay(
  { folders }: Surveyed,
  { id, scope, text }: { readonly id: string; readonly scope: OverlayScope; readonly text: string },
): string {
  const path = overlayPath(folders[scope], id)
  mkdirSync(dirname(path), { recursive: true })
  if (scope === 'project') ignoreWork(dirname(dirname(folders.project)))
  writeWhole(path, text, 0o644)
  return path
}

/** Overlays may be committed, the work of agents in the same folder is not. */
function ignoreWork(root: string): void {
  const path = join(root, IGNORES.path)
  if (!existsSync(path)) writeFileSync(path, IGNORES.text)
}

/** Removes an overlay and the folder of its plugin, if that is empty now. */
export function removeOverlay(path: string, { folders }: Surveyed): void {
  rmSync(path)
  for (
    let folder = dirname(path);
    Object.values(folders).some((top) => folder.startsWith(top));
    folder = dirname(folder)
  )
    try {
      rmdirSync(folder)
    } catch {
      return
    }
}
