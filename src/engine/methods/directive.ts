import * as z from 'zod'
import {
  CORE_TYPES,
  DECLARED_TYPES,
  directivesFolder,
  directiveType,
  referencePath,
  typesInForce,
} from '../../model/directive.ts'
import { EngineError } from '../../model/error.ts'
import { findReferences, type Reference, referenceOf } from '../../model/text/reference.ts'
import { innermost } from '../../model/project.ts'
import type { Tx } from '../../store/query.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { directivesFor, unlessRefused, type Work, workAt, workAtPath } from '../skill/directive-files.ts'
import { locate, type SearchedFolder, searchedFolders } from '../skill/references.ts'
import { placeAmong, realPath } from '../call/confine.ts'
import { directMethod } from '../call/method.ts'
import * as p from '../call/params.ts'
import { knownSkill } from '../skill/known-skill.ts'

const workPath = p.path.describe('The file or folder to work on. It does not have to exist.')

const type = z
  .string()
  .max(200)
  .refine((text) => directiveType(text) !== undefined, 'must be a directive type such as TESTING')

export const discover = directMethod({
  name: 'agent.directives.discover',
  summary: 'List the directives that apply to a file or folder, nearest first, up to the project root.',
  effect: 'none',
  params: z.strictObject({
    path: workPath,
    types: z
      .array(type)
      .max(50)
      .optional()
      .describe(
        `Directive types to include besides ${CORE_TYPES.join(', ')}, such as ${DECLARED_TYPES.join(', ')}.`,
      ),
    skill: p.skillName.optional().describe('Also include the types that this skill declares.'),
  }),
  async call(context, { path, types = [], skill }) {
    const real = await realPath(context, path)
    const { roots, declared } = await context.store.transact(
      async (tx) => {
        const all = await listRoots(tx, context.machine)
        return { roots: all, declared: await declaredBy(tx, innermost(all, real), skill) }
      },
      { reads: true },
    )
    const work = await workAt(context, await placeAmong(context, roots, real))
    return await directivesFor(context, work, typesInForce([...types, ...declared]))
  },
})

/** Limits of one call: an agent's context is small, and a text can reference anything. */
const MOST = { source: 262_144, file: 65_536, total: 262_144, references: 250 } as const

export const dereference = directMethod({
  name: 'agent.directives.dereference',
  summary: 'Read the §CMD_X, §FMT_X and §INV_X references of a text, and the references inside those.',
  effect: 'none',
  params: z.strictObject({
    path: p.path.describe('The file whose references to follow, or the location of the given text.'),
    text: z.string().max(MOST.source).optional().describe('A text to scan instead of the file.'),
    depth: z
      .int()
      .min(1)
      .max(5)
      .default(2)
      .describe('How many levels to follow. 1: only the references of the text itself.'),
  }),
  async call(context, { path, text, depth }) {
    const work = await workAtPath(context, path)
    const source = await sourceOf(context, work, text)
    return await follow(context, { source, searched: await searchedFolders(context, work), depth })
  },
})

export const resolve = directMethod({
  name: 'agent.directives.resolve',
  summary: 'Find the file that a reference resolves to, starting from a file or folder.',
  effect: 'none',
  params: z.strictObject({
    name: z
      .string()
      .max(210)
      .refine((text) => referenceOf(text) !== undefined, 'must be a reference such as CMD_X, FMT_X or INV_X')
      .describe('The reference, with or without the section sign: §CMD_X or CMD_X.'),
    path: workPath,
  }),
  async call(context, { name, path }) {
    const work = await workAtPath(context, path)
    const searched = await searchedFolders(context, work)
    const reference = referenceOf(name) as Reference
    const file = await locate(context, searched, reference)
    if (file === undefined) throw referenceNotFound(reference, { searched, root: work.root })
    return { ...reference, path: file.path, folder: file.folder }
  },
})

async function declaredBy(tx: Tx, found: KnownRoot | undefined, name: string | undefined) {
  if (found === undefined || name === undefined) return []
  const place = { root: found.path, workplace_id: found.workplace?.id ?? 0 }
  return (await knownSkill(tx, { name, place, field: 'skill' })).directives
}

interface Text {
  readonly path: string
  readonly content: string
  readonly truncated: boolean
}

async function sourceOf(context: Context, { path, root }: Work, text: string | undefined): Promise<Text> {
  if (text !== undefined) return { path, content: text, truncated: false }
  return await readUpTo(context, { path, root, limit: MOST.source })
}

async function readUpTo(
  context: Context,
  { path, root, limit }: { path: string; root: string; limit: number },
): Promise<Text> {
  const { content, next_offset } = await context.files.read({ path, root, offset: 0, limit })
  return { path, content, truncated: next_offset !== null }
}

/**
 * Breadth first, each name once, so that cycles end. Names resolve from the work folder, not from the file that
 * mentions them, so that a project can replace what a shared command references.
 */
async function follow(
  context: Context,
  { source, searched, depth: deepest }: { source: Text; searched: readonly SearchedFolder[]; depth: number },
) {
  const found: (Reference & Text & { depth: number; from: string })[] = []
  const missing: (Reference & { depth: number; from: string })[] = []
  const seen = new Set<string>()
  let [left, tooMany] = [MOST.total as number, false]
  let texts: readonly Text[] = [source]
  for (let depth = 1; depth <= deepest; depth++) {
    const before = found.length
    for (const mention of mentionsIn(texts)) {
      if (seen.has(mention.name)) continue
      tooMany ||= seen.size >= MOST.references
      if (tooMany) break
      seen.add(mention.name)
      const file = await locate(context, searched, mention)
      // A command may mention itself in its own file.
      if (file?.path === source.path) continue
      const limit = Math.min(MOST.file, left)
      const text = file && (await unlessRefused(readUpTo(context, { ...file, limit })))
      if (text === undefined) missing.push({ ...mention, depth })
      else found.push({ ...mention, ...text, depth })
      left = Math.max(0, left - Buffer.byteLength(text?.content ?? ''))
    }
    texts = found.slice(before)
  }
  return {
    found,
    missing,
    looked_in: searched.map(({ folder }) => directivesFolder(folder)),
    truncated: tooMany || source.truncated || found.some(({ truncated }) => truncated),
  }
}

const mentionsIn = (texts: readonly Text[]) =>
  texts.flatMap(({ path, content }) =>
    findReferences(content).map((reference) => ({ ...reference, from: path })),
  )

function referenceNotFound(
  reference: Reference,
  { searched, root }: { searched: readonly SearchedFolder[]; root: string },
): EngineError {
  const paths = searched.map(({ folder }) => referencePath(folder, reference))
  // Only the nearest and the last paths, because a deep folder has too many to read.
  const shown = paths.length <= 6 ? paths : [...paths.slice(0, 3), '…', ...paths.slice(-2)]
  return new EngineError('not-found', `§${reference.name} not found. Searched: ${shown.join(', ')}.`, {
    field: 'name',
    hint: `Create ${referencePath(root, reference)}`,
  })
}
