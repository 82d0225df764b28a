import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportedModule } from '../model/plan/definition.ts'

/** Beside the bundle, or in the repository of this file. */
const PLACES = ['contents', '../../contents']

/** The folder with the commands and standards that the package ships; may be missing. */
export function packagedContents(): string {
  const [first = '', ...others] = PLACES.map((place) => join(import.meta.dirname, place))
  const found = [first, ...others].find((folder) => existsSync(folder))
  return found === undefined ? first : realpathSync(found)
}

let known: ReadonlyMap<string, ExportedModule> | undefined

/** The compiled modules of the skills that the package ships, by the digest of their code. */
export const packagedModules = (): ReadonlyMap<string, ExportedModule> => (known ??= readPackaged())

function readPackaged(): ReadonlyMap<string, ExportedModule> {
  const path = join(packagedContents(), TRUSTED_FILE)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}'
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, ExportedModule>>))
}

/** Made by `npm run generate`. */
export const TRUSTED_FILE = 'trusted.json'

/** The same: what each skill of the package does and costs. */
export const CATALOGUE_FILE = 'catalogue.json'
