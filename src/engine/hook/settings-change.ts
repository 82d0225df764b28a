import type { Client } from '../../model/client.ts'
import type { Touch } from '../../model/event.ts'
import type { Context } from '../call/context.ts'

type Where = Readonly<{ context: Context; client: Client }>

/** Whether a write takes our hooks out of settings, or turns hooks off; a shell does not show what it makes. */
export async function losesHooks(where: Where, path: string, makes: Touch['makes']): Promise<boolean> {
  if (makes === undefined) return true
  const before = await settingsAt(where, path)
  const now = hooksIn(where, before ?? '')
  const then = hooksIn(where, typeof makes === 'string' ? makes : replaced(before ?? '', makes))
  // Settings that the client cannot read are not used, so neither are our hooks in them.
  if (then === undefined) return now !== undefined && now.called.some((count) => count > 0)
  const isLess = now?.called.some((count, index) => count > (then.called[index] ?? 0)) === true
  return isLess || (then.isOff && now?.isOff !== true)
}

const LONGEST_SETTINGS = 1_000_000

/** The text of settings; undefined if there are none. */
export async function settingsAt({ context: { files } }: Where, path: string): Promise<string | undefined> {
  if ((await files.kind(path)) !== 'file') return undefined
  const root = path.slice(0, path.lastIndexOf('/'))
  return (await files.read({ path, root, offset: 0, limit: LONGEST_SETTINGS })).content
}

/** How many of our handlers each event calls, our plugin included; undefined if the text cannot be understood. */
function hooksIn({ context: { daemon }, client }: Where, text: string) {
  try {
    const { settings } = client
    const { off, plugins = {} } = settings.read(text, { port: daemon.status().http.port ?? 0 })
    const handlers = client.canaries('').map((canary) => settings.called(text, canary).length)
    const enabled = Object.values(plugins).filter((isEnabled) => isEnabled).length
    return { isOff: off === true, called: [...handlers, enabled] }
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
