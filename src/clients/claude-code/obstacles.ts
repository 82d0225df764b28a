import type { Obstacle } from '../../model/client-settings.ts'
import { drop, put, valueAt } from '../json-text.ts'
import { withoutMarks } from '../json-marks.ts'
import { listOf } from './fields.ts'
import { isStrict } from './settings-text.ts'

/** The setting with the URLs that hooks may call. */
export const URLS = 'allowedHttpHookUrls'

/** Settings that keep the client from calling us. */
export function obstaclesIn(body: string, urls: readonly string[]): readonly Obstacle[] {
  const plugins = valueAt(body, ['strictPluginOnlyCustomization'])
  return [
    ...(isStrict(body)
      ? []
      : [
          {
            kind: 'unread' as const,
            says: 'The client ignores this whole file, because it has comments or trailing commas.',
          },
        ]),
    ...(valueAt(body, ['disableAllHooks']) === true
      ? [{ kind: 'disabled' as const, says: '`disableAllHooks` turns off every hook.' }]
      : []),
    ...(valueAt(body, ['allowManagedHooksOnly']) === true
      ? [
          {
            kind: 'managed' as const,
            says: '`allowManagedHooksOnly` allows only hooks that the organization manages.',
          },
        ]
      : []),
    ...(plugins === true || listOf(plugins).includes('hooks')
      ? [
          {
            kind: 'managed' as const,
            says: '`strictPluginOnlyCustomization` allows only hooks from plugins.',
          },
        ]
      : []),
    ...forbidden(body, urls).map((url) => ({
      kind: 'forbidden' as const,
      says: `\`${URLS}\` does not allow ${url}.`,
    })),
  ]
}

/** Makes settings readable for the client, enables hooks and allows these URLs. */
export function withoutObstacles(body: string, urls: readonly string[]): string {
  const plain = isStrict(body) ? body : withoutMarks(body)
  const on = valueAt(plain, ['disableAllHooks']) === true ? drop(plain, ['disableAllHooks']) : plain
  return forbidden(on, urls).reduce(
    (text, url) => put(text, [URLS, listOf(valueAt(text, [URLS])).length], `${url}*`),
    on,
  )
}

function forbidden(body: string, urls: readonly string[]): readonly string[] {
  const allowed = valueAt(body, [URLS])
  return Array.isArray(allowed) ? urls.filter((url) => !allowed.some((pattern) => fitsUrl(pattern, url))) : []
}

/** The client's URL patterns have only the star as a wildcard. */
export function fitsUrl(pattern: unknown, url: string): boolean {
  if (typeof pattern !== 'string') return false
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(url)
}
