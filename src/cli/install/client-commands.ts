import { readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { ownFolder } from '../../model/client-files.ts'
import { commandFile, IN_CLIENT_NAMES, isCommandFile } from '../../model/in-client.ts'
import { counted } from '../../model/text/line.ts'
import type { Place } from './place.ts'

type Where = Pick<Place, 'home' | 'client' | 'scope'>

/** Our commands as files in the user's folder of the client; other scopes are shared, or one of many. */
const filesIn = ({ home, client, scope }: Where) =>
  scope === 'user'
    ? IN_CLIENT_NAMES.map((name) => ({
        path: join(ownFolder(home.user, client), 'commands', `holdfast-${name}.md`),
        text: commandFile(name),
      }))
    : []

/** Writes the commands, and returns their names in the client; a file of somebody else stays as it is. */
export function writeCommands(place: Where): readonly string[] {
  for (const { path, text } of missingIn(place)) {
    makeFoldersSync(dirname(path))
    writeWhole(path, text, 0o644)
  }
  return ownIn(place).map(({ path }) => nameOf(path))
}

/** Which commands `init` will write, in one sentence; undefined if none. */
export function commandsPlan(place: Where): string | undefined {
  const files = missingIn(place)
  const [first] = files
  if (first === undefined) return undefined
  return `Commands in the client: ${counted(files.length, 'file')} in ${dirname(first.path)}.`
}

const ownIn = (place: Where) => filesIn(place).filter(({ path }) => isFree(path))

const missingIn = (place: Where) => ownIn(place).filter(({ path, text }) => contentOf(path) !== text)

/** Removes the commands that we wrote, and their folder if nothing else is in it. */
export function removeCommands(place: Where, isDry: boolean): readonly string[] {
  const files = ownIn(place).filter(({ path }) => contentOf(path) !== undefined)
  if (isDry) return files.map(({ path }) => path)
  for (const { path } of files) rmSync(path)
  const [first] = files
  if (first !== undefined) removeEmpty(dirname(first.path))
  return files.map(({ path }) => path)
}

const nameOf = (path: string): string => `/${path.replace(/^.*\/|\.md$/g, '')}`

const isFree = (path: string): boolean => isCommandFile(contentOf(path) ?? commandFile('status'))

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
}
