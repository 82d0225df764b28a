import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { BodyView } from '../../src/engine/work/view.ts'
import { git, said } from '../git.ts'
import { ENTRY, unwrapped, User } from '../holdfast.ts'
import { untilGone } from '../../src/cli/daemon/process.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Draft {
  readonly id: string
  readonly title: string
  readonly blocked_by?: readonly string[]
  readonly [more: string]: unknown
}

/** A repository with a body of work, and what its scripted workers do with each item. */
async function crewAt(user: User, items: readonly Draft[], script: string) {
  const { project } = user
  const put = (name: string, text: string) => writeFileSync(join(project, name), text)
  await git(project, 'init', '-q', '-b', 'main')
  await git(project, 'config', 'user.name', 'Test')
  await git(project, 'config', 'user.email', 'test@localhost')
  put('shared.txt', 'as it was\n')
  put('open.txt', 'committed\n')
  await git(project, 'add', '-A')
  await git(project, 'commit', '-q', '-m', 'first')
  // What the user has not committed stays as it is, too.
  put('open.txt', 'the user is at it\n')
  put('new.txt', 'not added\n')
  const items_file = join(user.folder, 'items.jsonl')
  const work = join(user.folder, 'work.sh')
  writeFileSync(items_file, items.map((item) => JSON.stringify(item)).join('\n'))
  writeFileSync(work, `cat > prompt.txt; rm prompt.txt; cd "$PWD"\n${script}\n`)
  const before = await checkoutOf(project)
  const { effort_id } = await user.json<{ effort_id: number }>(['work', 'import', items_file])
  const log = async (format: string) =>
    (await said(project, 'log', `--format=${format}`, `holdfast/${effort_id}`))
      .split('\n')
      .filter((line) => line !== '')
  const body = () => user.json<BodyView>(['work', 'list', '--effort', `${effort_id}`])
  const run = (worker: string, lease = 60) =>
    spawn(
      process.execPath,
      [
        ENTRY,
        'worker',
        'run',
        worker,
        '--effort',
        `${effort_id}`,
        '--command',
        `sh ${work}`,
        '--lease',
        `${lease}`,
      ],
      { cwd: project, env: user.env, stdio: 'ignore' },
    )
  return {
    effort_id,
    command: `sh ${work}`,
    body,
    run,
    log,
    before,
    /** How often each item was merged. */
    merges: async () => {
      const merged = (await log('%s')).filter((subject) => subject.startsWith('Merge item '))
      return Object.fromEntries(
        [...Map.groupBy(merged, (subject) => subject.slice(11).split(':')[0] ?? '')].map(([item, all]) => [
          item,
          all.length,
        ]),
      )
    },
    states: async () => Object.fromEntries((await body()).items.map(({ item, state }) => [item, state])),
    /** A worker that still says its last words would start another daemon. */
    untilGone: async () => {
      const workers = await user.json<{ pid: number }[]>(['worker', 'list', '--effort', `${effort_id}`])
      await Promise.all(workers.map(({ pid }) => untilGone(pid)))
    },
    until: async (isSo: (body: BodyView) => boolean) => {
      while (!isSo(await body())) await sleep(100)
    },
  }
}

/** A digest of the user's checkout, without our folder: the files, the branch, the index. */
async function checkoutOf(project: string): Promise<string> {
  const files = readdirSync(project, { withFileTypes: true }).filter((entry) => entry.isFile())
  const hash = createHash('sha256')
  for (const { name } of files.toSorted((one, other) => one.name.localeCompare(other.name)))
    hash.update(name).update(readFileSync(join(project, name)))
  hash.update(await said(project, 'rev-parse', '--abbrev-ref', 'HEAD'))
  hash.update(await said(project, 'rev-parse', 'HEAD'))
  hash.update(await said(project, 'status', '--porcelain', '--', ':(exclude).holdfast'))
  return hash.digest('hex')
}

const ended = (child: ReturnType<typeof spawn>) =>
  new Promise<number | null>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    else child.on('close', done)
  })

