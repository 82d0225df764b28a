import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generated } from '../scripts/generated.ts'
import { clients } from '../src/clients/index.ts'
import type { Client } from '../src/model/client.ts'
import { messages } from '../src/engine/hook/messages.ts'
import { recorders } from '../src/engine/hook/recorders.ts'
import { rules } from '../src/rules/index.ts'

/** What each folder of src may import besides itself; `type:` means types only. This table is the architecture. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // The shell parser is pure data processing without dependencies.
  model: ['unbash'],
  clients: ['hook', 'model', 'jsonc-parser'],
  store: ['model', 'kysely', 'pg', 'node:net', 'node:sqlite', 'node:timers/promises'],
  rules: ['model'],
  workflow: [],
  ai: ['model', 'node:timers/promises'],
  engine: ['model', 'rules', 'store', 'zod', 'node:crypto'],
  skills: ['model', 'workflow/door.json', 'yaml', 'markdown-it'],
  rpc: ['node:buffer', 'node:http', 'node:net'],
  hook: ['model'],
  files: [
    'model',
    'skills',
    'workflow/door.json',
    'node:child_process',
    'node:crypto',
    'node:fs',
    'node:fs/promises',
    'node:module',
    'node:os',
    'node:path',
    'node:util',
    'node:vm',
    'node:worker_threads',
  ],
  daemon: ['ai', 'clients', 'engine', 'files', 'model', 'rpc', 'rules', 'store', 'package.json', 'node:*'],
  cli: [
    'clients',
    'daemon',
    'demo',
    'diff',
    'harness',
    'files/compiled.ts',
    'files/config.ts',
    'files/place.ts',
    'files/runbook.ts',
    'files/overlays.ts',
    'files/skill-at.ts',
    'files/skill-code.ts',
    'files/skill-folders.ts',
    'files/skill-texts.ts',
    'files/walk.ts',
    'files/workflow-module.ts',
    'hook/commands.ts',
    'hook/status-line.ts',
    'model',
    'rpc',
    'skills',
    'store/postgres-url.ts',
    'store/reader.ts',
    'type:engine',
    'type:store',
    'node:*',
  ],
  demo: ['cli', 'clients', 'harness', 'model', 'skills/scaffold.ts', 'type:engine', 'type:store', 'node:*'],
  harness: ['cli', 'clients', 'daemon', 'model', 'type:engine', 'node:*'],
}

/**
 * The rooms of a folder, lowest first; a file imports only from its own and earlier rooms. `.` is the folder
 * itself; rooms in one entry may import each other.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  model: [['text'], ['shell'], ['plan', 'workflow', 'chain', 'runbook', 'handoff', 'search', 'work', '.']],
  engine: [
    ['call'],
    ['skill'],
    ['plan'],
    ['effort'],
    ['session'],
    ['handoff'],
    ['work'],
    ['hook'],
    ['methods'],
  ],
  skills: [['text'], ['series'], ['notations', 'runbook', '.']],
  daemon: [['.', 'jobs', 'routes']],
  cli: [
    ['frame'],
    ['daemon'],
    ['program'],
    ['skill'],
    ['catalogue'],
    ['install'],
    ['runbook'],
    ['step'],
    ['handoff'],
    ['import'],
    ['work'],
    ['doctor'],
    ['commands'],
    ['.'],
  ],
}

/** Each list, and the shared files beside it that it does not name. */
const LISTS = [
  { folder: 'src/engine/methods', besides: [] },
  { folder: 'src/store/migrations', besides: ['dialect'] },
  { folder: 'src/skills/notations', besides: ['frontend'] },
  { folder: 'src/rules', besides: ['facts', 'frames', 'judge', 'rule', 'spans'] },
  { folder: 'src/engine/hook/facts', besides: ['loader'] },
  { folder: 'src/engine/hook/looks', besides: ['look'] },
  { folder: 'src/daemon/jobs', besides: ['job', 'start-jobs'] },
  { folder: 'src/daemon/routes', besides: ['served'] },
  { folder: 'src/cli/doctor/groups', besides: [] },
  { folder: 'src/cli/commands', besides: [] },
  { folder: 'test/torture/forms', besides: ['form', 'vitest'] },
] as const

const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)
const sources = globSync('src/**/*.{ts,js}').filter((file) => !isTest(file))
const folderOf = (file: string) => file.split('/')[1] ?? ''
const roomOf = (file: string) => (file.split('/').length > 3 ? (file.split('/')[2] ?? '') : '.')

interface Import {
  readonly target: string
  readonly typeOnly: boolean
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)|getBuiltinModule\('([^']+)'\)/gm,
  )
  return [...statements].map(([, type, from, bare, dynamic, builtin]) => ({
    target: from ?? bare ?? dynamic ?? builtin ?? '',
    typeOnly: type !== undefined,
  }))
}

