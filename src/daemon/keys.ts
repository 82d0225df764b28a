import { lstatSync, readFileSync } from 'node:fs'
import { checkPrivate, type Home } from './home.ts'
import { writeWhole } from './write-whole.ts'

/** The HTTP port and its tokens. Client settings contain the port and the hook token, so these stay the same. */
export interface Keys {
  readonly port: number
  /** The token for hooks only. */
  readonly hook: string
  /** The token for all routes. */
  readonly full: string
}

/** Above privileged ports and below the range for outgoing connections, to avoid conflicts. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]

/** A new random port and new tokens, except for the known values. */
export function newKeys(known: Partial<Keys> = {}): Keys {
  // Loaded at first use, because the import would slow the start of the daemon.
  const { randomBytes, randomInt } = process.getBuiltinModule('node:crypto')
  return {
    port: randomInt(FIRST_PORT, LAST_PORT),
    hook: randomBytes(32).toString('base64url'),
    full: randomBytes(32).toString('base64url'),
    ...known,
  }
}

/** The stored keys; a damaged file counts as missing. */
export function readKeys(home: Home): Partial<Keys> {
  const [hook, full] = [readKey(home.hookKey), readKey(home.fullKey)]
  return {
    ...(hook !== undefined && { port: hook.port, hook: hook.token }),
    ...(full !== undefined && { full: full.token }),
  }
}

/** Writes the hook key to a separate file, because shells read it and may leak it. */
export function writeKeys(home: Home, { port, hook, full }: Keys): void {
  writeWhole(home.fullKey, `${JSON.stringify({ port, token: full })}\n`)
  writeWhole(home.hookKey, `${JSON.stringify({ port, token: hook })}\n`)
}

function readKey(path: string): { readonly port: number; readonly token: string } | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  // A key that others could read is not a secret.
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
