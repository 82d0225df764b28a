import { EngineError } from '../../model/error.ts'
import { isStrict, type Level, LEVELS } from '../../model/level.ts'
import type { ToldProject } from '../../model/project.ts'
import { projectAround } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { PROJECT_FLAG } from '../install/settings-flags.ts'

export const enforce: Command = {
  name: 'enforce',
  summary: 'Show or set the enforcement level of this project.',
  usage: '[LEVEL]',
  places: {
    LEVEL:
      'observe (record only), enforce (refuse), strict (also refuse what cannot be decided; hooks of init --strict also while the daemon does not answer), or locked (strict, and the sandbox of the client keeps steps from every shell)',
  },
  flags: {
    project: PROJECT_FLAG,
    default: { kind: 'switch', summary: 'set the default level, for projects without a level of their own' },
    session_gate: {
      kind: 'value',
      summary: 'on: files can change only during an effort; off: at any time',
    },
  },
  examples: [
    'holdfast enforce',
    'holdfast enforce observe',
    'holdfast enforce strict --project ../other',
    'holdfast enforce locked',
    'holdfast enforce observe --default',
    'holdfast enforce --session-gate on',
  ],
  async run(io, { positionals, values, switches }) {
    const level = levelOf(positionals[0])
    const gate = gateOf(values['session_gate'])
    if (switches.has('default')) return await setDefault(io, level)
    if (level === 'locked') await lock(io, values)
    const { clientWords, placesOfAll, projectFolder, wiredAt } = await import('../install/place.ts')
    const here = projectFolder(io, values)
    using remote = new Remote(io)
    const known = await (level === undefined && gate === undefined ? find(remote, here) : keep(remote, here))
    const project = await set(remote, known, { level, gate })
    const wired = placesOfAll(io, values)
      .map((place) => ({ ...place, ...wiredAt(place), words: clientWords(place.client) }))
      .filter(({ ways }) => ways.length > 0)
    const hooks = wired.map(({ scope, file, failsClosed }) => ({
      scope,
      path: file.path,
      fails_closed: failsClosed,
    }))
    const advice = adviceFor(project.level, wired)
    const { session_gate } = project
    const result = { project: project.path, level: project.level, session_gate, hooks, advice }
    printResult(io, result, () =>
      [
        `${project.path}: ${paint(io, 'bold', project.level)}`,
        ...(session_gate ? ['Files can change only during an effort.'] : []),
        ...advice,
      ].join('\n'),
    )
    return 0
  },
}

async function setDefault(io: Io, level: Level | undefined): Promise<number> {
  if (level === 'locked')
    throw usage('Each project is locked by itself.', 'cd PROJECT && holdfast enforce locked')
  if (level === undefined) throw usage('--default needs a LEVEL.', 'holdfast enforce enforce --default')
  using remote = new Remote(io)
  await remote.call('db.project.setLevel', { level })
  printResult(io, { project: null, level }, () => `Projects without a level of their own: ${level}`)
  return 0
}

/** The sandbox is in the settings of the client, so they are written as by `init`. */
async function lock(io: Io, values: Readonly<Record<string, string>>): Promise<void> {
  const { runInit } = await import('../install/init.ts')
  const { project } = values
  const switches = new Set(['locked', 'yes'])
  const given = {
    positionals: [],
    values: { scope: 'local', ...(project !== undefined && { project }) },
    switches,
  }
  const code = await runInit({ ...io, json: false, out: (text) => io.note(text) }, given)
  if (code !== 0)
    throw new EngineError('unavailable', 'The hooks do not work yet.', { hint: 'holdfast doctor' })
}

function levelOf(text: string | undefined): Level | undefined {
  const level = LEVELS.find((one) => one === text)
  if (text !== undefined && level === undefined)
    throw usage(
      `Unknown level ${JSON.stringify(text)}; choose one of ${LEVELS.join(', ')}.`,
      'holdfast enforce enforce',
    )
  return level
}

function gateOf(text: string | undefined): boolean | undefined {
  if (text === undefined || text === 'on' || text === 'off')
    return text === undefined ? undefined : text === 'on'
  throw usage(
    `--session-gate must be on or off, not ${JSON.stringify(text)}.`,
    'holdfast enforce --session-gate on',
  )
}

async function find(remote: Remote, here: string): Promise<ToldProject> {
  const known = await projectAround(remote, here)
  if (known !== undefined) return known
  throw new EngineError('not-found', `${here} is not in a registered project.`, {
    hint: 'holdfast enforce enforce',
  })
}

async function keep(remote: Remote, here: string): Promise<ToldProject> {
  const known = await projectAround(remote, here)
  if (known !== undefined) return known
  const { path } = await remote.call<ToldProject>('db.project.upsert', { path: here })
  return await find(remote, path)
}

async function set(
  remote: Remote,
  project: ToldProject,
  wish: { readonly level: Level | undefined; readonly gate: boolean | undefined },
): Promise<ToldProject> {
  const { path } = project
  const { level = project.level, gate = project.session_gate } = wish
  if (wish.level !== undefined) await remote.call('db.project.setLevel', { path, level })
  if (wish.gate !== undefined) await remote.call('db.project.setSessionGate', { path, on: gate })
  return { ...project, level, session_gate: gate }
}

interface Hooked {
  readonly scope: string
  readonly failsClosed: boolean
  readonly lock?: unknown
  /** The flag that names its client in a command. */
  readonly words: string
}

/** While the daemon does not answer, only the client settings decide whether calls pass. */
function adviceFor(level: Level, hooked: readonly Hooked[]): readonly string[] {
  const init = (scope: string, words = '') => `holdfast init${words} --scope ${scope} --${level}`
  const [first] = hooked
  if (first === undefined)
    return [
      `No hooks are installed here yet. Install them: ${isStrict(level) ? init('local') : 'holdfast init'}`,
    ]
  const locked = hooked.find(({ lock: found }) => found !== undefined)
  if (level === 'locked' && locked === undefined)
    return [`No sandbox holds shells here. Set it up: ${init('local', first.words)}`]
  if (level !== 'locked' && locked !== undefined) {
    const isSpare = hooked.some(({ scope, words }) => scope === 'user' && words === locked.words)
    const fix = isSpare ? `holdfast uninstall${locked.words} --scope local` : init('local', locked.words)
    return [`The sandbox still holds shells here. Remove it: ${fix}`]
  }
  const closing = hooked.find(({ failsClosed }) => failsClosed)
  if (isStrict(level) && closing === undefined) {
    // Hooks in a second scope would send every event twice; shared hooks cannot be strict.
    const { scope, words } = hooked.find((one) => one.scope !== 'project') ?? { ...first, scope: 'local' }
    const whose = scope === 'user' ? ' for all projects' : ''
    return [
      `If the daemon does not answer, every call still passes. Change it${whose}: ${init(scope, words)}`,
    ]
  }
  if (!isStrict(level) && closing?.scope === 'local')
    return [
      `If the daemon does not answer, hooks still refuse calls. Change it: ${init('local', closing.words)}`,
    ]
  return []
}
