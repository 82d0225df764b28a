import { ownFolder } from '../../../model/client-files.ts'
import { WIDEST_FIRST, type Wired } from '../../../model/client-settings.ts'
import { settingsAt } from '../settings-change.ts'
import type { Look, Looking } from './look.ts'

/** Whether changed settings of a client call us no more. */
export const hooksGone: Look = {
  find: (looking) =>
    looking.event.kind === 'config.changed'
      ? areGone(looking).then((gone) => (gone ? { hooksGone: true } : {}))
      : undefined,
}

/** In doubt they are not: a refusal needs settings that could be read. */
async function areGone({ context, client, event }: Looking): Promise<boolean> {
  if (event.kind !== 'config.changed' || event.path === undefined) return false
  const folders = { user: ownFolder(context.user, client), project: event.cwd ?? '' }
  const paths = WIDEST_FIRST.map((scope) => client.settings.path(scope, folders))
  if (!paths.includes(event.path)) return false
  const all: (Wired | undefined)[] = []
  for (const path of new Set(paths)) all.push(await wiredIn({ context, client }, path))
  if (all.includes(undefined)) return false
  const wired = all.filter((one) => one !== undefined)
  const isCalled = wired.some(
    ({ ways, plugins = {} }) => ways.length > 0 || Object.values(plugins).includes(true),
  )
  return !isCalled || wired.findLast(({ off }) => off !== undefined)?.off === true
}

/** What a settings file says about us; undefined if it cannot be read. */
async function wiredIn(
  { context, client }: Pick<Looking, 'context' | 'client'>,
  path: string,
): Promise<Wired | undefined> {
  try {
    const text = (await settingsAt({ context, client }, path)) ?? ''
    return client.settings.read(text, { port: context.daemon.status().http.port ?? 0 })
  } catch {
    return undefined
  }
}
