import { get } from 'node:http'
import { clients } from '../../../clients/index.ts'
import { pauseReader } from '../../../daemon/pause.ts'
import { VERSION } from '../../../daemon/version.ts'
import { FLAWS, type Flaw, type Way } from '../../../model/client-settings.ts'
import { timestamp } from '../../../model/clock.ts'
import { relativeTime } from '../../../model/text/time.ts'
import { type Trial, tryHooks } from '../../install/canary.ts'
import { INSTALL, isOnPath } from '../../install/warnings.ts'
import type { Check, Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { hookedIn } from './settings.ts'
import { byClient, type Source } from '../sources.ts'

/** Long enough ago it is a story, not a state. */
const RECENT_MILLISECONDS = 600_000
const LOOK_MILLISECONDS = 2000

const waysOf = ({ client, text }: Source): readonly Way[] => client.settings.read(text, { port: 0 }).ways

const flawed = (code: Flaw['code']): Check => ({
  code,
  severity: 'broken',
  finds: FLAWS[code],
  mends: 'holdfast init --scope SCOPE --yes',
  look: (scene) =>
    scene.sources().flatMap(({ client, text, path, renew }) =>
      client.settings
        .flaws(text)
        .filter((flaw) => flaw.code === code)
        .map(({ detail }) => ({ detail: `${path}: ${detail}`, fix: renew })),
    ),
})

const portOf = (way: Way): number | undefined =>
  way.kind === 'http' ? Number(new URL(way.url).port) : undefined

async function deadPorts(scene: Scene): Promise<readonly Problem[]> {
  const { status } = await scene.reached()
  const port = status?.http.port ?? undefined
  if (port === undefined) return []
  const problems: Problem[] = []
  for (const source of scene.sources())
    for (const named of new Set(waysOf(source).flatMap((way) => portOf(way) ?? [])))
      if (named !== port) {
        const detail = `${source.path}: hooks call port ${named}, where ${await whoAt(named)}; the daemon is at ${port}.`
        problems.push({ detail, fix: source.renew })
      }
  return problems
}

/** Asked without the token, which is for the daemon only. */
export async function whoAt(port: number, patience = LOOK_MILLISECONDS): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  // Not by fetch, which asks nobody at the ports that browsers forbid.
  const signal = AbortSignal.timeout(patience)
  const request = get({ host: '127.0.0.1', port, agent: false, signal }, () => {
    resolve('a stranger answers')
    request.destroy()
  })
  request.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ECONNREFUSED') resolve('nobody listens')
    else if (signal.aborted) resolve('no answer came')
    else resolve(`no answer of HTTP came (${code ?? message})`)
  })
  return await promise
}

const tried = new WeakMap<Scene, Promise<readonly (readonly [Source, readonly Trial[]])[]>>()

/** Every event by every handler that can come to this daemon; those of a stranger's port are not sent anything. */
async function trialsOf(scene: Scene): Promise<readonly (readonly [Source, readonly Trial[]])[]> {
  const known = tried.get(scene) ?? tryAll(scene)
  tried.set(scene, known)
  return await known
}

async function tryAll(scene: Scene) {
  const { status } = await scene.reached()
  // A daemon of another version may not know what a canary is.
  if (status?.version !== VERSION) return []
  const port = status.http.listening ? (status.http.port ?? undefined) : undefined
  const all: (readonly [Source, readonly Trial[]])[] = []
  for (const source of hookedIn(scene.sources())) {
    const isTried = ({ way }: { way: Way }) => way.kind === 'command' || portOf(way) === port
    all.push([source, await tryHooks(scene.io, scene.remote, source, isTried)])
  }
  return all
}

const failed = (fault: Trial['fault'], about: Pick<Check, 'code' | 'finds' | 'mends'>): Check => ({
  ...about,
  severity: 'broken',
  async look(scene) {
    return (await trialsOf(scene)).flatMap(([source, trials]) => {
      const those = trials.filter((trial) => trial.fault === fault)
      return [...Map.groupBy(those, ({ way, detail }) => `by ${way}: ${detail}`)].map(([what, same]) => {
        const events = [...new Set(same.map(({ event }) => event))].join(', ')
        // What comes through and is answered wrongly is no fault of the settings.
        const fix = fault === 'route' ? openRoute(scene, source) : about.mends
        return { detail: `${source.path}: ${events} ${what}.`, fix }
      })
    })
  },
})

