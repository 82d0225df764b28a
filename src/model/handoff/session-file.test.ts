import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { anyFile } from './any-file.contract.ts'
import { toLines, toText } from './lines.ts'
import { readSessionFile, sectionOf, wordsIn } from './session-file.ts'
import { readTaskLine, taskLine, TASK_STATES } from './task-line.ts'

describe('a session file', () => {
  test('comes back as the same bytes, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(anyFile, anyString()), (text) => {
        expect(toText(toLines(text))).toBe(text)
        expect(toText(readSessionFile(text))).toBe(text)
      }),
    )
  })

  test('has a title, a status, sections and tasks with their lines', () => {
    const file = readSessionFile(
      [
        '# Session Handoff: 2026-03-01',
        '',
        '**Status:** Half way',
        '',
        '## Completed This Session',
        '',
        '- Mended it',
        '- [x] **No task**, only a list',
        '',
        '## In-tree Tasks',
        '',
        '- [>] **Write tests** #AB12CD — `/tdd login` | haiku | restart | priority 2',
        '  - Plan: login | Status: designed',
        '  - [ ] a step of it',
        '- [ ] **Ship it**',
        '',
        '## Worktree Tasks',
        '- [!] **Move** → `move-it` — `/move`',
        '## Anything',
        'mine',
      ].join('\n'),
    )
    expect(file.title?.date).toBe('2026-03-01')
    expect(file.status?.text).toBe('Half way')
    expect(file.problems).toEqual([])
    expect(wordsIn(file, sectionOf(file, 'completed'))).toBe('- Mended it\n- [x] **No task**, only a list')
    expect(file.tasks).toMatchObject([
      {
        line: 12,
        until: 14,
        state: 'in-progress',
        name: 'Write tests',
        token: '#AB12CD',
        command: '/tdd login',
        model: 'haiku',
        restart: true,
        priority: '2',
        plan: { name: 'login', status: 'designed' },
      },
      { line: 15, until: 15, state: 'pending', name: 'Ship it', restart: false, section: 'tasks' },
      { line: 18, state: 'blocked', name: 'Move', slug: 'move-it', section: 'worktree' },
    ])
  })

  test('takes headings and tasks in code fences for text', () => {
    const file = readSessionFile(
      '## In-tree Tasks\n\n```\n- [ ] **No task**\n## Next Steps\n```\n- [ ] **A task**\n',
    )
    expect(file.tasks.map(({ name }) => name)).toEqual(['A task'])
    expect(file.sections.map(({ title }) => title)).toEqual(['In-tree Tasks'])
  })

  test.each([
    ['Pending Tasks', 'tasks'],
    ['in-tree  tasks:', 'tasks'],
    ['Blockers/Gotchas', 'blockers'],
    ['Next Steps ##', 'next'],
    ['Notes', undefined],
  ])('## %s is the section %s', (title, kind) => {
    expect(readSessionFile(`## ${title}\n`).sections[0]?.kind).toBe(kind)
  })

  test.each([
    ['- [?] **A**', 'task-state'],
    ['- [] **A**', 'task-state'],
    ['- **A** — `x`', 'task-state'],
    ['- [ ] A — `x`', 'task-name'],
    ['- [ ] **A — `x`', 'task-name'],
    ['- [ ] **A** → slug — `x`', 'task-slug'],
    ['- [ ] **A** — `x', 'task-command'],
    ['- [ ] **A** #AB12 #CD34 — `x`', 'task-token'],
    ['-[ ] **A** — `x`', 'task-blank'],
    ['*[x] **A**', 'task-blank'],
    ['- [ ] **A** #pndng — `x`', 'task-token'],
    ['- [ ] **A** — `x` | #Pndng', 'task-token'],
    ['- [ ] **A** → `w` #4kj7qx — `x`', 'task-token'],
    ['  -[ ] **A** #pndng', 'token-outside'],
    ['  - [ ] **A** #PNDNG', 'token-outside'],
    ['## In-tree Tasks', 'section-twice'],
    ['```', 'fence-open'],
  ])('%s is damage, with its line and a hint', (line, code) => {
    const { problems } = readSessionFile(`# Session\n\n## In-tree Tasks\n${line}\n`)
    expect(problems).toMatchObject([{ code, line: 4 }])
    // Both are printed in one line.
    expect(problems[0]?.message).toMatch(/\.$/)
    expect(problems[0]?.hint).not.toBe('')
  })

  test.each([
    ['-[ ] **A** — `x`', 'Write: - [ ] **A** — `x`'],
    ['- [ ] **A** #pndng', 'Write #PNDNG in its place.'],
    ['- [ ] **A** #4kj7qx', 'Write #4KJ7QX in its place.'],
  ])('the hint for %s is what to write', (line, hint) => {
    expect(readSessionFile(`## In-tree Tasks\n${line}\n`).problems).toMatchObject([{ line: 2, hint }])
  })

  test('a task without the blank is still one, so its name is taken and its state can be set', () => {
    const { tasks } = readSessionFile('## In-tree Tasks\n-[>] **A**\n')
    expect(tasks).toMatchObject([{ name: 'A', state: 'in-progress', sign: [2, 3] }])
  })

  test('never fails, and each problem has a line of the file', () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const { problems, lines } = readSessionFile(text)
        for (const { line } of problems) expect(line).toBeLessThanOrEqual(lines.length)
      }),
    )
  })
})

