import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call as callMethod } from '../call/call.ts'
import { repository } from '../hook/client.contract.ts'
import { type Answer, failure, type Params, type World } from '../world.contract.ts'
import { compiledRunbook, runbookOf } from './runbook.contract.ts'

/** A session file that a person has written. */
export const SESSION_FILE = `# Session Handoff: 2026-03-01

**Status:** Begun

## Completed This Session

- Old words

## In-tree Tasks

- [ ] **Mend the login** #AB12CD — \`/design login\` | opus
- [ ] **Ship it** #PNDNG

## Mine

Keep this.
`

/** A fresh call with an effect, for each method here that changes something. */
export const HANDOFF_CHANGES = {
  'handoff.add': async (world: World) => ({ path: world.project, name: world.name('task') }),
  'handoff.set': async (world: World) => ({ path: world.project, name: await todo(world), state: 'done' }),
  'handoff.check': async (world: World) => {
    await todo(world)
    return { path: world.project, used_names: [world.name('used')] }
  },
  'handoff.learn': async (world: World) => ({
    path: world.project,
    title: world.name('learning'),
    text: 'Look first.',
  }),
  'handoff.write': async (world: World) => ({
    path: world.project,
    status: world.name('status'),
    blockers: ['Wait'],
  }),
}

/** A new task of the session file. */
async function todo(world: World): Promise<string> {
  return (await world.call('handoff.add', { path: world.project, name: world.name('todo') })).name
}

/** A repository with a session file, and the calls that change it. */
export async function handoffScene(world: World, text?: string) {
  const it = await repository(world)
  const at = (name: string) => join(it.project, name)
  if (text !== undefined) await it.put('agents/session.md', text)
  const run = (method: string, params: Params = {}): Promise<Answer> =>
    world.call(`handoff.${method}`, { path: it.project, ...params })
  const read = (name = 'agents/session.md') => readFile(at(name), 'utf8')
  return { ...it, at, run, read }
}