/** An import as the table names it: a folder of src, a file in one, or a package. */
function namesOf(file: string, target: string): readonly string[] {
  if (target.startsWith('node:')) return [target, 'node:*']
  if (!target.startsWith('.')) return [target.split('/')[0] ?? '']
  const path = join(dirname(file), target)
  return path.startsWith('src/') ? [folderOf(path), path.slice('src/'.length)] : [basename(path)]
}

describe('allowed imports', () => {
  test.each(sources)('%s', (file) => {
    const allowed = new Set([folderOf(file), ...(MAY_IMPORT[folderOf(file)] ?? [])])
    const forbidden = importsOf(file).filter(({ target, typeOnly }) => {
      const names = namesOf(file, target)
      return !names.some((name) => allowed.has(name) || (typeOnly && allowed.has(`type:${name}`)))
    })
    expect(forbidden).toEqual([])
  })

  test.each(sources)('%s imports no room above its own', (file) => {
    const order = ROOMS[folderOf(file)]
    if (order === undefined) return
    const height = (path: string) => order.findIndex((rooms) => rooms.includes(roomOf(path)))
    const above = importsOf(file)
      .map(({ target }) => join(dirname(file), target))
      .filter((path) => path.startsWith(`src/${folderOf(file)}/`) && height(path) > height(file))
    expect(above).toEqual([])
  })

  test('every room is in the table', () => {
    const rooms = new Set(sources.map((file) => `${folderOf(file)}/${roomOf(file)}`))
    const known = Object.entries(ROOMS).flatMap(([folder, order]) =>
      order.flat().map((room) => `${folder}/${room}`),
    )
    const inRooms = [...rooms].filter((room) => Object.hasOwn(ROOMS, room.split('/')[0] ?? ''))
    expect(inRooms.toSorted()).toEqual(known.toSorted())
  })

  test('every room is in ARCHITECTURE.md, those of tests too', () => {
    const folders = [...Object.keys(ROOMS), 'rules', 'store'].join(',')
    const rooms = globSync(`src/{${folders}}/*/`).map((path) =>
      path.slice('src/'.length).replace(/\/?$/, '/'),
    )
    const page = readFileSync('ARCHITECTURE.md', 'utf8')
    expect(rooms.length).toBeGreaterThan(20)
    expect(rooms.filter((room) => !page.includes(`\`${room}\``))).toEqual([])
  })

  test('every folder of src is in the table, and in ARCHITECTURE.md', () => {
    const folders = [...new Set(sources.map(folderOf))].toSorted((a, b) => a.localeCompare(b))
    expect(folders).toEqual(Object.keys(MAY_IMPORT).toSorted((a, b) => a.localeCompare(b)))
    const page = readFileSync('ARCHITECTURE.md', 'utf8')
    expect(folders.filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([])
  })

  // INV_DAEMON_IS_PURE_DB
  test('only files/ accesses the disk, besides the code that finds and starts a daemon', () => {
    const reaches = (file: string) => importsOf(file).some(({ target }) => target.startsWith('node:fs'))
    const folders = new Set(sources.filter(reaches).map(folderOf))
    expect(folders).toEqual(new Set(['cli', 'daemon', 'files', 'harness']))
  })
})

/** The only files outside of a client's folder that may name it, with the reason. */
const MAY_NAME_A_CLIENT: Readonly<Record<string, string>> = {
  'src/clients/index.ts': 'it is the list',
  'src/demo/recording.ts': 'it is a recorded session of one client',
  'src/skills/places.ts': 'it lists folders and files of programs that have skills, hooked in or not',
}

/** The events that only this client calls so: a plain word such as `stop` is everybody's. */
const tellingEvents = ({ events }: Client) => [...events.keys()].filter((event) => /[^a-z]/.test(event))

/** Whether a line depends on a client: by its name, its files, its variables or an event name. */
function knows(client: Client) {
  const { name, folders, variables, instructions, plugins } = client
  const escaped = (word: string) => word.replaceAll(/[^\w]/g, String.raw`\$&`)
  const words = [
    name,
    client.resume('x').split(' ')[0] ?? name,
    folders.project,
    plugins?.manifest.split('/')[0] ?? name,
    ...instructions.names.map((path) => basename(path)),
  ].map(escaped)
  const named = String.raw`(?<!\w)(?:(?:${words.join('|')})(?!\w)|${escaped(variables)})`
  const events = tellingEvents(client).map(escaped)
  const patterns = [
    new RegExp(named, 'i'),
    ...(events.length === 0 ? [] : [new RegExp(`['"\`](?:${events.join('|')})['"\`]`)]),
  ]
  return (line: string) => patterns.some((pattern) => pattern.test(line))
}

test.each([...clients.values()])('nothing outside of src/clients/$name knows it', (client) => {
  const outside = sources.filter(
    (file) => !file.startsWith(`src/clients/${client.name}/`) && !Object.hasOwn(MAY_NAME_A_CLIENT, file),
  )
  const found = outside.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(knows(client))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

test.each([...clients.values()])('the check finds lines that depend on $name', (client) => {
  const { name, folders, variables } = client
  const events = tellingEvents(client)
  for (const text of [
    name,
    `${folders.project}/skills`,
    `${variables}_HOME`,
    ...events.map((event) => `'${event}'`),
    client.resume('x'),
  ])
    expect(knows(client)(`const known = ${text}`)).toBe(true)
  for (const event of events)
    expect(knows(client)(`const client = clients.get(given) // ${event}`)).toBe(false)
})

test('few files may name a client, and all of them exist', () => {
  const exempt = Object.keys(MAY_NAME_A_CLIENT)
  expect(exempt.length).toBeLessThanOrEqual(5)
  expect(exempt.filter((file) => !sources.includes(file))).toEqual([])
})

// INV_NO_DAEMON_RECURSION
test('the daemon cannot call itself: only the CLI knows the connecting side', () => {
  const connecting = sources.filter((file) =>
    importsOf(file).some(({ target }) => target.endsWith('/connect.ts')),
  )
  expect([...new Set(connecting.map(folderOf))]).toEqual(['cli'])
})

test.each(LISTS)('$folder/index.ts names every file of its folder', ({ folder, besides }) => {
  const named = new Set(importsOf(`${folder}/index.ts`).map(({ target }) => basename(target, '.ts')))
  const present = globSync(`${folder}/*.ts`)
    .filter((file) => !isTest(file))
    .map((file) => basename(file, '.ts'))
    .filter((name) => name !== 'index' && !(besides as readonly string[]).includes(name))
  expect(present.filter((name) => !named.has(name))).toEqual([])
})

/** Events that are wanted but need no hook of their own. */
const NOT_INSTALLED: Readonly<Record<string, string>> = {
  'tool.batch': 'it costs a hook for each batch, and the end of the turn tells the same',
}

/** Events that open or end the scope of a sub-agent, whatever the rules say. */
const FOR_SCOPES = ['subagent.started', 'subagent.stopped', 'turn.failed'] as const

test.each([...clients.values()])(
  '$name has hooks for the events that a rule, a recorder or a scope needs, and for no others',
  (client) => {
    const wanted = new Set([...rules, ...recorders, messages, { on: FOR_SCOPES }].flatMap(({ on }) => on))
    const kinds = (events: Iterable<string>) =>
      [...new Set([...events].map((event) => client.events.get(event)?.kind ?? event))].toSorted()
    const reported = kinds(client.events.keys()).filter(
      (kind) => wanted.has(kind as never) && !(kind in NOT_INSTALLED),
    )
    expect(kinds(client.canaries('x').map(({ event }) => event))).toEqual(reported)
  },
)

test.each(rules)('the rule $name has a table test in its folder', ({ name }) => {
  const tables = globSync('src/rules/*.test.ts').flatMap(importsOf)
  expect(tables.map(({ target }) => target)).toContain(`./${name}.ts`)
})

test.each(Object.entries(await generated()))('%s is up to date with `npm run generate`', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('the README has the two commands, and .ci/run runs its test command', () => {
  const [start, all] = ['npm install && npm start', 'npm install && npm test']
  expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`${start}[^]*${all}`))
  expect(readFileSync('.ci/run', 'utf8')).toContain(all)
})

test('the README names every switch of what is said', () => {
  const readme = readFileSync('README.md', 'utf8')
  const settings = rules.flatMap(({ setting }) => setting ?? [])
  expect(settings.filter((one) => !readme.includes(`\`${one}\``))).toEqual([])
  expect(settings.length).toBeGreaterThan(3)
})

test('every invariant names an existing test that mentions it', () => {
  const rows = readFileSync('docs/invariants.md', 'utf8').matchAll(/^\| (INV_\w+) \|[^|]*\| `([^`]+)` \|$/gm)
  const names = (file: string, name: string) => readFileSync(file, 'utf8').includes(name)
  const found = [...rows].map(([, name = '', file = '']) => ({ name, speaks: names(file, name) }))
  expect(found.length).toBeGreaterThanOrEqual(16)
  expect(found.filter(({ speaks }) => !speaks)).toEqual([])
})

test('no lockfile entry names a registry', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "http/)
})
