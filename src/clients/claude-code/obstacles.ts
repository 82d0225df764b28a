import type { Obstacle } from '../../model/client-settings.ts'
import { drop, valueAt } from '../json-text.ts'
import { withoutMarks } from '../json-marks.ts'
import { listOf } from './fields.ts'
import { isStrict } from './settings-text.ts'

/** The setting with the URLs that hooks may call. */
export const URLS = 'allowedHttpHookUrls'

/** Settings that keep the client from calling us. */
export function obstaclesIn(body: string): readonly Obstacle[] {
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
  ]
}

/** Makes settings readable for the client, and enables hooks. */
export function withoutObstacles(body: string): string {
  const plain = isStrict(body) ? body : withoutMarks(body)
  return valueAt(plain, ['disableAllHooks']) === true ? drop(plain, ['disableAllHooks']) : plain
}

/** The client's URL patterns have only the star as a wildcard. */
export function fitsUrl(pattern: unknown, url: string): boolean {
  if (typeof pattern !== 'string') return false
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(url)
}
