import { isInside } from './project.ts'
import type { Reference } from './text/reference.ts'

/** Instructions in force for a folder and all that lies below it. */
export interface Directive {
  /** The name of its file, without `.md`. */
  readonly type: string
  readonly path: string
  /** The folder that it is in force for. */
  readonly folder: string
  /** Most are advice; a hard one must be read before anything is written where it is in force. */
  readonly kind: 'soft' | 'hard'
}

/** One that is in force where a tool call works. */
export interface TouchedDirective extends Directive {
  /** Nothing where it is too long to be told. */
  readonly text: string | undefined
  /** Whether the call writes where it is in force. */
  readonly isWritten: boolean
}

/** What a context knows of a directive: its text, only its name, or that it should have been read. */
export interface ToldDirective {
  readonly path: string
  readonly how: 'told' | 'named' | 'refused'
}

const MOST_TOLD = 1000

/** What was told last counts. */
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

/** Whether a directive's own header asks for it to be read first. */
export function kindOf(text: string): Directive['kind'] {
  const header = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text)?.[1] ?? ''
  return /^required:[ \t]*before-writing[ \t]*\r?$/m.test(header) ? 'hard' : 'soft'
}

/** The files that instructions of a client take in, as they name them. */
export const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^|\s)@([^\s`@]+)/g)].map(([, path = '']) => path.replace(/[.,;:)]+$/, ''))

/** Looked for always. */
export const CORE_TYPES: readonly string[] = ['AGENTS', 'INVARIANTS', 'ARCHITECTURE', 'COMMANDS']

/** Looked for when a skill declares them, as it may any other name. */
export const DECLARED_TYPES: readonly string[] = [
  'TESTING',
  'PITFALLS',
  'CONTRIBUTING',
  'TEMPLATE',
  'CHECKLIST',
]

const NAME = '.directives'

const FOLDER_OF = { command: 'commands', format: 'formats', invariant: 'invariants' } as const

/** `TESTING.md` and `TESTING` are one type; what cannot be the name of a file in a folder is none. */
export function directiveType(declared: string): string | undefined {
  const type = declared.replace(/\.md$/, '')
  return /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u.test(type) ? type : undefined
}

/** The core types and then the declared ones, each once; a name that no file can have leads to none. */
export function typesInForce(declared: readonly string[]): readonly string[] {
  return [...new Set([...CORE_TYPES, ...declared.flatMap((name) => directiveType(name) ?? [])])]
}

/** The folder beside the work in which its directives lie. */
export const directivesFolder = (folder: string): string => below(folder, NAME)

/** Where a directive of a folder may lie: the first that is there is the one. */
export function directivePaths(folder: string, type: string): readonly string[] {
  return [`${directivesFolder(folder)}/${type}.md`, below(folder, `${type}.md`)]
}

/** Where what a reference stands for is written down, in the directives of one folder. */
export function referencePath(folder: string, { name, kind }: Reference): string {
  return `${directivesFolder(folder)}/${FOLDER_OF[kind]}/${name}.md`
}

/** A folder and those above it up to the root, nearest first; what lies in `.directives` is of the folder beside it. */
export function foldersUp(root: string, folder: string): readonly string[] {
  const folders: string[] = []
  for (let at = folder; at !== root && isInside(root, at); at = parentOf(at)) folders.push(at)
  const inDirectives = folders.findLastIndex((path) => path.endsWith(`/${NAME}`))
  return [...folders.slice(inDirectives + 1), root]
}

/** Paths here are absolute and canonical, so this is a question of text. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

const below = (folder: string, path: string): string => (folder === '/' ? `/${path}` : `${folder}/${path}`)
