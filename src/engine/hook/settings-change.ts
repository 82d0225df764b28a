import type { Calls } from '../../model/client-settings.ts'
import type { Client } from '../../model/client.ts'
import type { Touch } from '../../model/event.ts'
import type { Context } from '../call/context.ts'

type Where = Readonly<{ context: Context; client: Client }>

/** Whether a write takes out or changes our hooks in settings, or forbids them; a shell does not show what it makes. */
export async function losesHooks(where: Where, path: string, makes: Touch['makes']): Promise<boolean> {
  if (makes === undefined) return true
  const before = (await settingsAt(where, path)) ?? ''
  const now = callsIn(where, before)
  const then = callsIn(where, typeof makes === 'string' ? makes : replaced(before, makes))
  return isLess(now?.ours, then?.ours) || (then !== undefined && isLess(now?.allowed, then.allowed))
}

/** A changed handler counts as missing, because any field of it may make the client ignore us. */
const isLess = (now: readonly string[] = [], then: readonly string[] = []): boolean =>
  now.some(
    (one) => now.filter((other) => other === one).length > then.filter((other) => other === one).length,
  )

const LONGEST_SETTINGS = 1_000_000

/** The text of settings; undefined if there are none. */
export async function settingsAt({ context: { files } }: Where, path: string): Promise<string | undefined> {
  if ((await files.kind(path)) !== 'file') return undefined
  const root = path.slice(0, path.lastIndexOf('/'))
  return (await files.read({ path, root, offset: 0, limit: LONGEST_SETTINGS })).content
}

/** Undefined if the text cannot be understood: the client does not use it, so it forbids nothing either. */
function callsIn({ context: { daemon }, client }: Where, text: string): Calls | undefined {
  try {
    return client.settings.calls(text, { port: daemon.status().http.port ?? 0 })
  } catch {
    return undefined
  }
}

const replaced = (text: string, all: Exclude<Touch['makes'], string | undefined>): string =>
  all.reduce(
    (before, { from, to, isEverywhere }) =>
      isEverywhere ? before.replaceAll(from, () => to) : before.replace(from, () => to),
    text,
  )
