import { describe, expect, test } from 'vitest'
import type { TouchedDirective } from '../model/directive.ts'
import type { ToolAction } from '../model/event.ts'
import { effort, event, facts, SESSION, skill } from './case.contract.ts'
import { contextBudget } from './context-budget.ts'
import { heartbeat } from './heartbeat.ts'
import { queueReminder } from './queue-reminder.ts'
import type { Facts } from './facts.ts'
import { sessionGate } from './session-gate.ts'
import { writeUnresolved } from './write-unresolved.ts'

const about = (does: ToolAction) => event('before', { tool: { name: 'Any', does, input: null } })
const shell = (command: string) => about({ kind: 'command', command })
const file = (how: 'read' | 'write') => about({ kind: 'files', touches: [{ path: '/p/a.ts', how }] })

describe('heartbeat', () => {
  const asked = (calls: number, limit: number | undefined = 10, isReminded = false) =>
    facts({
      session: { ...SESSION, heartbeat_counter: calls },
      watch: { heartbeat: limit, wantsEffort: false, isReminded },
    })

  test.each([0, 1, 2, 4, 9])('says nothing after %i calls', (calls) => {
    expect(heartbeat.judge(shell('ls'), asked(calls, 10, calls > 3))).toBeUndefined()
  })

  test('reminds with the next call that can carry it', () => {
    expect(heartbeat.judge(shell('holdfast status'), asked(3))).toBeUndefined()
    expect(heartbeat.judge(shell('ls'), asked(5))).toMatchObject({
      contexts: [expect.stringMatching(/^5 tool calls/)],
      changes: [{ kind: 'heartbeat.reminded' }],
    })
  })

  test('reminds after three calls, with the command that tells what was done', () => {
    const verdict = heartbeat.judge(shell('ls'), asked(3))
    expect(verdict?.block).toBeUndefined()
    expect(verdict?.contexts?.[0]).toMatch(/^3 tool calls .* holdfast log .* --effort 7$/)
  })

  test.each([10, 11, 400])('refuses after %i calls, with the command that opens the way', (calls) => {
    const verdict = heartbeat.judge(shell('ls'), asked(calls))
    expect(verdict?.block).toMatchObject({
      effort: 7,
      reason: expect.stringContaining('Next: run holdfast log'),
    })
  })

  test.each([
    'holdfast log "it\'s done"',
    'npx holdfast log x',
    ' holdfast status',
    'engine log x',
    'cd . && holdfast log x --effort 6',
    '/usr/local/bin/holdfast log x',
    'rm x; holdfast log y',
    'holdfast log - <<E\nx\nE',
  ])('never holds up %s', (command) => {
    expect(heartbeat.judge(shell(command), asked(50))).toBeUndefined()
  })

  test('never holds up the list of things to do', () => {
    expect(heartbeat.judge(about({ kind: 'todos', todos: [] }), asked(50))).toBeUndefined()
  })

  test('lets a command that does not write to the log pass for ours only where it begins with ours', () => {
    expect(heartbeat.judge(shell('rm x; holdfast status'), asked(50))?.block).toBeDefined()
    expect(heartbeat.judge(shell('holdfastly'), asked(50))?.block).toBeDefined()
  })

  test('is nobody’s business where the effort does not ask for it', () => {
    expect(
      heartbeat.judge(shell('ls'), { ...asked(50), watch: { heartbeat: undefined, wantsEffort: false } }),
    ).toBeUndefined()
  })
})

