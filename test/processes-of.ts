import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** All processes that have a folder in their environment. */
export function processesOf(folder: string): readonly string[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(folder)
    } catch {
      return false
    }
  })
}
