import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../daemon/home.ts'
import type { Io } from '../frame/io.ts'
import { whoAt } from './groups/hooks.ts'
import { groups } from './groups/index.ts'
import type { Machine } from './machine.ts'
import { Scene } from './scene.ts'

const checks = groups.flatMap((group) => group.checks)

/** A user on a machine that we can say anything about. */
function sceneOf(machine: Partial<Machine> = {}, more: Partial<Io> & { env?: object } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-doctor-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { HOME: folder, HOLDFAST_HOME: join(folder, 'home'), ...more.env }
  const io: Io = {
    cwd: folder,
    entry: '/opt/holdfast.js',
    json: true,
    color: false,
    isTerminal: false,
    width: 80,
    out: () => undefined,
    note: () => undefined,
    ...more,
    env,
  }
  const calm: Machine = {
    platform: 'linux',
    mounts: () => '27 1 254:0 / / rw - ext4 /dev/vda rw',
    managed: () => join(folder, 'managed-settings.json'),
  }
  return { folder, io, machine: { ...calm, ...machine }, home: findHome(env) }
}

const look = async (code: string, { io, home, machine }: Omit<ReturnType<typeof sceneOf>, 'folder'>) => {
  using scene = new Scene(io, home, machine)
  return (await checks.find((check) => check.code === code)?.look(scene)) ?? []
}

test('codes are unique, and each has a test in a flow, with the real client or in this file', () => {
  const codes = checks.map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
  const stories = globSync(
    '{test/flows/{damage,doctor*,locked,scarce,skill-install,statusline}.test.ts,test/client/locked.client.ts,src/cli/doctor/*.test.ts}',
  )
    .map((path) => readFileSync(path, 'utf8'))
    .join('')
  // The Node that runs this test is new enough.
  expect(codes.filter((code) => code !== 'node-old' && !stories.includes(`'${code}'`))).toEqual([])
})

test.each([
  ['database-network', 'nfs4'],
  ['database-shared', '9p'],
])('%s: a home on %s is reported, and its fix moves the home', async (code, type) => {
  const around = sceneOf()
  const home = around.home.folder
  const mounts = () => `${around.machine.mounts()}\n40 27 0:41 / ${home} rw - ${type} there:/ rw`
  const sick = { ...around, machine: { ...around.machine, mounts } }
  const [problem, ...others] = await look(code, sick)
  expect(problem?.detail).toContain(type)
  expect(others).toEqual([])
  const named = execFileSync('sh', ['-c', `${problem?.fix}; printf %s "$HOLDFAST_HOME"`], {
    encoding: 'utf8',
  })
  const env = { ...around.io.env, HOLDFAST_HOME: named }
  expect(await look(code, { ...sick, io: { ...around.io, env }, home: findHome(env) })).toEqual([])
})

test('a home on a network file system moves to a local disk', async () => {
  const around = sceneOf()
  const mounts = () => `${around.machine.mounts()}\n40 27 0:41 / ${around.folder} rw - nfs there:/ rw`
  const [problem] = await look('database-network', { ...around, machine: { ...around.machine, mounts } })
  expect(problem?.fix).toMatch(/^export HOLDFAST_HOME=\/var\/tmp\/holdfast-\d+$/)
})

test('hooks-managed: only the settings of an organization can allow only its own hooks', async () => {
  const around = sceneOf()
  const path = around.machine.managed('')
  writeFileSync(path, '{"allowManagedHooksOnly": true}')
  expect(await look('hooks-managed', around)).toEqual([
    { detail: expect.stringContaining('allowManagedHooksOnly'), fix: `sudoedit ${path}` },
  ])
  writeFileSync(path, '{"strictPluginOnlyCustomization": ["hooks"], "disableAllHooks": true}')
  expect(await look('hooks-managed', around)).toHaveLength(1)
  expect(await look('hooks-disabled', around)).toMatchObject([{ fix: `sudoedit ${path}` }])
  rmSync(path)
  mkdirSync(join(around.folder, '.claude'))
  writeFileSync(join(around.folder, '.claude', 'settings.json'), '{"allowManagedHooksOnly": true}')
  expect(await look('hooks-managed', around)).toEqual([])
})

test('program-vanishing: hooks that call a program in the npx cache', async () => {
  const around = sceneOf({}, { entry: '/home/user/.npm/_npx/1/holdfast.js' })
  expect(await look('program-vanishing', around)).toEqual([])
  const command = 'exec 2>/dev/null;POST /hook/claude-code HTTP/1.1'
  mkdirSync(join(around.folder, '.claude'))
  writeFileSync(
    join(around.folder, '.claude', 'settings.json'),
    JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }),
  )
  expect(await look('program-vanishing', around)).toMatchObject([{ fix: 'holdfast init --scope user' }])
  expect(
    await look('program-vanishing', { ...around, io: { ...around.io, entry: '/opt/holdfast.js' } }),
  ).toEqual([])
})

test.each([
  ['answers', (socket: Socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'), 'another program answers'],
  ['hangs up', (socket: Socket) => socket.destroy(), 'no HTTP answer arrives (ECONNRESET)'],
  ['speaks something else', (socket: Socket) => socket.end('220 mail\r\n'), 'no HTTP answer arrives (HPE_'],
  ['says nothing', () => undefined, 'no program answers'],
])('the check of a port reports a program that %s', async (_, meet, said) => {
  const server = createServer(meet).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  expect(
    await whoAt((server.address() as AddressInfo).port, said === 'no program answers' ? 200 : 60_000),
  ).toContain(said)
})

test('ports that browsers block are checked like all others', async () => {
  expect(await whoAt(1)).not.toContain('bad port')
})