/** What lets events come: writing shared hooks anew would write the same, where what they call is not there. */
function openRoute({ io, home }: Scene, { kind, renew }: Source): string {
  if (!home.opensHttp) return 'unset HOLDFAST_HTTP && holdfast daemon stop'
  const isShared = kind === 'project' || kind === 'plugin'
  return isShared && !isOnPath(io) ? INSTALL : renew
}

const twice = (scene: Scene): readonly Problem[] => byClient(scene.sources()).flatMap(twiceIn)

/** A client calls equal handlers of settings once, all others, a plugin's too, as often as there are. */
function twiceIn(sources: readonly Source[]): readonly Problem[] {
  const [first, ...others] = hookedIn(sources)
  if (first === undefined) return []
  return others
    .filter((source) => source.kind === 'plugin' || !isSame(waysOf(source), waysOf(first)))
    .map(({ path, remove }) => ({
      detail: `Events come twice: ${first.path} has hooks, and ${path} too.`,
      fix: remove,
    }))
}

const isSame = (one: readonly Way[], other: readonly Way[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

async function faults(scene: Scene): Promise<readonly Problem[]> {
  const { status } = await scene.reached()
  const known = status?.hook_faults ?? null
  const since = known === null ? Infinity : Date.now() - Date.parse(known.last_at)
  if (known === null || since > RECENT_MILLISECONDS) return []
  const detail = `${known.count} failed since the daemon started, the last ${relativeTime(known.last_at)}: ${known.last} More is in: holdfast logs --level warn.`
  return [{ detail, fix: 'holdfast daemon stop' }]
}

const disablingPlugins = [...clients.values()].flatMap(({ plugins }) => plugins?.disable('NAME') ?? [])

export const hooks: Group = {
  name: 'hooks',
  async well(scene) {
    const lines = (await trialsOf(scene)).map(([{ path }, trials]) => {
      const refused = trials.filter(({ detail }) => detail === 'refused').length
      const ways = [...new Set(trials.map(({ way }) => way))].join(', ')
      return `${path}: ${trials.length} events came through by ${ways}, and ${refused} were refused as they must be.`
    })
    return lines.length === 0 ? undefined : lines.join(' ')
  },
  checks: [
    {
      code: 'hooks-none',
      severity: 'warning',
      finds: 'no hooks are installed here, so that nothing is seen or enforced',
      mends: 'holdfast init --yes',
      look: (scene) =>
        scene.sources().some(({ client, text }) => client.settings.flaws(text).length > 0) ||
        hookedIn(scene.sources()).length > 0
          ? []
          : [{ detail: 'None are installed here.', fix: 'holdfast init --yes' }],
    },
    ...(Object.keys(FLAWS) as Flaw['code'][]).map(flawed),
    {
      code: 'hook-port',
      severity: 'broken',
      finds: 'settings name a port where nobody listens, or a stranger',
      mends: 'holdfast init --scope SCOPE --yes',
      look: deadPorts,
    },
    failed('route', {
      code: 'hook-route',
      finds: 'an event that was sent as the client would send it did not come to the daemon',
      mends: 'holdfast init --scope SCOPE --yes',
    }),
    failed('gate', {
      code: 'hook-gate',
      finds: 'an event came to the daemon, and the client would not hear the refusal',
      mends: 'holdfast daemon stop',
    }),
    {
      code: 'hooks-twice',
      severity: 'broken',
      finds: 'hooks are installed twice, so that every event comes twice',
      mends: ['holdfast uninstall --scope SCOPE', ...disablingPlugins].join(', or '),
      look: twice,
    },
    {
      code: 'hooks-failing',
      severity: 'broken',
      finds: 'hooks have failed in the last ten minutes, and let everything pass',
      mends: 'holdfast daemon stop',
      look: faults,
    },
    {
      code: 'hooks-paused',
      severity: 'warning',
      finds: 'a pause is on, in which nothing is refused',
      mends: 'holdfast pause off',
      look({ home }) {
        const until = pauseReader(home)(Date.now())
        if (until === undefined) return []
        const detail = `Nothing is enforced; the pause ends ${relativeTime(timestamp(until))}.`
        return [{ detail, fix: 'holdfast pause off' }]
      },
    },
  ],
}
