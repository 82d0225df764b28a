import { existsSync } from 'node:fs'

/** A name beside a file that nothing has yet. */
export function freeName(path: string, ending: string): string {
  for (let count = 1; ; count++) {
    const name = `${path}.${ending}${count === 1 ? '' : `-${count}`}`
    if (!existsSync(name)) return name
  }
}