describe('session-gate', () => {
  const gated = facts({ watch: { heartbeat: undefined, wantsEffort: true } })

  test('refuses to change a file where an effort is wanted, and says how to begin one', () => {
    expect(sessionGate.judge(file('write'), gated)?.block?.reason).toMatch(
      /holdfast effort start .*session-gate off/,
    )
    const named = (tracked: readonly string[]) =>
      sessionGate.judge(file('write'), { ...gated, tracked })?.block?.reason
    expect(named(['ship'])).toContain('run holdfast effort start .holdfast/tasks/ship ship (')
    expect(named(['ship', 'rel'])).toContain('call a skill that has a plan (/ship, /rel), or run')
    expect(named(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toContain('(/a, /b, /c, /d, /e and 2 more)')
    expect(named([])).toContain('Next: run holdfast effort start .holdfast/tasks/SKILL SKILL')
    expect(named([])).not.toContain('call a skill')
  })

  test.each([
    ['reading a file', file('read')],
    ['a shell command', shell('ls')],
    ['a skill', about({ kind: 'skill', name: 'flow', args: '' })],
  ])('lets %s go on', (_, what) => {
    expect(sessionGate.judge(what, gated)).toBeUndefined()
  })

  test('refuses a command that writes files of the project', () => {
    const verdict = sessionGate.judge(shell('echo x > a'), {
      ...gated,
      writes: [{ path: '/p/a', name: 'a', inTasks: false }],
    })
    expect(verdict?.block?.reason).toContain('holdfast effort start')
  })

  test('lets a command go on that may write nobody knows what', () => {
    expect(sessionGate.judge(shell('echo x > $f'), { ...gated, unsureWrite: 'echo' })).toBeUndefined()
  })

  test('says nothing where no effort is wanted, or one is active', () => {
    expect(sessionGate.judge(file('write'), facts())).toBeUndefined()
    expect(
      sessionGate.judge(
        shell('echo x > a'),
        facts({ writes: [{ path: '/p/a', name: 'a', inTasks: false }] }),
      ),
    ).toBeUndefined()
  })
})

describe('write-unresolved', () => {
  const unsureWrite = 'echo x > $f'
  const watch = { heartbeat: undefined, wantsEffort: true }
  const hard: TouchedDirective = {
    type: 'AGENTS',
    path: '/p/AGENTS.md',
    folder: '/p',
    kind: 'hard',
    text: '',
    isWritten: false,
  }

  test.each<[string, Partial<Facts>]>([
    ['an effort is wanted first', { watch }],
    ['a directive was to be read first', { directives: [hard] }],
  ])('records a command that may write where %s', (_, more) => {
    const verdict = writeUnresolved.judge(shell(unsureWrite), facts({ unsureWrite, ...more }))
    expect(verdict).toEqual({ changes: [{ kind: 'write.unresolved', command: unsureWrite }] })
  })

  test.each<[string, Partial<Facts>]>([
    ['where nobody asks', { unsureWrite }],
    ['where the command writes nothing', { watch }],
    ['where what is in force is advice', { unsureWrite, directives: [{ ...hard, kind: 'soft' }] }],
    [
      'where the directive was read',
      { unsureWrite, directives: [hard], session: { ...SESSION, loaded_files: [hard.path] } },
    ],
  ])('says nothing %s', (_, more) => {
    expect(writeUnresolved.judge(shell('any'), facts(more))).toBeUndefined()
  })
})

describe('context-budget', () => {
  const full = (usage: number | null, told = 0) =>
    facts({
      session: { ...SESSION, context_usage: usage, context_told: told },
      work: { ...skill(), effort: effort() },
    })

  test.each([
    [null, 0],
    [0.5, 0],
    [0.73, 73],
    [0.79, 73],
    [0.95, 80],
  ])('says nothing of %s where the mark %i was told', (usage, told) => {
    expect(contextBudget.judge(event('after'), full(usage, told))).toBeUndefined()
  })

  test.each([
    [0.74, 0, 73, /^The context window is 74 % full\.\n.*Soon run: holdfast log/s],
    [0.85, 0, 80, /85 % full\. The client may compact it at any moment\.\n.*Now run: holdfast log/s],
    [0.8, 73, 80, /Saved: the state of the work/],
  ])('tells of %s, after the mark %i was told, what is saved and what is not', (usage, told, mark, text) => {
    const verdict = contextBudget.judge(event('prompt'), full(usage, told))
    expect(verdict?.contexts?.[0]).toMatch(text)
    expect(verdict).toMatchObject({ tellsStanding: true, changes: [{ kind: 'context.told', mark, usage }] })
  })

  test('names the queue where no effort is active, because there is no log', () => {
    const { work: _, ...nothing } = full(0.9)
    const told = contextBudget.judge(event('after'), { ...nothing, work: undefined })?.contexts?.[0]
    expect(told).toContain('only files on disk and the queue are saved')
    expect(told).toMatch(/Now run: holdfast queue add "\.\.\."$/)
    expect(told).not.toContain('holdfast log')
  })

  test.each([
    [0.2, 80, 0],
    [0.75, 80, 73],
  ])('is silent when a window becomes emptier, %s after %i, but can tell again', (usage, told, mark) => {
    const verdict = contextBudget.judge(event('after'), full(usage, told))
    expect(verdict).toEqual({ changes: [{ kind: 'context.told', mark, usage }] })
  })
})

describe('queue-reminder', () => {
  const item = (id: number) => ({
    id,
    project_id: 1,
    effort_id: null,
    kind: 'observation',
    content: `thing ${id}`,
    resolution: null,
    created_at: '',
    resolved_at: null,
  })
  const invoked = [{ name: 'flow', args: '', quick: false, skill: skill() }]

  test.each([
    [[1], /^One item in the queue\. Newest: thing 1\. .*resolve 1/],
    [[2, 1], /^2 items in the queue\. Newest: thing 2\./],
    [Array.from({ length: 20 }, (_, n) => 20 - n), /^20 or more items in the queue/],
  ])('tells of what waits when a skill is called: %j', (ids, text) => {
    const verdict = queueReminder.judge(event('prompt'), facts({ invoked, queued: ids.map(item) }))
    expect(verdict?.contexts?.[0]).toMatch(text)
  })

  test('says nothing where nothing waits, or no skill is called', () => {
    expect(queueReminder.judge(event('prompt'), facts({ invoked }))).toBeUndefined()
    expect(queueReminder.judge(event('prompt'), facts({ queued: [item(1)] }))).toBeUndefined()
  })
})
