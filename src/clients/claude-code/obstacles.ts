import type { Obstacle } from '../../model/client-settings.ts'
import { drop, put, valueAt } from '../json-text.ts'
import { listOf } from './fields.ts'

const URLS = 'allowedHttpHookUrls'

/** What in settings keeps the client from calling us. */
export function obstaclesIn(body: string, urls: readonly string[]): readonly Obstacle[] {
  const plugins = valueAt(body, ['strictPluginOnlyCustomization'])
  return [
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
            says: '`strictPluginOnlyCustomization` allows only hooks of plugins.',
          },
        ]
      : []),
    ...forbidden(body, urls).map((url) => ({
      kind: 'forbidden' as const,
      says: `\`${URLS}\` does not allow ${url}.`,
    })),
  ]
}

/** Settings in which hooks are on, and these URLs allowed. */
export function withoutObstacles(body: string, urls: readonly string[]): string {
  const on = valueAt(body, ['disableAllHooks']) === true ? drop(body, ['disableAllHooks']) : body
  return forbidden(on, urls).reduce(
    (text, url) => put(text, [URLS, listOf(valueAt(text, [URLS])).length], `${url}*`),
    on,
  )
}

function forbidden(body: string, urls: readonly string[]): readonly string[] {
  const allowed = valueAt(body, [URLS])
  return Array.isArray(allowed) ? urls.filter((url) => !allowed.some((pattern) => fits(pattern, url))) : []
}

/** The client's patterns know only the star. */
function fits(pattern: unknown, url: string): boolean {
  if (typeof pattern !== 'string') return false
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(url)
}
