import { expect, test, vi } from 'vitest'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import type { BodyView, WholeItem } from '../../src/engine/work/view.ts'
import { ENTRY, unwrapped, User } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { crewItems, crewRun } from '../torture/crew.ts'
import { untilFree } from '../torture/free.ts'

vi.setConfig({ testTimeout: 240_000 })

const PLAN = `# Plan: Log in

### Phase 1: Store

1. Write the schema in \`src/schema.ts\`
   Keep it small.
2. Write the queries

### Phase 2: Page

- [x] Sketch
- [ ] Form
- [ ] Style, independent of the store
`

interface Claimed {
  readonly item: WholeItem | null
  readonly over: boolean
}

test('a plan on the command line: each command that is told works, to the report at the end', async () => {
  await using user = new User()
  writeFileSync(join(user.project, 'PLAN.md'), PLAN)
  const dry = await user.run(['work', 'import', 'PLAN.md', '--dry-run'])
  expect(dry.stdout).toBe(
    [
      'Log in: 4 items (swarm). 1 entry ticked already.',
      '1.1  Write the schema in src/schema.ts',
      '1.2  Write the queries  (after 1.1)',
      '2.2  Form  (after 1.1, 1.2)',
      '2.3  Style, independent of the store',
      '',
    ].join('\n'),
  )
  expect((await user.run(['work', 'list'])).code).toBe(66)
  await user.json(['work', 'import', 'PLAN.md'])
  const claimed = (await user.run(['work', 'claim', '--worker', 'ada'])).stdout
  expect(claimed).toContain('Item 1.1 of effort 1: Write the schema in src/schema.ts (try 1 of 2)')
  expect(claimed).toContain('   Keep it small.')
  const told = (label: string) =>
    (new RegExp(`^${label}: \\S+ (work .*)$`, 'm').exec(claimed)?.[1] ?? '').replace('WHY', 'no').split(' ')
  expect((await user.run(told('Still at work after a few minutes'))).stdout).toContain('is yours until')
  const failed = unwrapped((await user.run(told('Failed'))).stdout)
  expect(failed).toContain('Item 1.1 is open again (try 1 of 2 has ended).')
  const next = await user.json<Claimed>(['work', 'claim', '1.1', '--worker', 'ada'])
  expect(next.item).toMatchObject({ item: '1.1', attempts: 2, fence: 2, reason: 'no' })
  await user.json(['work', 'fail', '1.1', '--fence', '2', '--reason', 'still not'])
  await user.json(['work', 'claim', '--worker', 'ada'])
  const last = unwrapped((await user.run(['work', 'done', '2.3', '--fence', '1'])).stdout)
  expect(last).toContain('Nothing is left that can go on.')
  const { stdout } = await user.run(['work', 'list'])
  expect(unwrapped(stdout)).toContain(
    'Parked: 1 item done; item 1.1 failed (still not); 2 items blocked behind.',
  )
  expect(stdout).toMatch(/1\.2 .* blocked by 1\.1/)
  expect((await user.run(['status'])).stdout).toContain('1 of 4 items done')
  expect((await user.run(['effort', 'finish', '1'])).code).toBe(1)
  await user.json(['work', 'retry', '1.1', '--reason', 'the disk is there again'])
  for (const item of ['1.1', '1.2', '2.2']) {
    const { item: got } = await user.json<Claimed>(['work', 'claim'])
    expect(got?.item).toBe(item)
    await user.json(['work', 'done', item, '--fence', `${got?.fence}`])
  }
  expect(await user.json(['work', 'list', '--effort', '1'])).toMatchObject({
    lifecycle: 'finished',
    counts: { done: 4 },
  })
})

test.each([
  ['plan.md', 'Nothing here.\n', 'has nothing to do: it has no phases, no numbered list and no check list'],
  ['plan.md', '- [x] Old\n', 'has nothing to do: its 1 entry is ticked'],
  ['plan.jsonl', '{"title":"A"}\nno\n', 'Line 2: This line is no JSON object.'],
  ['plan.jsonl', '{"title":"A","blocked_by":["b"]}\n', 'Item 1: Item 1 waits for "b", which does not exist.'],
])('a faulty %s is refused with its fault', async (name, text, fault) => {
  await using user = new User()
  writeFileSync(join(user.project, name), text)
  const { code, stderr } = await user.run(['work', 'import', name])
  expect({ code, fault: unwrapped(stderr).includes(fault) }).toEqual({ code: 64, fault: true })
})

