import { isInside } from './project.ts'
import type { Reference } from './text/reference.ts'

/** Instructions in force for a folder and everything below it. */
export interface Directive {
  /** The name of its file, without `.md`. */
  readonly type: string
  readonly path: string
  /** The folder that it applies to. */
  readonly folder: string
  /** `soft` is advice; `hard` must be read before a write in its folder. */
  readonly kind: 'soft' | 'hard'
}

/** A directive that applies where a tool call works. */
export interface TouchedDirective extends Directive {
  /** Undefined if it is too long to show. */
  readonly text: string | undefined
  /** Whether the call writes in its folder. */
  readonly isWritten: boolean
}

/** What a context has seen of a directive: its text, its name, or a refusal that names it. */
export interface ToldDirective {
  readonly path: string
  readonly how: 'told' | 'named' | 'refused'
  /** The last effort of the session that it was found for. */
  readonly effort?: number
}

/** Most directives that a session or an effort remembers. */
export const MOST_TOLD = 1000

/** The last entry per path wins. */
export const toldAfter = (
  old: readonly ToldDirective[],
  news: readonly ToldDirective[],
): readonly ToldDirective[] =>
  [...new Map([...old, ...news].map((one) => [one.path, one])).values()].slice(-MOST_TOLD)

export const isTold = (
  { path }: Directive,
  { told_directives: told }: { readonly told_directives: readonly ToldDirective[] },
): boolean => told.some((one) => one.path === path && one.how === 'told')

export const readBy = ({ path }: Directive, reads: readonly string[]): boolean => reads.includes(path)

/** `hard` if the directive's header requires reading before writing. */
export function kindOf(text: string): Directive['kind'] {
  const header = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text)?.[1] ?? ''
  return /^required:[ \t]*before-writing[ \t]*\r?$/m.test(header) ? 'hard' : 'soft'
}

/** The files that a client's instructions import, as written. */
export const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^|\s)@([^\s`@]+)/g)].map(([, path = '']) => path.replace(/[.,;:)]+$/, ''))

/** Types that are always looked for. */
export const CORE_TYPES: readonly string[] = ['AGENTS', 'INVARIANTS', 'ARCHITECTURE', 'COMMANDS', 'SIGILS']

/** Known types that a skill may declare, besides any other name. */
export const DECLARED_TYPES: readonly string[] = [
  'TESTING',
  'PITFALLS',
  'CONTRIBUTING',
  'TEMPLATE',
  'CHECKLIST',
]

const NAME = '.directives'

const FOLDER_OF = { command: 'commands', format: 'formats', invariant: 'invariants' } as const

/** `TESTING.md` and `TESTING` are one type; undefined if it cannot be a file name. */
export function directiveType(declared: string): string | undefined {
  const type = declared.replace(/\.md$/, '')
  return /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u.test(type) ? type : undefined
}

/** The core types, then the declared ones, each once; invalid names are dropped. */
export function typesInForce(declared: readonly string[]): readonly string[] {
  return [...new Set([...CORE_TYPES, ...declared.flatMap((name) => directiveType(name) ?? [])])]
}

/** The directives folder of a folder. */
export const directivesFolder = (folder: string): string => below(folder, NAME)

/** Possible paths of a directive; the first that exists wins. */
export function directivePaths(folder: string, type: string): readonly string[] {
  return [`${directivesFolder(folder)}/${type}.md`, below(folder, `${type}.md`)]
}

/** The file that defines a reference, in the directives of one folder. */
export function referencePath(folder: string, { name, kind }: Reference): string {
  return `${directivesFolder(folder)}/${FOLDER_OF[kind]}/${name}.md`
}

/** A folder and its parents up to the root, nearest first; `.directives` counts as its parent. */
export function foldersUp(root: string, folder: string): readonly string[] {
  const folders: string[] = []
  for (let at = folder; at !== root && isInside(root, at); at = parentOf(at)) folders.push(at)
  const inDirectives = folders.findLastIndex((path) => path.endsWith(`/${NAME}`))
  return [...folders.slice(inDirectives + 1), root]
}

/** Text only, because paths are absolute and canonical. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

const below = (folder: string, path: string): string => (folder === '/' ? `/${path}` : `${folder}/${path}`)