test('two workers do a diamond beside failures and a conflict: merged, proved, blocked, and the checkout untouched', async () => {
  await using user = new User()
  const it = await crewAt(
    user,
    [
      { id: 'top', title: 'Top' },
      { id: 'left', title: 'Left', blocked_by: ['top'] },
      { id: 'right', title: 'Right', blocked_by: ['top'] },
      {
        id: 'bottom',
        title: 'Bottom',
        blocked_by: ['left', 'right'],
        proof: 'test -f left.txt && test -f right.txt',
      },
      { id: 'flaky', title: 'Flaky' },
      { id: 'bad', title: 'Bad' },
      { id: 'behind', title: 'Behind', blocked_by: ['bad'] },
      { id: 'unproved', title: 'Unproved', proof: 'test -f missing.txt', limit: 1 },
      { id: 'asks', title: 'Asks' },
      { id: 'idle', title: 'Idle', limit: 1 },
    ],
    `
    case $HOLDFAST_ITEM in
      flaky) test -f "$HOME.flaky" || { touch "$HOME.flaky"; echo "no luck" >&2; exit 3; };;
      bad) exit 4;;
      asks) mkdir -p .holdfast; echo "Which colour?" > .holdfast/question.md;;
      idle) exit 0;;
    esac
    mkdir -p .holdfast/tasks/notes; echo "$HOLDFAST_ITEM" > ".holdfast/tasks/notes/$HOLDFAST_ITEM.md"
    echo "$HOLDFAST_AGENT" > "$HOLDFAST_ITEM.txt"`,
  )
  const started = await user.json<{ workers: string[]; branch: string }>([
    'worker',
    'start',
    '--count',
    '2',
    '--command',
    it.command,
  ])
  expect(started).toMatchObject({
    branch: `holdfast/${it.effort_id}`,
    workers: [expect.any(String), expect.any(String)],
  })
  await it.until(({ over }) => over)
  expect(await it.states()).toEqual({
    top: 'done',
    left: 'done',
    right: 'done',
    bottom: 'done',
    flaky: 'done',
    bad: 'failed',
    behind: 'blocked',
    unproved: 'failed',
    asks: 'blocked',
    idle: 'failed',
  })
  expect(await it.merges()).toEqual({ top: 1, left: 1, right: 1, bottom: 1, flaky: 1 })
  const reasons = Object.fromEntries((await it.body()).items.map(({ item, reason }) => [item, reason]))
  expect(reasons).toMatchObject({
    bad: 'The command ended with 4.',
    asks: 'Which colour?',
    idle: 'It ended without any change.',
    unproved: expect.stringContaining('Its proof fails on the merged tree (1); the work is on holdfast/'),
  })
  // The branch that is not merged holds the work that its reason names.
  const branch = /holdfast\/\S+-unproved-1/.exec(reasons['unproved'] ?? '')?.[0] ?? ''
  expect(await said(user.project, 'show', '--name-only', '--format=', branch)).toContain('unproved.txt')
  expect(await checkoutOf(user.project)).toBe(it.before)
  expect((await said(user.project, 'status', '--porcelain', '--', '.holdfast')).trim()).toBe('')
  expect((await said(user.project, 'worktree', 'list')).trim().split('\n')).toHaveLength(1)
  expect(readFileSync(join(user.project, '.holdfast/tasks/notes/bottom.md'), 'utf8')).toBe('bottom\n')
  const all = async () => await user.json<{ status: string; worker: string }[]>(['worker', 'list'])
  while ((await all()).some(({ status }) => status === 'running')) await sleep(100)
  expect((await all()).map(({ worker }) => worker).toSorted()).toEqual(started.workers.toSorted())
  await it.untilGone()
})

test('work that does not merge is blocked with its files, and done again when the user says so', async () => {
  await using user = new User()
  const it = await crewAt(
    user,
    [
      { id: 'one', title: 'One' },
      { id: 'two', title: 'Two' },
    ],
    `
    touch "$HOME.$HOLDFAST_ITEM"
    while [ ! -f "$HOME.one" ] || [ ! -f "$HOME.two" ]; do sleep 0.1; done
    echo "$HOLDFAST_ITEM" > shared.txt`,
  )
  const workers = [it.run('ada'), it.run('bob')]
  await Promise.all(workers.map(ended))
  const { items, counts } = await it.body()
  expect(counts).toMatchObject({ done: 1, blocked: 1 })
  const blocked = items.find(({ state }) => state === 'blocked')
  expect(blocked?.reason).toContain('conflicts in shared.txt.')
  await user.json(['work', 'retry', blocked?.item ?? '', '--reason', 'from what is there now'])
  const last = await user.run(['worker', 'run', '--command', it.command])
  expect(unwrapped(last.stdout)).toContain('did 1 item.')
  expect(await it.merges()).toEqual({ one: 1, two: 1 })
  expect(await checkoutOf(user.project)).toBe(it.before)
})

