import { asksHome } from '../../hook/commands.ts'
import { AGENT_VARIABLES } from '../../model/agent.ts'
import type { Calls, HttpKey } from '../../model/client-settings.ts'
import { valueAt } from '../json-text.ts'
import { isCalledFor, oursIn } from './called.ts'
import { canaries } from './canaries.ts'
import { fieldsOf } from './fields.ts'
import { urlOf } from './handlers.ts'
import { fitsUrl, obstaclesIn, URLS } from './obstacles.ts'
import { readPlugins } from './plugin.ts'
import { checked, isBlank, isStrict, type Placed } from './settings-text.ts'

const VARIABLES = 'httpHookAllowedEnvVars'

/** What in settings makes the client call us. A client ignores a file that is not strict JSON. */
export function callsIn(text: string, { port }: Pick<HttpKey, 'port'>): Calls {
  const body = isBlank(text) ? '{}' : checked(text)
  const read = isStrict(body) ? body : '{}'
  const plugins = Object.entries(readPlugins(read)).flatMap(([name, isOn]) => (isOn ? [name] : []))
  const kinds = new Set(obstaclesIn(read).map(({ kind }) => kind))
  const [urls, variables] = [valueAt(read, [URLS]), valueAt(read, [VARIABLES])]
  return {
    ours: [...oursIn(read).map((placed) => JSON.stringify(placed)), ...plugins],
    allowed: [
      ...(['disabled', 'managed'] as const).filter((kind) => !kinds.has(kind)),
      ...urlsAt(port).filter((url) => !Array.isArray(urls) || urls.some((one) => fitsUrl(one, url))),
      ...AGENT_VARIABLES.filter((name) => !Array.isArray(variables) || variables.includes(name)),
    ],
  }
}

/** Whether the client asks us before each tool call and waits for our answer; its lists of all files count together. */
export function asksUs(texts: readonly string[], wiring: HttpKey): boolean {
  const read = texts.filter((text) => !isBlank(text) && isStrict(checked(text))).map((text) => checked(text))
  const lists = read.map((body) => valueAt(body, [URLS])).filter(Array.isArray)
  const isOpen = (url: string) => lists.length === 0 || lists.flat().some((one) => fitsUrl(one, url))
  if (read.some((body) => Object.values(readPlugins(body)).includes(true))) return true
  const ours = read.flatMap(oursIn).filter((placed) => isObeyed(placed, wiring, isOpen))
  return canaries('')
    .filter(({ wants }) => wants === 'refusal')
    .every((canary) => ours.some((placed) => isCalledFor(placed, canary)))
}

/** The client ignores what a hook in the background says, or one that it does not wait for. */
function isObeyed({ handler }: Placed, key: HttpKey, isOpen: (url: string) => boolean): boolean {
  const { type, url, command, headers, timeout, async: isAsync, asyncRewake } = handler
  if (isAsync === true || asyncRewake === true || (timeout !== undefined && Number(timeout) < 1)) return false
  if (type !== 'http') return asksHome(String(command), key.home)
  const isAuthorized = fieldsOf(headers)['Authorization'] === `Bearer ${key.token}`
  return isAuthorized && urlsAt(key.port).includes(String(url)) && isOpen(String(url))
}

/** What older versions added to the URL of a strict hook. */
const ADVICE = '#Holdfast:no-reply-in-strict-mode.Run:holdfast-daemon-start'

const urlsAt = (port: number | string): readonly string[] => [urlOf(port), `${urlOf(port)}/strict${ADVICE}`]
