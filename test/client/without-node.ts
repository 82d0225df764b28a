import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a folder with the commands of this machine, without any Node. */
export function withoutNode(folder: string): string {
  mkdirSync(folder)
  const names = readdirSync('/usr/bin').filter((name) => !/^(?:node|nodejs|npm|npx|corepack)$/.test(name))
  for (const name of names) symlinkSync(join('/usr/bin', name), join(folder, name))
  return folder
}
