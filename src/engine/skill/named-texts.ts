import { parentOf } from '../../model/directive.ts'
import { OUR_FOLDER } from '../../model/our-folder.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { textKey, type TextName, textPlaces, textsNamed } from '../../model/workflow/texts.ts'
import type { Context } from '../call/context.ts'
import { fileAt, unlessRefused } from './directive-files.ts'

/** A longer text is none that an agent reads with a step. */
const LONGEST_TEXT = 64 * 1024

/** The texts that a plan names, by key, and the names that no folder has. */
export interface NamedTexts {
  readonly texts: Readonly<Record<string, string>>
  readonly missing: readonly string[]
}

/** Looks the texts of a plan up: the skill, its project, the user and the package, in this order. */
export async function findTexts(
  context: Context,
  plan: Plan,
  { folder, project }: { readonly folder: string; readonly project: string | undefined },
): Promise<NamedTexts> {
  const folders = [
    { folder, root: folder },
    ...(project === undefined ? [] : [{ folder: `${project}/${OUR_FOLDER}`, root: project }]),
    ...(await linked(context, parentOf(context.own.config))),
    { folder: context.packaged, root: context.packaged },
  ]
  const names = textsNamed(plan)
  const found = await Promise.all(
    names.map(async (name) => [textKey(name), await textIn(context, name, folders)] as const),
  )
  return {
    texts: Object.fromEntries(found.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]))),
    missing: found.flatMap(([key, text]) => (text === undefined ? [key] : [])),
  }
}

interface Searched {
  readonly folder: string
  /** Files that a link leads out of this folder are ignored. */
  readonly root: string
}

/** Users may keep their folder elsewhere and link it. */
async function linked({ files }: Context, folder: string): Promise<readonly Searched[]> {
  const root = await unlessRefused(files.canonical(folder))
  return root === undefined ? [] : [{ folder, root }]
}

async function textIn(
  context: Context,
  name: TextName,
  folders: readonly Searched[],
): Promise<string | undefined> {
  const paths = textPlaces(
    name,
    folders.map(({ folder }) => folder),
  )
  for (const [index, { root }] of folders.entries()) {
    const path = await fileAt(context, { root, path: paths[index] ?? '' })
    if (path === undefined) continue
    const read = await unlessRefused(context.files.read({ path, root, offset: 0, limit: LONGEST_TEXT }))
    if (read?.next_offset === null) return read.content.toWellFormed().replaceAll('\0', '\u{fffd}')
  }
  return undefined
}
