import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the bundle, or in the repository of this file. */
const PLACES = ['contents', '../../contents']

/** The folder with the commands and standards that the package ships; may be missing. */
export function packagedContents(): string {
  const [first = '', ...others] = PLACES.map((place) => join(import.meta.dirname, place))
  const found = [first, ...others].find((folder) => existsSync(folder))
  return found === undefined ? first : realpathSync(found)
}
