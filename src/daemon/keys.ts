import { lstatSync, readFileSync } from 'node:fs'
import { checkPrivate, type Home } from './home.ts'
import { writeWhole } from './write-whole.ts'

/** Where the HTTP door is and what opens it. Settings of clients hold the first two, so they stay as they are. */
export interface Keys {
  readonly port: number
  /** Opens the hooks and nothing else. */
  readonly hook: string
  /** Opens everything. */
  readonly full: string
}

/** Above what needs rights, and below what systems give to outgoing connections, which could be in our way. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]

/** Each call gives another port, with the tokens that are known or new ones. */
export function newKeys(known: Partial<Keys> = {}): Keys {
  // Found at its first use, because it would be the slowest import of a daemon that starts.
  const { randomBytes, randomInt } = process.getBuiltinModule('node:crypto')
  return {
    port: randomInt(FIRST_PORT, LAST_PORT),
    hook: randomBytes(32).toString('base64url'),
    full: randomBytes(32).toString('base64url'),
    ...known,
  }
}

/** What is known of them; a file that was damaged says nothing. */
export function readKeys(home: Home): Partial<Keys> {
  const [hook, full] = [readKey(home.hookKey), readKey(home.fullKey)]
  return {
    ...(hook !== undefined && { port: hook.port, hook: hook.token }),
    ...(full !== undefined && { full: full.token }),
  }
}

/** The key of hooks stands alone: shells read it, and what they read they may show. */
export function writeKeys(home: Home, { port, hook, full }: Keys): void {
  writeWhole(home.fullKey, `${JSON.stringify({ port, token: full })}\n`)
  writeWhole(home.hookKey, `${JSON.stringify({ port, token: hook })}\n`)
}

function readKey(path: string): { readonly port: number; readonly token: string } | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  // What others could read is no secret any more.
  checkPrivate(path)
  try {
    const { port, token } = JSON.parse(readFileSync(path, 'utf8')) as { port?: unknown; token?: unknown }
    if (typeof token !== 'string' || !/^[\w-]{43}$/.test(token)) return undefined
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536
      ? { port, token }
      : undefined
  } catch {
    return undefined
  }
}
