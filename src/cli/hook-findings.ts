import type { Way } from '../model/client.ts'
import { EngineError } from '../model/error.ts'
import { fireCanary } from './canary.ts'
import { Client } from './client.ts'
import type { Finding } from './finding.ts'
import type { Io } from './io.ts'
import { type Place, placesOf, wiredAt } from './place.ts'
import { disableCommand, enabledPlugins } from './plugin-enabled.ts'

/** How the hooks fare that count in this folder: whether they are there, once, and come through. */
export async function hookFindings(io: Io): Promise<readonly Finding[]> {
  using daemon = new Client(io)
  const status = await daemon.call<{ http: { port?: number } }>('daemon.status')
  const found: { place: Place; ways: readonly Way[] }[] = []
  const findings: Finding[] = []
  const places = placesOf(io, {})
  const plugins = enabledPlugins(places)
  for (const place of places) {
    try {
      const { ways, obstacles } = wiredAt(place, status.http.port)
      for (const obstacle of obstacles)
        findings.push(broken(`${place.file.path}: ${obstacle}`, mendBy(place)))
      if (ways.length > 0) found.push({ place, ways })
    } catch (error) {
      const fix = error instanceof EngineError ? error.hint : undefined
      findings.push(broken(error instanceof Error ? error.message : String(error), fix))
    }
  }
  for (const { place, ways } of found) findings.push(await tried(io, daemon, place, ways))
  if (found.length === 0)
    findings.push({
      ...HOOKS,
      ok: true,
      detail: plugins.length === 0 ? NONE : `By the plugin ${plugins[0]}.`,
    })
  return [...findings, ...twice(found), ...besidePlugins(found, plugins)]
}

const NONE = 'None are installed here: holdfast init'

const HOOKS = { check: 'hooks' } as const

const broken = (detail: string, fix: string | undefined): Finding => ({
  ...HOOKS,
  ok: false,
  detail,
  ...(fix !== undefined && { fix }),
})

const mendBy = ({ file }: Place): string => `Take it out of ${file.path}`

async function tried(io: Io, daemon: Client, place: Place, ways: readonly Way[]): Promise<Finding> {
  const { scope, file, project } = place
  for (const way of ways) {
    const { ok, detail, way: name } = await fireCanary(io, daemon, way, project)
    if (!ok)
      return broken(
        `${file.path}: by ${name} nothing comes through: ${detail}.`,
        `holdfast init --scope ${scope}`,
      )
  }
  return { ...HOOKS, ok: true, detail: `Scope ${scope} comes through (${file.path}).` }
}

/** The client calls equal handlers once, others as often as there are. */
function twice(found: readonly { place: Place; ways: readonly Way[] }[]): readonly Finding[] {
  const [first, ...others] = found
  return others
    .filter(({ ways }) => JSON.stringify(ways) !== JSON.stringify(first?.ways))
    .map(({ place }) =>
      broken(
        `Events come twice: scope ${first?.place.scope} has hooks, and scope ${place.scope} too.`,
        `holdfast uninstall --scope ${place.scope}`,
      ),
    )
}

/** The client calls the handlers of a plugin beside all others. */
function besidePlugins(
  found: readonly { readonly place: Place }[],
  plugins: readonly string[],
): readonly Finding[] {
  const sources = [
    ...found.map(({ place }) => `scope ${place.scope}`),
    ...plugins.map((name) => `the plugin ${name}`),
  ]
  const [last] = plugins.slice(-1)
  if (last === undefined || sources.length < 2) return []
  return [broken(`Events come twice: ${sources.join(' and ')} have hooks.`, disableCommand(last))]
}
