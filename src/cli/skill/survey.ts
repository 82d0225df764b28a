import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findHome } from '../../daemon/home.ts'
import { packagedContents } from '../../daemon/packaged.ts'
import { canHaveOverlay, packagedSkill, upToRepository } from '../../files/overlays.ts'
import { OVERLAYS } from '../../model/our-folder.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import { ownName, type SkillScope } from '../../model/skill.ts'
import type { Io } from '../frame/io.ts'
import { overlaysAt, readSkills } from './read.ts'

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
  const root = (await upToRepository(io.cwd)).at(-1) ?? io.cwd
  return {
    parsed: parsed.filter(({ definition: { kind } }) => kind !== 'agent'),
    overlays: await overlaysAt(io, io.cwd),
    folders: { user: findHome(io.env).overlays, project: join(root, OVERLAYS) },
    scopes,
  }
}

/** Whether a plan holds a skill, without making a proposal. */
export function heldBy({ definition: { plan, id } }: Parsed, overlays: Surveyed['overlays']): Held {
  if (overlays.has(id)) return 'overlay'
  // A plan with errors is still the author's.
  if (plan?.explicit === true) return 'plan'
  if (!canHaveOverlay(id)) return 'guide'
  return plan !== undefined || packagedPaths(id).length > 0 ? 'adoptable' : 'guide'
}

/** Whether Holdfast may have a plan for a skill that has none in force. */
export const isAdoptable = (one: Parsed): boolean => heldBy(one, new Map()) === 'adoptable'

/** The package overlays for skills of this name; a name may have several, for different texts. */
export const packagedFor = (id: string): readonly string[] =>
  packagedPaths(id).map((path) => readFileSync(path, 'utf8'))

let known: ReadonlyMap<string, readonly string[]> | undefined

/** Lists the folder once, because every skill of a list asks. */
const packagedPaths = (id: string): readonly string[] => (known ??= listPackaged()).get(ownName(id)) ?? []

function listPackaged(): ReadonlyMap<string, readonly string[]> {
  const folder = join(packagedContents(), 'overlays')
  const paths = existsSync(folder) ? readdirSync(folder).toSorted() : []
  return Map.groupBy(
    paths.map((file) => join(folder, file)),
    (path) => packagedSkill(basename(path)),
  )
}
