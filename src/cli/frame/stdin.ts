import { fstatSync } from 'node:fs'
import type { Io } from './io.ts'

/** A here-document is available at once, but an idle pipe would block until it closes. */
const PATIENCE_MILLISECONDS = 500

/** Optional piped input; undefined if none arrives in time. */
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
    // After the first byte, read to the end.
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
