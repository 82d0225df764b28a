import { ownFolder } from '../../../model/client-files.ts'
import { type HttpKey, WIDEST_FIRST } from '../../../model/client-settings.ts'
import { settingsAt } from '../settings-change.ts'
import type { Look, Looking } from './look.ts'

type Where = Pick<Looking, 'context' | 'client'>

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
  try {
    return await areLost({ context, client }, paths)
  } catch {
    return false
  }
}

async function areLost({ context, client }: Where, paths: readonly string[]): Promise<boolean> {
  const { settings } = client
  const key = await keyOf({ context, client })
  const texts: string[] = []
  for (const path of new Set(paths)) texts.push((await settingsAt({ context, client }, path)) ?? '')
  const isOff = texts.map((text) => settings.read(text).off).findLast((off) => off !== undefined)
  return isOff === true || !settings.asks(texts, key)
}

/** The port and the token that hooks of an older version must name. */
async function keyOf({ context, client }: Where): Promise<HttpKey> {
  const { home } = context.daemon.status()
  const text = await settingsAt({ context, client }, `${home}/hook.json`)
  const { port, settings = '' } = JSON.parse(text ?? '{}') as { port: number; settings?: string }
  return { port, token: settings, home }
}
