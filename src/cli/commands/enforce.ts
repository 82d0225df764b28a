import { EngineError } from '../../model/error.ts'
import { type Level, LEVELS } from '../../model/level.ts'
import { type Project, projectOf } from '../../model/project.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import { usage } from '../io.ts'
import { paint, printResult } from '../print.ts'
import { PROJECT_FLAG } from '../settings-flags.ts'

export const enforce: Command = {
  name: 'enforce',
  summary: 'Show or set how far plans are enforced in this project.',
  usage: '[LEVEL]',
  places: {
    LEVEL: 'observe (record only), enforce (refuse) or strict (refuse also where the daemon does not answer)',
  },
  flags: { project: PROJECT_FLAG },
  examples: ['holdfast enforce', 'holdfast enforce observe', 'holdfast enforce strict --project ../other'],
  async run(io, { positionals, values }) {
    const level = levelOf(positionals[0])
    const { placesOf, projectFolder, wiredAt } = await import('../place.ts')
    const here = projectFolder(io, values)
    using client = new Client(io)
    const project = await (level === undefined ? find(client, here) : set(client, here, level))
    const wired = placesOf(io, values)
      .map((place) => ({ scope: place.scope, path: place.file.path, ...wiredAt(place) }))
      .filter(({ ways }) => ways.length > 0)
    const hooks = wired.map(({ scope, path, failsClosed }) => ({ scope, path, fails_closed: failsClosed }))
    const advice = adviceFor(project.level ?? 'enforce', hooks)
    printResult(io, { project: project.path, level: project.level, hooks, advice }, () =>
      [`${project.path}: ${paint(io, 'bold', project.level ?? '')}`, ...advice].join('\n'),
    )
    return 0
  },
}

function levelOf(text: string | undefined): Level | undefined {
  const level = LEVELS.find((one) => one === text)
  if (text !== undefined && level === undefined)
    throw usage(`There is no level ${JSON.stringify(text)}.`, `holdfast enforce ${LEVELS.join('|')}`)
  return level
}

async function find(client: Client, here: string): Promise<Project> {
  const known = projectOf(await client.call<readonly Project[]>('db.project.list'), here)
  if (known !== undefined) return known
  throw new EngineError('not-found', `${here} is in no registered project.`, {
    hint: 'holdfast enforce enforce',
  })
}

async function set(client: Client, here: string, level: Level): Promise<Project> {
  const known = projectOf(await client.call<readonly Project[]>('db.project.list'), here)
  const project = known ?? (await client.call<Project>('db.project.upsert', { path: here }))
  await client.call('db.project.setLevel', { path: project.path, level })
  return { ...project, level }
}

interface Hooks {
  readonly scope: string
  readonly fails_closed: boolean
}

/** The daemon knows the level, but only the settings say what happens while it does not answer. */
function adviceFor(level: Level, hooks: readonly Hooks[]): readonly string[] {
  if (hooks.length === 0) {
    const words = level === 'strict' ? ' --scope local --strict' : ''
    return [`No client is hooked in here yet: holdfast init${words}`]
  }
  const closing = hooks.find((one) => one.fails_closed)
  if (level === 'strict' && closing === undefined)
    return ['While the daemon does not answer, everything still passes: holdfast init --scope local --strict']
  if (level !== 'strict' && closing?.scope === 'local')
    return [
      `While the daemon does not answer, the hooks still refuse: holdfast init --scope local --${level}`,
    ]
  return []
}
