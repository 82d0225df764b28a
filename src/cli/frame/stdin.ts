import { fstatSync } from 'node:fs'
import type { Io } from './io.ts'

/** A here-document is there at once; a pipe that nobody writes to would be waited for until it is closed. */
const PATIENCE_MILLISECONDS = 500

/** What was piped into a command that may also be run without; nothing where nothing comes. */
export async function pipedText({ input }: Io): Promise<string | undefined> {
  const text = input ?? (await read())
  return text.trim() === '' ? undefined : text
}

async function read(): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY || !isPiped()) return ''
  const parts: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  const silence = setTimeout(ended.resolve, PATIENCE_MILLISECONDS)
  stdin.on('data', (part: Buffer) => {
    // Whoever has begun to write is heard to the end.
    clearTimeout(silence)
    parts.push(part)
  })
  stdin.on('end', ended.resolve).on('error', ended.reject)
  await ended.promise.finally(() => {
    clearTimeout(silence)
    stdin.destroy()
  })
  return Buffer.concat(parts).toString('utf8')
}

function isPiped(): boolean {
  try {
    const kind = fstatSync(0)
    return kind.isFIFO() || kind.isFile() || kind.isSocket()
  } catch {
    return false
  }
}