describe('a task line', () => {
  test.each([
    ['- [ ] **A**', { name: 'A', state: 'pending', restart: false }],
    ['* [X] **A b** — `c`', { name: 'A b', state: 'done', command: 'c' }],
    ['- [–] **A**', { state: 'cancelled' }],
    ['- [†] **A** #AB12', { state: 'failed', token: '#AB12' }],
    ['- [ ] **A** - `c` | opus', { command: 'c', model: 'opus' }],
    ['- [ ] **A** -> `w` #AB12 -- `c`', { slug: 'w', token: '#AB12', command: 'c' }],
    ['- [ ] **A** — `a | b — c` | restart', { command: 'a | b — c', restart: true }],
    [
      '- [ ] **A** — `` a ` b `` | sonnet | no restart | high',
      { command: 'a ` b', model: 'sonnet', restart: false, priority: 'high' },
    ],
    ['- [ ] **A** — some words | haiku', { name: 'A', model: 'haiku' }],
    ['- [ ] **A** — | | restart: yes | priority 3', { restart: true, priority: '3' }],
    ['- [ ] **Fix #123** — `c`', { name: 'Fix #123', command: 'c' }],
    ['- [ ] **A** #123 — `c`', { name: 'A', command: 'c' }],
    // Words of people, and commands, are no tokens.
    ['- [ ] **A** #login #urgent — `c #pndng`', { name: 'A', command: 'c #pndng' }],
    ['- [ ] **A** — see #bc1234 | opus', { name: 'A', model: 'opus' }],
  ])('%s is read', (line, parts) => {
    const read = readTaskLine(line)
    expect(read).toMatchObject({ ...parts, faults: [] })
    expect(read?.token).toBe('token' in parts ? parts.token : undefined)
  })

  test.each([
    'text',
    '- text',
    '- [a link](x)',
    '-[x](y)',
    '-[text] **A**',
    '***A**',
    '1. [ ] **A**',
    '',
    '-',
    '- [ ]',
    '- [ ] ****',
    '[ ] **A**',
  ])('%j is no task', (line) => {
    expect(readTaskLine(line)).toBeUndefined()
  })

  test('is read as it was written', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9 .,()]{0,10}[a-z]$/)
    const some = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
    const task = fc.record({
      name: word,
      state: fc.constantFrom(...TASK_STATES),
      slug: some(fc.stringMatching(/^[a-z-]{1,8}$/)),
      token: some(fc.constantFrom('#PNDNG', '#AB12CD')),
      command: some(fc.stringMatching(/^[a-z/|`#— ]{0,10}[a-z]$/).map((text) => text.trim())),
      model: some(fc.constantFrom('opus', 'haiku')),
      restart: fc.boolean(),
      priority: some(fc.constantFrom('1', 'high')),
    })
    fc.assert(
      fc.property(task, (words) => {
        const {
          faults,
          sign: _,
          tokenAt: __,
          pending: ___,
          ...read
        } = readTaskLine(taskLine(words)) ?? { faults: [] }
        expect(faults).toEqual([])
        const said = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined))
        expect(read).toEqual(said)
      }),
    )
  })
})

/** Processor time, because other programs share the machine; the least of several runs has the least noise. */
function costOf(text: string, runs: number): number {
  const costs = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    for (let run = 0; run < runs; run++) readSessionFile(text)
    const { user, system } = process.threadCpuUsage(before)
    // The kernel only guesses which part of short work was the user's.
    return user + system
  })
  return Math.min(...costs)
}

test('ten times the tasks take about ten times as long to read', () => {
  const text = (tasks: number) =>
    `## In-tree Tasks\n\n${Array.from({ length: tasks }, (_, at) => `- [ ] **Task ${at}** #PNDNG — \`/design ${at}\` | opus\n  - Plan: p${at} | Status: s\n\n`).join('')}`
  const [few, many] = [text(1000), text(10_000)]
  expect(readSessionFile(many).tasks).toHaveLength(10_000)
  costOf(few, 10)
  // Ten readings of a thousand tasks, and one of ten thousand; a square would be ten times as much.
  expect(costOf(many, 1) / costOf(few, 10)).toBeLessThan(5)
})
