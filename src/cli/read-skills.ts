import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Parsed } from '../model/definition.ts'
import { EngineError } from '../model/error.ts'
import type { Io } from './io.ts'

export interface Below {
  readonly root: string
  readonly parsed: readonly Parsed[]
  /** The lines of a file that was read, for showing them. */
  readonly lines: (file: string) => readonly string[]
}

/** Every skill below a folder, parsed, with what is wrong with it. */
export async function readBelow(io: Io, given: string): Promise<Below> {
  const path = resolve(io.cwd, given)
  if (!existsSync(path))
    throw new EngineError('not-found', `${path} does not exist.`, { hint: 'holdfast skill check FOLDER' })
  const root = statSync(path).isDirectory() ? path : dirname(path)
  const [{ walk }, { readAll }] = await Promise.all([
    import('../files/walk.ts'),
    import('../skills/read-all.ts'),
  ])
  const texts = new Map<string, string>()
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
    texts.set(file, text)
    return text
  }
  const { files, unread } = await walk(root, /\.(md|ya?ml)$/i)
  for (const folder of unread) io.note(`${folder} could not be read and was left out.`)
  const parsed = readAll(files, textOf)
  return { root, parsed, lines: (file) => textOf(file).split(/\r\n?|\n/) }
}
