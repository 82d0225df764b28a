import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { PROVIDERS } from '../model/ai-provider.ts'
import type { Environment } from '../model/client-files.ts'
import { EngineError } from '../model/error.ts'
import { shellWord } from '../model/shell/word.ts'

const MOST_BYTES = 4096

/** Finds the key of a provider: in its environment variable, else in a file of the folder that only the user can read. */
export const keyFinder =
  (env: Environment, folder: string) =>
  (provider: string): string | undefined => {
    const variable = PROVIDERS[provider]?.variable ?? ''
    const given = env[variable]?.trim() ?? ''
    const path = join(folder, provider)
    const key = given === '' ? inFile(path) : given
    // Nothing of the key is shown.
    if (key !== undefined && !/^[\x21-\x7E]+$/.test(key))
      throw new EngineError('invalid', `The key of ${provider} has a character that no key has.`, {
        hint: given === '' ? `Write it again to ${path}.` : `Set ${variable} again.`,
      })
    return key
  }

function inFile(path: string): string | undefined {
  const file = opened(path)
  if (file === undefined) return undefined
  try {
    const info = fstatSync(file)
    if (!info.isFile()) throw notTrusted(path, 'is no regular file')
    if (info.uid !== userInfo().uid) throw notTrusted(path, 'does not belong to this user')
    if ((info.mode & 0o077) !== 0)
      throw new EngineError('forbidden', `${path} is accessible to other users, so its key is not used.`, {
        hint: `chmod 600 ${shellWord(path)}`,
      })
    const bytes = Buffer.alloc(MOST_BYTES + 1)
    const length = readSync(file, bytes)
    if (length > MOST_BYTES) throw notTrusted(path, `has more than ${MOST_BYTES} bytes`)
    const key = bytes.toString('utf8', 0, length).trim()
    return key === '' ? undefined : key
  } finally {
    closeSync(file)
  }
}

/** Never follows a link: it could name a file that others write. NONBLOCK, because opening a pipe would wait. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw notTrusted(path, 'is a symbolic link')
    throw notTrusted(path, `cannot be read (${code})`)
  }
}

const notTrusted = (path: string, why: string) =>
  new EngineError('forbidden', `${path} ${why}, so its key is not used.`, { hint: 'holdfast ai status' })
