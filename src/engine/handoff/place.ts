import { parentOf } from '../../model/directive.ts'
import { EngineError, projectNotFound } from '../../model/error.ts'
import { USUAL_SESSION_FILES } from '../../model/handoff/session-file.ts'
import { isInside } from '../../model/project.ts'
import { isInSteps } from '../../model/search/source.ts'
import { refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import { type Here, rootAt } from '../call/here.ts'
import type { Ask } from '../call/keyed.ts'

/** The session file of a project, from its root; undefined if there is none. */
export async function sessionFileIn({ config, files }: Context, root: string): Promise<string | undefined> {
  const { session_file: given } = config(root)
  for (const path of given === undefined ? USUAL_SESSION_FILES : [given])
    if ((await files.kind(`${root}/${path}`)) === 'file') return path
  return undefined
}

/** A file of a handoff as it was read. */
export interface HandoffFile {
  /** From the root of the project. */
  readonly name: string
  /** The real path. */
  readonly path: string
  /** Undefined if it does not exist. */
  readonly text: string | undefined
  readonly digest: string | null
  /** False if it is not UTF-8, so that no edit could keep its bytes. */
  readonly isText: boolean
}

/** Where a project keeps its session file and its learnings. */
export interface HandoffPlace {
  readonly root: string
  readonly project_id: number | undefined
  readonly session: HandoffFile
  readonly learnings: HandoffFile
}

/** Reads both files of the project around a folder; a repository needs no registration. */
export async function handoffAt(context: Context, here: Here, ask: Ask): Promise<HandoffPlace> {
  const { path: root, known } = await ask((tx) => rootAt(tx, here))
  if (known === undefined && here.repository === undefined) throw projectNotFound(here.folder, here.folder)
  const name =
    (await sessionFileIn(context, root)) ?? context.config(root).session_file ?? USUAL_SESSION_FILES[0]
  const folder = name.includes('/') ? `${name.slice(0, name.lastIndexOf('/'))}/` : ''
  return {
    root,
    project_id: known?.of.id,
    session: await readHandoffFile(context, root, name),
    learnings: await readHandoffFile(context, root, `${folder}learnings.md`),
  }
}

/** More than ten thousand tasks. */
const MOST_BYTES = 4 * 1024 * 1024

/** Reads a whole file inside a project. */
export async function readHandoffFile(context: Context, root: string, name: string): Promise<HandoffFile> {
  const { files } = context
  const path = await files.canonical(`${root}/${name}`)
  await refuseOurHome(context, path)
  if (!isInside(root, path))
    throw new EngineError('forbidden', `${name} leads to ${path}, which is outside the project ${root}.`, {
      hint: 'holdfast config get session_file',
    })
  if (path !== `${root}/${name}` && !(await isPlainPage(context, root, path)))
    throw new EngineError('forbidden', `${name} is a link to ${path}, which is no page of the project.`, {
      hint: 'holdfast config get session_file',
    })
  if ((await files.kind(path)) === 'missing')
    return { name, path, text: undefined, digest: null, isText: true }
  const {
    content,
    next_offset: more,
    isText,
  } = await files.read({ path, root, offset: 0, limit: MOST_BYTES })
  if (more !== null)
    throw new EngineError('too-large', `${name} is larger than ${MOST_BYTES / 1024 / 1024} MB.`, {
      field: 'path',
    })
  return { name, path, text: content, digest: textDigest(content), isText }
}

/** A link must not lead to settings, plans, steps or code, which have rules of their own. */
async function isPlainPage({ files }: Context, root: string, path: string): Promise<boolean> {
  const below = path.slice(root.length)
  if (!below.endsWith('.md') || isInSteps(below) || /\/(?:SKILL|runbook[^/]*)\.md$/i.test(below)) return false
  if (below.split('/').some((part) => part.startsWith('.'))) return false
  for (let at = parentOf(path); at !== root; at = parentOf(at))
    if ((await files.kind(`${at}/SKILL.md`)) === 'file') return false
  return true
}

/** What identifies a text. */
export const textDigest = (text: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', text)

/** The folder of a file. */
export const folderOf = ({ path }: Pick<HandoffFile, 'path'>): string => parentOf(path)