test('a killed worker, and one that sleeps past its lease, lose their items; nothing is merged twice', async () => {
  await using user = new User()
  const it = await crewAt(
    user,
    [
      { id: 'one', title: 'One', limit: 9 },
      { id: 'two', title: 'Two', limit: 9 },
      { id: 'three', title: 'Three', blocked_by: ['one', 'two'], limit: 9 },
    ],
    `
    if [ ! -f "$HOME.$HOLDFAST_AGENT" ]; then
      touch "$HOME.$HOLDFAST_AGENT"
      case $HOLDFAST_AGENT in killed|frozen) while [ ! -f "$HOME.thaw" ]; do sleep 0.1; done;; esac
    fi
    echo "$HOLDFAST_AGENT" > "$HOLDFAST_ITEM.txt"`,
  )
  const [killed, frozen] = [it.run('killed', 1), it.run('frozen', 1)]
  const isAtWork = (worker: string) => existsSync(`${user.env['HOME']}.${worker}`)
  while (!isAtWork('killed') || !isAtWork('frozen')) await sleep(50)
  killed.kill('SIGKILL')
  frozen.kill('SIGSTOP')
  const other = it.run('other', 60)
  await it.until(({ over }) => over)
  writeFileSync(`${user.env['HOME']}.thaw`, '')
  frozen.kill('SIGCONT')
  await Promise.all([ended(frozen), ended(other)])
  expect(await it.states()).toEqual({ one: 'done', two: 'done', three: 'done' })
  expect(await it.merges()).toEqual({ one: 1, two: 1, three: 1 })
  for (const item of ['one', 'two', 'three'])
    expect(await said(user.project, 'show', `holdfast/${it.effort_id}:${item}.txt`)).toBe('other\n')
  expect(await checkoutOf(user.project)).toBe(it.before)
})

test('a worker that is stopped gives its item back without a try, with what it had on a branch', async () => {
  await using user = new User()
  const it = await crewAt(
    user,
    [{ id: 'one', title: 'One', limit: 1 }],
    'echo half > half.txt; touch "$HOME.begun"; sleep 600',
  )
  const worker = it.run('ada', 3)
  while (!existsSync(`${user.env['HOME']}.begun`)) await sleep(50)
  await user.json(['worker', 'stop', 'ada'])
  expect(await ended(worker)).toBe(0)
  const { items } = await it.body()
  expect(items[0]).toMatchObject({
    state: 'open',
    attempts: 1,
    limit: 2,
    reason: expect.stringContaining('holdfast/'),
  })
  expect(await said(user.project, 'show', `holdfast/${it.effort_id}-one-1:half.txt`)).toBe('half\n')
  expect(await user.json(['worker', 'list'])).toMatchObject([
    { worker: 'ada', status: 'stopped', item: null },
  ])
})

test('implement does a plan from its file to the report, and says with its exit code what is left', async () => {
  await using user = new User()
  const it = await crewAt(
    user,
    [{ id: 'one', title: 'One' }],
    'test "$HOLDFAST_ITEM" != 1.2 && echo x > "$HOLDFAST_ITEM.txt"',
  )
  const plan = join(user.folder, 'PLAN.md')
  writeFileSync(plan, '# More\n\n### Phase 1: More\n\n- good\n- bad\n')
  const dry = await user.run(['implement', plan, '--dry-run'])
  expect(dry.stdout).toContain('1.2  bad')
  const command = ['--command', it.command, '--effort', `${it.effort_id}`, '--workers', '2']
  const { code, stdout, stderr } = await user.run(['implement', plan, ...command])
  expect(unwrapped(stdout)).toContain('2 of 3 items done, 1 failed')
  expect({ code, progress: stderr.includes('of 3 items done') }).toEqual({ code: 1, progress: true })
  expect(await it.merges()).toEqual({ one: 1, '1.1': 1 })
  expect(await checkoutOf(user.project)).toBe(it.before)
  const detached = await user.run(['implement', `${it.effort_id}`, '--detach'])
  expect(detached.code).toBe(1)
  await it.untilGone()
})

test.each([
  [['worker', 'start'], 64, 'Say which command does an item'],
  [['worker', 'start', '--command', 'true'], 1, 'Workers need a git repository'],
  [['worker', 'start', '--command', 'true', '--count', '0'], 64, 'Start between 1 and 64 workers'],
  [['worker', 'stop', 'nobody'], 66, 'There is no worker "nobody"'],
] as const)('%j is refused with what to do', async (words, code, message) => {
  await using user = new User()
  await user.json(['work', 'add', 'One'])
  const refused = await user.run(words)
  expect({ code: refused.code, told: unwrapped(refused.stderr).includes(message) }).toEqual({
    code,
    told: true,
  })
})
