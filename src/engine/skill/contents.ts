import type { Effort } from '../../model/effort.ts'
import { splitPhase } from '../../model/plan/phase.ts'
import type { Skill } from '../../model/skill.ts'
import { referenceOf } from '../../model/text/reference.ts'
import type { Content } from '../../rules/told/content.ts'
import type { Context } from '../call/context.ts'
import { textOf } from './directive-files.ts'
import { locate, locateFile, type SearchedFolder, searchedFolders, searchedIn } from './references.ts'

/** What a phase of a skill names, and where to look for it. */
export interface NamedContents {
  readonly key: string
  readonly names: readonly string[]
  /** The folder of the skill; null if it has no files. */
  readonly folder: string | null
  /** The root of the workplace. */
  readonly root: string
}

type Naming = Pick<Skill, 'name' | 'folder' | 'phases' | 'modes' | 'templates'>
type At = Pick<Effort, 'current_phase' | 'mode'>

/** Contents are looked up before the transaction, so they are found again by skill, phase and mode. */
export const contentKey = (skill: string, { current_phase: phase, mode }: At): string =>
  JSON.stringify([skill, phase === null ? '' : splitPhase(phase).label, mode ?? ''])

/** The names of the current phase, or else of the first one, and the file of the mode. */
export function contentsNamed(skill: Naming, at: At, root: string): NamedContents {
  const label = at.current_phase === null ? undefined : splitPhase(at.current_phase).label
  const phase = label === undefined ? skill.phases[0] : skill.phases.find((one) => one.label === label)
  const named = FIELDS.flatMap((field) => namesIn(phase?.[field]))
  const names = [...named, ...modeFiles(skill.modes, at.mode)].map((name) => {
    const template = skill.templates[name]
    return typeof template === 'string' ? template : name
  })
  const known = [...new Set(names)].filter((name) => referenceOf(name) !== undefined || isFile(name))
  return { key: contentKey(skill.name, at), names: known.slice(0, MOST_NAMES), folder: skill.folder, root }
}

const FIELDS = ['steps', 'commands', 'templates', 'standards', 'invariants'] as const
const MOST_NAMES = 12

/** A relative path to a markdown file that stays below its folder. */
const isFile = (name: string): boolean =>
  /^[\w-][\w.-]*(\/[\w-][\w.-]*)*\.md$/.test(name) && !name.includes('..')

/** Names from a list, or the names and files of an object. */
function namesIn(value: unknown): readonly string[] {
  const isText = (one: unknown): one is string => typeof one === 'string'
  if (Array.isArray(value)) return value.filter(isText)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, of]) => (isText(of) && isFile(of) ? of : name))
}

function modeFiles(modes: Skill['modes'], mode: string | null): readonly string[] {
  const of = mode === null ? undefined : modes[mode]
  if (typeof of === 'string') return [of]
  return namesIn(of).filter(isFile)
}

/** Reads what phases name; one bad file never hides the others. */
export async function readContents(
  context: Context,
  named: readonly NamedContents[],
): Promise<ReadonlyMap<string, readonly Content[]>> {
  const found = await Promise.all(
    named.map(async (one) => {
      const folders = one.names.length === 0 ? [] : await foldersFor(context, one)
      const contents = await Promise.all(one.names.map((name) => contentOf(context, name, folders)))
      return [one.key, contents.flatMap((content) => content ?? [])] as const
    }),
  )
  return new Map(found)
}

/** The skill, the workplace, the user and the package, in this order. */
async function foldersFor(
  context: Context,
  { folder, root }: NamedContents,
): Promise<readonly SearchedFolder[]> {
  const others = await searchedFolders(context, { root, folder: root })
  return folder === null ? others : [await searchedIn(context, folder, folder), ...others]
}

async function contentOf(
  context: Context,
  name: string,
  folders: readonly SearchedFolder[],
): Promise<Content | undefined> {
  const reference = referenceOf(name)
  const file =
    reference === undefined
      ? await locateFile(context, folders, name)
      : await locate(context, folders, reference)
  return file && { name, path: file.path, text: await textOf(context, file) }
}