/** What the session file of a project promises. */
export function handoffContract(world: () => World): void {
  const begun = (text?: string) => handoffScene(world(), text)

  describe('the session file', () => {
    test('shows its tasks, the next one, plans and problems', async () => {
      const it = await begun(
        `${SESSION_FILE}\n- [x] **Mend the login**\n`.replace('## Mine', '## In-tree Tasks'),
      )
      await it.put('plans/login/design.md', 'D')
      await it.put('plans/mail/brief.md', 'B')
      await it.put('agents/learnings.md', '## When it rains\n\nWait.\n')
      const shown = await it.run('show')
      expect(shown).toMatchObject({
        root: it.project,
        file: 'agents/session.md',
        exists: true,
        date: '2026-03-01',
        status: 'Begun',
        next: { name: 'Mend the login', line: 11, token: '#AB12CD', command: '/design login', model: 'opus' },
        parallel: ['Mend the login', 'Ship it'],
        plans: [
          { name: 'login', state: 'designed', command: '/plan-adhoc plans/login', is_scheduled: false },
          { name: 'mail', state: 'briefed', is_scheduled: false },
        ],
        learnings: { file: 'agents/learnings.md', lines: 3, all: [{ title: 'When it rains', line: 1 }] },
      })
      expect(shown.problems.map(({ code, line }: Answer) => [code, line])).toEqual([
        ['section-twice', 14],
        ['name-twice', 18],
      ])
    })

    test('names no call for a plan that was carried out', async () => {
      const it = await compiledRunbook(world(), { text: runbookOf({ '1': 'opus' }) })
      const plan = async () => (await world().call('handoff.show', { path: it.root })).plans[0]
      const ready = { name: it.name, state: 'ready', command: `/orchestrate plans/${it.name}` }
      expect(await plan()).toMatchObject(ready)
      for (let { step } = await it.next(); step !== null; { step } = await it.next()) {
        expect(await plan()).toMatchObject(ready)
        await it.done(step)
      }
      expect(await plan()).toMatchObject({ name: it.name, state: 'delivered', command: null })
      const { effort } = await it.next({ again: true })
      await world().call('db.effort.finish', { effort_id: effort, abandon: 'not now' })
      // An effort that was given up has carried out nothing.
      expect(await plan()).toMatchObject(ready)
    })

    test('is made by its first task, also in a repository that nobody has registered', async () => {
      const it = await begun()
      expect(await it.run('show')).toMatchObject({ file: 'agents/session.md', exists: false, tasks: [] })
      const added = { name: 'Mend it', command: '/mend', restart: true, priority: 'high', plan: 'login' }
      expect(await it.run('add', added)).toEqual({ file: 'agents/session.md', name: 'Mend it', added: true })
      // A caller that was killed before it heard the answer asks again.
      const once = await it.read()
      expect(await it.run('add', added)).toMatchObject({ added: false })
      expect(await it.read()).toBe(once)
      expect(await failure(it.run('add', { ...added, command: '/other' }))).toMatchObject({
        code: 'conflict',
      })
      await it.run('add', { name: 'Move it', slug: 'move' })
      expect((await it.read()).split('\n').slice(1)).toEqual([
        '',
        '## In-tree Tasks',
        '',
        '- [ ] **Mend it** #PNDNG — `/mend` | restart | priority high',
        '  - Plan: login | Status: pending',
        '',
        '## Worktree Tasks',
        '',
        '- [ ] **Move it** → `move` #PNDNG',
        '',
      ])
    })

    test('lies where the config says, and gets learnings beside it', async () => {
      const it = await begun()
      const context = { ...world().context, config: () => ({ session_file: 'notes/now.md', plans: 'work/' }) }
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      const call = (method: string, params: object) =>
        callMethod(context, method, { path: it.project, ...params }, caller)
      await call('handoff.add', { name: 'Mend it' })
      await call('handoff.learn', { title: 'When it rains', text: 'Wait.' })
      expect(await it.read('notes/now.md')).toContain('**Mend it**')
      await it.put('work/login/design.md', '')
      const { plans } = (await call('handoff.show', {})) as Answer
      expect(plans).toMatchObject([{ name: 'login', command: '/plan-adhoc work/login' }])
      expect(await it.read('notes/learnings.md')).toBe('# Learnings\n\n## When it rains\n\nWait.\n')
    })

    test.each([
      ['add', { name: 'a ** b' }, 'name'],
      ['add', { name: 'Mend x*' }, 'name'],
      ['add', { name: '*' }, 'name'],
      ['add', { name: 'New', model: 'restart' }, 'model'],
      ['add', { name: 'New', model: '5' }, 'model'],
      ['add', { name: 'New', model: '#pndng' }, 'name'],
      ['add', { name: 'New', plan: '`x`' }, 'plan'],
      ['learn', { title: 'C #', text: 'x' }, 'title'],
      ['learn', { title: '#', text: 'x' }, 'title'],
      ['learn', { title: 'New', text: 'a\n## b' }, 'text'],
      ['learn', { title: 'New', text: 'a\n```sh\nls' }, 'text'],
    ] as const)('takes no words that could not be read again: %s %j', async (method, params, field) => {
      const it = await begun(SESSION_FILE)
      expect(await failure(it.run(method, params))).toMatchObject({ code: 'invalid', field })
      expect(await it.read()).toBe(SESSION_FILE)
    })

    test('takes a learning again, whatever its line ends are', async () => {
      const it = await begun(SESSION_FILE)
      const learned = { title: 'When it rains', text: 'Wait.\r\n\r\nThen go.\r' }
      await it.run('learn', learned)
      const once = await it.read('agents/learnings.md')
      await it.run('learn', learned)
      await it.run('write', { status: 'New', learnings: [learned] })
      expect(await it.read('agents/learnings.md')).toBe(once)
    })

    test('has unique names: of tasks, of learnings, and of those in earlier commits', async () => {
      const it = await begun(SESSION_FILE)
      await it.run('learn', { title: 'When it rains', text: 'Wait.' })
      expect(await it.run('learn', { title: 'When it rains', text: 'Wait.' })).toMatchObject({ lines: 5 })
      for (const [method, params] of [
        ['add', { name: 'mend  THE login' }],
        ['add', { name: 'when it rains' }],
        ['learn', { title: 'Ship it', text: 'x' }],
        ['learn', { title: 'when IT rains', text: 'Run.' }],
      ] as const)
        expect(await failure(it.run(method, params))).toMatchObject({ code: 'conflict' })
      expect((await failure(it.run('add', { name: 'when it rains' })))?.hint).toMatch(/: holdfast learn$/)
      const long = 'one two three four five six seven eight'
      expect(await failure(it.run('learn', { title: long, text: 'x' }))).toMatchObject({ code: 'invalid' })
      const { problems, expanded } = await it.run('check', { used_names: ['Ship  it', 'gone'] })
      expect([problems.map(({ code }: Answer) => code), expanded]).toEqual([['name-used'], []])
      expect(await it.read()).toBe(SESSION_FILE)
    })

    test('gets tokens that nobody has, once', async () => {
      const it = await begun(SESSION_FILE)
      const [first] = (await it.run('check', { dry_run: true })).expanded
      expect(await it.read()).toBe(SESSION_FILE)
      const { expanded } = await it.run('check', { used_tokens: [first.token] })
      expect(expanded).toMatchObject([{ line: 12, name: 'Ship it' }])
      expect(expanded[0].token).not.toBe(first.token)
      expect(await it.read()).toBe(SESSION_FILE.replace('#PNDNG', expanded[0].token))
      expect(await it.run('check')).toMatchObject({ problems: [], expanded: [] })
    })

    test('gets no token that its own text or a learning mentions, committed or not', async () => {
      const it = await begun(SESSION_FILE)
      const token = async () => (await it.run('check', { dry_run: true })).expanded[0].token
      const first = await token()
      await it.put('agents/learnings.md', `# Learnings\n\n## When it ships\n\nSee ${first}.\n`)
      const second = await token()
      await it.put('agents/session.md', SESSION_FILE.replace('Old words', `Shipped ${second}`))
      expect(new Set([first, second, await token()]).size).toBe(3)
    })

    test('keeps its other bytes when a task gets another state', async () => {
      const crlf = `\uFEFF${SESSION_FILE.replaceAll('\n', '\r\n').trimEnd()}`
      const it = await begun(crlf)
      const task = await it.run('set', { name: 'ab12cd', state: 'blocked' })
      expect(task).toMatchObject({ name: 'Mend the login', state: 'blocked', before: 'pending' })
      expect(await it.read()).toBe(crlf.replace('[ ] **Mend', '[!] **Mend'))
      expect(await failure(it.run('set', { name: 'nothing', state: 'done' }))).toMatchObject({
        code: 'not-found',
      })
    })

    test('gets every task that callers add at the same moment', async () => {
      const it = await begun(SESSION_FILE)
      const names = Array.from({ length: 12 }, (_, at) => `Task ${at}`)
      await Promise.all(names.map((name) => it.run('add', { name })))
      const { tasks, problems } = await it.run('show')
      expect(tasks.map(({ name }: Answer) => name).toSorted()).toEqual(
        ['Mend the login', 'Ship it', ...names].toSorted(),
      )
      expect(problems).toEqual([])
    })

    test('keeps its permissions, and links inside of the project', async () => {
      const it = await begun()
      await it.put('notes.md', SESSION_FILE)
      await chmod(it.at('notes.md'), 0o640)
      await symlink('notes.md', it.at('session.md'))
      await it.run('set', { name: 'Ship it', state: 'done' })
      expect(await it.read('notes.md')).toContain('- [x] **Ship it**')
      expect(((await stat(it.at('notes.md'))).mode & 0o777).toString(8)).toBe('640')
    })

    test('is never a link to settings or code, and belongs to a project', async () => {
      const it = await begun()
      await it.put('.holdfast/config.yaml', 'tasks: sessions/\n')
      await mkdir(it.at('agents'))
      const others = [
        'src/a.ts',
        'skills/ship/SKILL.md',
        'skills/ship/a.md',
        'plans/x/steps/1.md',
        'plans/x/runbook.md',
      ]
      for (const path of others) await it.put(path, '# A\n')
      for (const target of ['.holdfast/config.yaml', ...others]) {
        await symlink(it.at(target), it.at('agents/learnings.md'))
        const refused = await failure(it.run('learn', { title: 'A', text: 'tasks: mine/' }))
        expect(refused).toMatchObject({ code: 'forbidden' })
        await unlink(it.at('agents/learnings.md'))
      }
      expect(await it.read('.holdfast/config.yaml')).toBe('tasks: sessions/\n')
      const path = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-nowhere-')))
      expect(await failure(it.run('add', { path, name: 'A' }))).toMatchObject({ code: 'not-found' })
      expect(await readdir(path)).toEqual([])
      await rmdir(path)
    })

    test('is never written if that could damage it, or lies outside of the project', async () => {
      const it = await begun()
      const refused = async (code: string) => {
        expect(await failure(it.run('add', { name: 'New' }))).toMatchObject({ code })
        expect(await failure(it.run('write', { status: 'New' }))).toMatchObject({ code })
      }
      const bytes = Buffer.concat([Buffer.from(SESSION_FILE), Buffer.from([0xe9, 0x0a])])
      await writeFile(it.at('session.md'), bytes)
      await refused('invalid')
      expect(await readFile(it.at('session.md'))).toEqual(bytes)
      await writeFile(it.at('session.md'), `${SESSION_FILE}\n\`\`\`\nopen\n`)
      await refused('invalid')
      await writeFile(it.at('session.md'), ' '.repeat(4 * 1024 * 1024 + 1))
      await refused('too-large')
      const outside = join(world().project, '..', world().name('elsewhere'))
      await mkdir(outside)
      await writeFile(join(outside, 'session.md'), SESSION_FILE)
      await mkdir(it.at('agents'))
      await symlink(join(outside, 'session.md'), it.at('agents/session.md'))
      await refused('forbidden')
      expect(await readFile(join(outside, 'session.md'), 'utf8')).toBe(SESSION_FILE)
    })
  })
}
