import { matchesGlob } from '../../model/text/glob.ts'
import { isOfProcess, throughProcess } from '../../model/text/path.ts'
import type { FileIdentity } from '../../model/files.ts'
import type { Context } from '../call/context.ts'
import { isPattern } from './pattern-files.ts'

/** Paths with links resolved. */
export interface RealPaths {
  readonly paths: readonly string[]
  /** The identities of files that have several names, one of which may be that of a step. */
  readonly shared: readonly string[]
  /** True if there were too many to look at. */
  readonly isLimited: boolean
  /** True if one leads through a process, whose folder nobody else knows. */
  readonly isOfProcess: boolean
}

const NONE: RealPaths = { paths: [], shared: [], isLimited: false, isOfProcess: false }

const MOST_READS = 200
const MOST_NAMES = 2000
/** Only Markdown files are steps; a pattern or a folder may include some. */
const MAY_BE_STEP = /\.md\/?$|\/[^/]*[*?[][^/]*$|\/\.?[^/.]+\/?$/i

/** The files that may be steps, whatever names they have here. */
export async function realPathsOf(
  context: Context,
  paths: readonly string[],
  { cwd, mustExist = false }: { readonly cwd: string | undefined; readonly mustExist?: boolean },
): Promise<RealPaths> {
  const unique = [...new Set(paths.flatMap((path) => throughProcess(path, cwd)))]
  if (unique.length === 0) return NONE
  const isLong = unique.length > MOST_READS
  const there = isLong || mustExist ? await existing(context, unique.slice(0, MOST_NAMES)) : unique
  const found = await Promise.all(there.slice(0, MOST_READS).map((path) => realOf(context, path, cwd)))
  const isLimited = unique.length > MOST_NAMES || there.length > MOST_READS
  return joined([...found, { ...NONE, isLimited, isOfProcess: paths.some(isOfProcess) }])
}

/** The paths that are there, and patterns. */
async function existing({ files }: Context, paths: readonly string[]): Promise<readonly string[]> {
  const known = await Promise.all(
    paths.map(async (path) => isPattern(path) || (await files.identity(path)) !== undefined),
  )
  return paths.filter((_, at) => known[at])
}

const joined = (all: readonly RealPaths[]): RealPaths => ({
  paths: [...new Set(all.flatMap(({ paths }) => paths))],
  shared: all.flatMap(({ shared }) => shared),
  isLimited: all.some(({ isLimited }) => isLimited),
  isOfProcess: all.some((one) => one.isOfProcess),
})

async function realOf(context: Context, path: string, cwd: string | undefined): Promise<RealPaths> {
  // Asked together, because each answer of the disk takes a turn of the daemon.
  const [paths, known] = await Promise.all([
    MAY_BE_STEP.test(path) ? withLinks(context, path) : [],
    isPattern(path) ? undefined : context.files.identity(path),
  ])
  const named: RealPaths = { ...NONE, paths }
  if (!isPattern(path)) {
    const isPlain = known?.isLink === false && named.paths.every((one) => one === path)
    return isPlain
      ? joined([named, await behind(context, path, known)])
      : joined([named, await behind(context, path, known), await linked(context, path, cwd)])
  }
  // A search below a folder does not follow links.
  if (path.includes('/**/')) return named
  const { matches, isLimited } = await matchesOn(context, path)
  const links = await Promise.all(
    matches.map(async (match) => {
      const matched = await context.files.identity(match)
      // A program does not show the folders that a pattern matches.
      return matched?.isFile === true ? await behind(context, match, matched) : NONE
    }),
  )
  return joined([named, ...links, { ...NONE, isLimited }])
}

/** What a link through a process leads to; here it would lead to a folder of the daemon. */
async function linked(context: Context, path: string, cwd: string | undefined): Promise<RealPaths> {
  const last = (await context.files.links(path)).at(-1)
  if (last === undefined || !isOfProcess(last)) return NONE
  const found = await Promise.all(throughProcess(last, cwd).map((one) => realOf(context, one, cwd)))
  return joined([...found, { ...NONE, isOfProcess: true }])
}

/** The file behind a name, if it has other names. */
async function behind({ files }: Context, path: string, known: FileIdentity | undefined): Promise<RealPaths> {
  if (known === undefined) return NONE
  const real = known.isLink ? await files.canonical(path).catch(() => undefined) : undefined
  return {
    ...NONE,
    paths: real !== undefined && MAY_BE_STEP.test(real) ? [real] : [],
    shared: known.isShared ? [known.id] : [],
  }
}

/** The names that a pattern stands for now. */
async function matchesOn({ files }: Context, pattern: string) {
  let matches = ['']
  for (const part of pattern.split('/').slice(1)) {
    if (!isPattern(part)) {
      matches = matches.map((folder) => `${folder}/${part}`)
      continue
    }
    const inside = await Promise.all(
      matches.map(async (folder) =>
        (await files.names(folder === '' ? '/' : folder))
          .filter((name) => matchesGlob(part, name))
          .map((name) => `${folder}/${name}`),
      ),
    )
    matches = inside.flat()
    if (matches.length > MOST_READS) return { matches: matches.slice(0, MOST_READS), isLimited: true }
  }
  return { matches, isLimited: false }
}

/** Skill folders, step folders and steps may be links; for a pattern only the folder resolves. */
async function withLinks({ files: disk }: Context, path: string): Promise<readonly string[]> {
  const parts = path.split('/')
  const hasPattern = isPattern(parts.at(-1) ?? '')
  const resolved = async (up: number) => {
    const folder = parts.slice(0, Math.max(1, parts.length - up)).join('/')
    const found = await disk.canonical(folder).catch(() => undefined)
    return found === undefined ? undefined : `${found}${path.slice(folder.length)}`
  }
  const whole = await resolved(hasPattern ? 1 : 0)
  // Without links, the usual case, the parents of the path resolve to themselves.
  if (whole === path) return [path]
  const above = await Promise.all((hasPattern ? [2] : [1, 2]).map(resolved))
  // A path that does not resolve stays as written.
  return [whole, ...above].map((found) => found ?? path)
}