test('a plan with more items than fit into a message is imported whole, and once', async () => {
  await using user = new User()
  const rows = Array.from({ length: 1200 }, (_, at) => ({
    id: `i${at}`,
    title: `Item ${at}`,
    // Those that come later in the file are done first.
    blocked_by: at === 1199 ? [] : [`i${at + 1}`],
  }))
  writeFileSync(join(user.project, 'plan.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
  expect((await user.json<{ added: unknown[] }>(['work', 'import', 'plan.jsonl'])).added).toHaveLength(1200)
  expect((await user.json<{ known: unknown[] }>(['work', 'import', 'plan.jsonl'])).known).toHaveLength(1200)
  const { counts, items } = await user.json<BodyView>(['work', 'ready'])
  expect({ counts, ready: items.map(({ item }) => item) }).toEqual({
    counts: { open: 1, waiting: 1199, taken: 0, done: 0, failed: 0, blocked: 0 },
    ready: ['i1199'],
  })
})

test('a killed daemon loses no item, and a repeated report moves nothing', async () => {
  await using user = new User()
  writeFileSync(join(user.project, 'PLAN.md'), PLAN)
  await user.json(['work', 'import', 'PLAN.md'])
  const kill = async () => {
    process.kill((await user.json<DaemonStatus>(['daemon', 'status'])).pid, 'SIGKILL')
    await untilFree(findHome(user.env))
  }
  const first = await user.json<Claimed>(['work', 'claim', '--worker', 'ada'])
  await kill()
  expect((await user.json<Claimed>(['work', 'claim', '--worker', 'ada'])).item).toEqual(first.item)
  expect(await user.json(['work', 'done', '1.1', '--fence', '1'])).toMatchObject({ moved: true })
  await kill()
  expect(await user.json(['work', 'done', '1.1', '--fence', '1'])).toMatchObject({
    moved: false,
    state: 'done',
  })
  expect((await user.json<Claimed>(['work', 'claim', '--worker', 'ada'])).item).toMatchObject({
    item: '1.2',
    attempts: 1,
  })
})

/** Two daemons on one PostgreSQL, with a body of work. */
async function twoDaemons(count: number) {
  const url = await createDatabase(await sharedPostgres())
  const users = [new User({ HOLDFAST_DATABASE_URL: url }), new User({ HOLDFAST_DATABASE_URL: url })] as const
  const connections = await Promise.all(
    users.map((user) => reach({ home: findHome(user.env), entry: ENTRY, env: user.env })),
  )
  const [{ project }] = users
  mkdirSync(join(project, 'src'))
  await connections[0]?.call('db.project.upsert', { path: project })
  const added = await connections[0]?.call('work.add', {
    cwd: project,
    title: 'Crew',
    items: crewItems(count),
  })
  const { effort_id } = added as { effort_id: number }
  return {
    connections,
    effort_id,
    body: async () => (await connections[1]?.call('work.list', { effort_id, limit: 1000 })) as BodyView,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close()
      for (const user of users) await user[Symbol.asyncDispose]()
    },
  }
}

test('workers at two daemons of one PostgreSQL, some later than their lease, do each item once and lose none', async () => {
  await using it = await twoDaemons(40)
  const { connections, effort_id } = it
  const seen = await crewRun({ connections, effort_id, workers: 8, late: 7, bad: new Set(['i5']) })
  expect(seen.violations).toEqual([])
  expect(seen.late).toBeGreaterThan(0)
  const { counts, over, items } = await it.body()
  expect(counts).toMatchObject({ open: 0, taken: 0, waiting: 0, failed: 1 })
  expect({ over, sum: counts.done + counts.failed + counts.blocked }).toEqual({ over: true, sum: 40 })
  const blockers = items.filter(({ state }) => state === 'blocked').map(({ blocker }) => blocker)
  expect(new Set(blockers)).toEqual(new Set(['i5']))
})

test('that test finds workers who ignore their fence', async () => {
  await using it = await twoDaemons(30)
  const { connections, effort_id } = it
  const seen = await crewRun({ connections, effort_id, workers: 8, late: 4, bad: new Set(), naive: true })
  expect(seen.violations.length).toBeGreaterThan(0)
})
