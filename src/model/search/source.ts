import { CORE_TYPES } from '../directive.ts'
import type { Source } from './found.ts'

/** Files that are texts for people. */
export const TEXT_FILE = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i

/** What a file of a project is for a search, by its path below the root. */
export function kindOfFile(path: string): Exclude<Source, 'message'> {
  if (/^\.holdfast\/(?:tasks|runs)\//.test(path)) return 'session'
  if (/(?:^|\/)\.[^/]+\/(?:skills|commands|agents)\//.test(path)) return 'skill'
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '')
  return CORE_TYPES.includes(name) || path.includes('.directives/') ? 'directive' : 'doc'
}

/** True if a path leads through a folder where skills and runbooks keep their steps, or what a compile made of one. */
export const isInSteps = (path: string): boolean =>
  /(?:^|\/)(?:(?:\w+-)?steps(?:-\w+)?|compiled-[0-9a-f]{12}(?:-2)?)\//i.test(path)

/** Files of which a project has many, so that the folder says what they are about. */
const USUAL = /^(?:SKILL|README|INDEX)$/i

/** The title of a file is its name, which its first heading may repeat. */
export function titleOf(path: string): string {
  const parts = path.replace(TEXT_FILE, '').split('/')
  const name = parts.at(-1) ?? ''
  return USUAL.test(name) || CORE_TYPES.includes(name) ? parts.slice(-2).join('/') : name
}

const PUT = 'put:'

/** The digest of a source that somebody put into the index, which no file has. */
export const putDigest = (digest: string): string => `${PUT}${digest}`

export const isPut = (digest: string): boolean => digest.startsWith(PUT)
