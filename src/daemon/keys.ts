import { lstatSync, readFileSync } from 'node:fs'
import { checkPrivate, type Home } from './home.ts'
import { writeForNow } from './write-whole.ts'

/** The HTTP port, which stays the same, and its tokens, which each daemon makes anew. */
export interface Keys {
  readonly port: number
  /** The token for hooks only. */
  readonly hook: string
  /** The daemon's answer to that token; nobody else can know it. */
  readonly countersign: string
  /** The hook token in client settings that an older version wrote; it stays valid and gets no countersign. */
  readonly settings?: string
  /** The token for all routes. */
  readonly full: string
}

/** Above privileged ports and below the range for outgoing connections, to avoid conflicts. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]

/** What the next daemon keeps: a program that had the port since may have been sent the other tokens. */
export const keptKeys = ({ port, settings }: Partial<Keys>): Partial<Keys> => ({
  ...(port !== undefined && { port }),
  ...(settings !== undefined && { settings }),
})

/** A new random port and new tokens, except for the known values. */
export function newKeys(known: Partial<Keys> = {}): Keys {
  // Loaded at first use, because the import would slow the start of the daemon.
  const { randomBytes, randomInt } = process.getBuiltinModule('node:crypto')
  return {
    port: randomInt(FIRST_PORT, LAST_PORT),
    hook: randomBytes(32).toString('base64url'),
    countersign: randomBytes(32).toString('base64url'),
    full: randomBytes(32).toString('base64url'),
    ...known,
  }
}

/** The stored keys; a damaged file counts as missing. */
export function readKeys(home: Home): Partial<Keys> {
  const [hook, full] = [readKey(home.hookKey), readKey(home.fullKey)]
  return {
    ...(hook !== undefined && { port: hook.port, ...hookKeys(hook) }),
    ...(full !== undefined && { full: full.token }),
  }
}

/**
 * Writes the hook key to a separate file, because shells read it and may leak it. No sync delays the first answer:
 * after a power cut, the next daemon makes new keys.
 */
export function writeKeys(home: Home, { port, hook, countersign, settings, full }: Keys): void {
  writeForNow(home.fullKey, `${JSON.stringify({ port, token: full })}\n`)
  writeForNow(home.hookKey, `${JSON.stringify({ port, token: hook, countersign, settings })}\n`)
}

interface Stored {
  readonly port: number
  readonly token: string
  readonly countersign?: unknown
  readonly settings?: unknown
}

/** Older versions wrote no countersign, and their token into client settings. */
function hookKeys({ token, countersign, settings }: Stored): Partial<Keys> {
  if (!isSecret(countersign)) return { settings: token }
  return { hook: token, countersign, ...(isSecret(settings) && { settings }) }
}

function readKey(path: string): Stored | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  // A key that others could read is not a secret.
  checkPrivate(path)
  try {
    const { port, token, ...more } = JSON.parse(readFileSync(path, 'utf8')) as Record<keyof Stored, unknown>
    if (!isSecret(token)) return undefined
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536
      ? { port, token, ...more }
      : undefined
  } catch {
    return undefined
  }
}

const isSecret = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value)
