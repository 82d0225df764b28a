import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE_FILE, packagedContents } from '../../daemon/packaged.ts'
import type { Shipped } from '../../model/catalogue.ts'
import { EngineError } from '../../model/error.ts'
import { nearest } from '../../model/text/nearest.ts'
import { listed } from '../../model/text/line.ts'

/** The command that lists what can be installed. */
export const LIST_COMMAND = 'holdfast skill list --catalogue'

/** The skills that this package ships, by name. */
export function shippedSkills(): readonly Shipped[] {
  const path = join(packagedContents(), CATALOGUE_FILE)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as readonly Shipped[]) : []
}

/** Where the package has a skill. */
export const sourceOf = (name: string): string => join(packagedContents(), 'skills', name)

/** Where the package has an agent. */
export const agentSource = (name: string): string => join(packagedContents(), 'agents', `${name}.md`)

const ROOM = 400

/** The error for a name that the package does not ship. */
export function notShipped(name: string, all: readonly Shipped[]): EngineError {
  const names = all.map((one) => one.name)
  const meant = nearest(name, names)
  const others =
    meant.length === 0 ? `; it ships ${listed(names, ROOM)}.` : `; did you mean ${meant.join(' or ')}?`
  return new EngineError('not-found', `Holdfast ships no skill ${name}${others}`, { hint: LIST_COMMAND })
}
