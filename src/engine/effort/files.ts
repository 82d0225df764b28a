import type { TextFile } from '../../model/check.ts'
import { artifactName, type Effort, isNamedFor } from '../../model/effort.ts'
import { effortNotFound } from '../../model/error.ts'
import { isInside } from '../../model/project.ts'
import { artifactsOf } from '../../store/artifact.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { listRuns } from '../../store/skill-run.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { directivesFor, fileAt, unlessRefused } from '../skill/directive-files.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { resultIn, runPath } from '../skill/skill-run.ts'
import { aboutSkill } from './skill-facts.ts'

/** The files that the checks of an effort read, with their texts. */
export interface EffortFiles {
  readonly artifacts: readonly TextFile[]
  /** Checklists that were filled in. */
  readonly checklists: readonly TextFile[]
  /** The file name for the checklist of this effort. */
  readonly checklist: string
  /** Checklists that apply to the folders of the work. */
  readonly asked: readonly TextFile[]
  readonly requests: readonly TextFile[]
  readonly debrief: { readonly file: string; readonly written: boolean; readonly wanted: boolean }
  /** The result of its run, if it has one. */
  readonly result: { readonly file: string; readonly written: boolean } | undefined
  /** Files that are missing or not readable. */
  readonly unread: readonly string[]
  /** Files beyond the limits; they are not checked, because a partial check could pass wrongly. */
  readonly tooMuch: readonly string[]
}

/** Limits for one effort, because other calls wait meanwhile: bytes per file, files, total bytes. */
export const MOST_LOOKED_AT = { file: 4 * 1024 * 1024, files: 200, bytes: 16 * 1024 * 1024 } as const
const MOST_FILES = MOST_LOOKED_AT.files

/** Matches `_REQUEST` as a word, so that `_REQUESTED` is not a request. */
const REQUEST = /_REQUESTS?(_[^/]*)?\.md$/i
const CHECKLIST = /_CHECKLISTS?(_[^/]*)?\.md$/i

/** Reads the files of an effort, found by name or by record, outside of the transaction. */
export async function readEffortFiles(
  context: Context,
  { effort_id }: { readonly effort_id: number },
  ask: Ask,
): Promise<EffortFiles> {
  const { effort, root, run, wantsDebrief, wantsChecklists, recorded } = await ask((tx) =>
    aboutEffort(tx, effort_id),
  )
  const folder = effort.task_id
  const names = await context.files.list({ path: folder, root })
  const here = names.filter((name) => isNamedFor(effort, name)).map((name) => `${folder}/${name}`)
  const own = [...new Set([...here, ...recorded.filter((path) => /\.md$/i.test(path))])]
  const named = requestsNamedBy(effort, folder)
  const loose = names.filter((name) => REQUEST.test(name) && !/^\d+_/.test(name))
  const requests = new Set([
    ...own.filter((path) => REQUEST.test(path)),
    ...loose.map((name) => `${folder}/${name}`),
    ...named,
  ])
  const asked = wantsChecklists ? await checklistsFor(context, effort, root) : []
  const { texts, unread, tooMuch } = await readAll(context, new Set([...own, ...requests, ...asked]), root)
  const read = (paths: Iterable<string>): readonly TextFile[] =>
    [...paths].flatMap((file) => {
      const text = texts.get(file)
      return text === undefined ? [] : [{ file, text }]
    })
  const debrief = `${folder}/${artifactName(effort)}`
  return {
    artifacts: read(own),
    checklists: read(own.filter((path) => CHECKLIST.test(path))),
    checklist: artifactName(effort, 'checklist'),
    asked: read(asked),
    requests: read(requests),
    debrief: {
      file: debrief,
      written: (texts.get(debrief) ?? '').trim() !== '' || tooMuch.includes(debrief),
      wanted: wantsDebrief,
    },
    result: run === undefined ? undefined : await resultIn(context, run),
    unread,
    tooMuch,
  }
}

async function readAll(context: Context, paths: ReadonlySet<string>, root: string) {
  const texts = new Map<string, string>()
  const [unread, tooMuch]: [string[], string[]] = [[], []]
  let left: number = MOST_LOOKED_AT.bytes
  for (const path of paths) {
    const isRoom = texts.size < MOST_LOOKED_AT.files && left > 0
    const text = isRoom ? await looked(context, path, root) : 'large'
    if (text === 'large') tooMuch.push(path)
    else if (text === undefined) unread.push(path)
    else {
      texts.set(path, text.content)
      left -= text.size
    }
  }
  return { texts, unread, tooMuch }
}

async function aboutEffort(tx: Tx, id: number) {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  const effort = toEffort(row)
  const place = await placeOfEffort(tx, effort)
  if (place === undefined) throw new Error('The effort has no workplace.')
  const skill = await skillOfEffort(tx, effort)
  const [run] = await listRuns(tx, { effort_id: id, limit: 1 })
  const rows = await artifactsOf(tx, { effort_id: id })
  const paths = rows.flatMap(({ path }) => (path === null ? [] : [path]))
  return {
    effort,
    root: place.root,
    run: run && runPath(run),
    recorded: paths.filter((path) => isInside(place.root, path)),
    wantsDebrief: skill !== undefined && aboutSkill(skill).wants.includes('debrief'),
    wantsChecklists: (skill?.directives ?? []).some((name) => /^CHECKLIST(\.md)?$/.test(name)),
  }
}

/** The request files that the effort was started with. */
function requestsNamedBy({ metadata }: Effort, folder: string): readonly string[] {
  const named = metadata['requestFiles'] ?? metadata['request_files']
  if (!Array.isArray(named)) return []
  return named
    .filter((path): path is string => typeof path === 'string' && path.trim() !== '')
    .slice(0, MOST_FILES)
    .map((path) => (path.startsWith('/') ? path : `${folder}/${path}`))
}

async function checklistsFor(context: Context, effort: Effort, root: string): Promise<readonly string[]> {
  const folders = [effort.task_id, ...effort.discovered_directories].slice(0, MOST_FILES)
  const found = new Set<string>()
  const told = effort.discovered_directives.filter((path) => path.endsWith('/CHECKLIST.md'))
  // A checklist that was told and is gone asks for nothing.
  for (const path of told.slice(-MOST_FILES))
    if ((await fileAt(context, { root, path })) !== undefined) found.add(path)
  for (const folder of new Set(folders.filter((path) => isInside(root, path))))
    for (const { path } of await directivesFor(context, { root, folder }, ['CHECKLIST'])) found.add(path)
  return [...found]
}

/** Undefined if the file is missing or not readable. */
async function looked(context: Context, path: string, root: string) {
  const real = await fileAt(context, { root, path })
  if (real === undefined) return undefined
  const read = await unlessRefused(
    context.files.read({ path: real, root, offset: 0, limit: MOST_LOOKED_AT.file }),
  )
  return read === undefined || read.next_offset === null ? read : 'large'
}
