import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clashes } from './clashes.ts'
import { applyEdit, type Edit } from './edit.ts'
import { handOver, handOverFault } from './handing-over.ts'
import { readLearnings } from './learnings.ts'
import { nameKey } from './problem.ts'
import { anyFile } from './any-file.contract.ts'
import { toLines } from './lines.ts'
import { readSessionFile } from './session-file.ts'
import { taskNamed } from './task-edits.ts'
import { chooseTokens, tokenFor } from './tokens.ts'

const FILE = `# Session Handoff: 2026-03-01

**Status:** Begun

## Completed This Session

- Old words

## In-tree Tasks

- [>] **Write tests** #AB12CD — \`/tdd login\` | haiku
  - Plan: login | Status: designed
- [ ] **Ship it** #PNDNG

## Blockers / Gotchas

- The port is taken
  after a crash

## Mine

Keep   this.\t
`

/** The lines that an edit took away and put there. */
function difference(before: string, after: string) {
  const [from, to] = [before.split('\n'), after.split('\n')]
  let [first, last] = [0, 0]
  while (first < from.length && first < to.length && from[first] === to[first]) first++
  while (last < from.length - first && last < to.length - first && from.at(-1 - last) === to.at(-1 - last))
    last++
  return { removed: from.slice(first, from.length - last), put: to.slice(first, to.length - last) }
}

const add = (task: Partial<Extract<Edit, { kind: 'add' }>['task']> & { readonly name: string }): Edit => ({
  kind: 'add',
  date: '2026-03-02',
  task: { restart: false, ...task },
})

describe('an edit', () => {
  test.each<readonly [string, Edit, readonly string[], readonly string[]]>([
    [
      'a task goes behind the last one',
      add({ name: 'New', command: '/x', model: 'opus' }),
      [],
      ['- [ ] **New** #PNDNG — `/x` | opus'],
    ],
    [
      'a task with a plan has a second line',
      add({ name: 'New', plan: 'login' }),
      [],
      ['- [ ] **New** #PNDNG', '  - Plan: login | Status: pending'],
    ],
    [
      'a state is one sign',
      { kind: 'set', name: 'write  TESTS', state: 'done' },
      ['- [>] **Write tests** #AB12CD — `/tdd login` | haiku'],
      ['- [x] **Write tests** #AB12CD — `/tdd login` | haiku'],
    ],
    [
      'a token takes the place of #PNDNG',
      { kind: 'tokens', tokens: [['Ship it', '#XY34ZW']] },
      ['- [ ] **Ship it** #PNDNG'],
      ['- [ ] **Ship it** #XY34ZW'],
    ],
    [
      'a handoff replaces what was completed',
      { kind: 'handoff', given: { date: '2026-03-01', completed: '- New words\n- More' } },
      ['- Old words'],
      ['- New words', '- More'],
    ],
    [
      'a handoff adds blockers',
      {
        kind: 'handoff',
        given: { date: '2026-03-01', blockers: ['It rains', 'The port  is taken after a crash'] },
      },
      [],
      ['- It rains'],
    ],
    [
      'a handoff makes a missing section at its place',
      { kind: 'handoff', given: { date: '2026-03-01', next: '- Go' } },
      [],
      ['## Next Steps', '', '- Go', ''],
    ],
  ])('%s', (_, edit, removed, put) => {
    const after = applyEdit(edit, FILE)
    expect(difference(FILE, after)).toEqual({ removed, put })
    expect(readSessionFile(after).problems).toEqual([])
  })

  test('changes nothing when it is repeated', () => {
    const edits: readonly Edit[] = [
      add({ name: 'New' }),
      { kind: 'set', name: 'Ship it', state: 'blocked' },
      { kind: 'tokens', tokens: [['Ship it', '#XY34ZW']] },
      { kind: 'learn', learnings: [{ title: 'When it rains', text: 'Wait.' }] },
      {
        kind: 'handoff',
        given: { date: '2026-03-02', status: 'Done', completed: 'All', next: 'None', blockers: ['A\nb'] },
      },
    ]
    fc.assert(
      fc.property(
        fc.oneof(anyFile, fc.constant(FILE), fc.constant(undefined)),
        fc.constantFrom(...edits),
        (text, edit) => {
          fc.pre(text === undefined || !readSessionFile(text).isFenceOpen)
          const once = applyEdit(edit, text)
          expect(applyEdit(edit, once)).toBe(once)
        },
      ),
    )
  })

  test('keeps every line that is not its own, with its end', () => {
    const edits: readonly Edit[] = [
      add({ name: 'New one' }),
      add({ name: 'Another', slug: 'tree' }),
      { kind: 'set', name: 'Write tests', state: 'failed' },
      { kind: 'tokens', tokens: [['Failed', '#XY34ZW']] },
    ]
    fc.assert(
      fc.property(anyFile, fc.constantFrom(...edits), (text, edit) => {
        const after = applyEdit(edit, text)
        const isOwn = (line: string) => /Write tests|\*\*Failed\*\*/.test(line)
        const whole = (of: string) => toLines(of).lines.map((line) => line.text + line.end)
        const kept = whole(text).filter((line) => !isOwn(line))
        // Only the last line may get an end that it did not have.
        const found = whole(after)
        let at = 0
        for (const line of kept) {
          while (at < found.length && found[at] !== line && found[at]?.replace(/\r?\n$/, '') !== line) at++
          expect(at++).toBeLessThan(found.length)
        }
        expect(found.length - whole(text).length).toBeLessThan(6)
        const isEmpty = text === '' || text === '\uFEFF'
        expect(isEmpty || after.endsWith('\n') === text.endsWith('\n')).toBe(true)
      }),
    )
  })

  test('uses the line ends of the file', () => {
    const crlf = FILE.replaceAll('\n', '\r\n')
    const after = applyEdit(add({ name: 'New', plan: 'login' }), crlf)
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  test('begins a file that is missing', () => {
    expect(applyEdit(add({ name: 'New' }), undefined)).toBe(
      '# Session Handoff: 2026-03-02\n\n## In-tree Tasks\n\n- [ ] **New** #PNDNG\n',
    )
    expect(
      applyEdit({ kind: 'learn', learnings: [{ title: 'When it rains', text: 'Wait.' }] }, undefined),
    ).toBe('# Learnings\n\n## When it rains\n\nWait.\n')
  })

  test('of the state of a box that nobody knows replaces it', () => {
    for (const box of ['[?] ', '[] ', ''])
      expect(
        applyEdit({ kind: 'set', name: 'A', state: 'blocked' }, `## In-tree Tasks\n\n- ${box}**A** — x\n`),
      ).toBe('## In-tree Tasks\n\n- [!] **A** — x\n')
  })
})

const DOCUMENT = `**Status:** Half way

## Completed This Session

- Mended the login

\`\`\`
## not a heading
\`\`\`

## In-tree Tasks

- [x] **Write tests**
- [ ] **Tell the users** — \`/mail\`
  - Plan: mail

## Blockers / Gotchas

- It rains

## Mine

More of mine.

## Next Steps

1. Ship it
`

describe('a handoff', () => {
  test('merges a whole document, and keeps what it does not replace', () => {
    const after = handOver(FILE, { date: '2026-03-02', document: DOCUMENT })
    expect(after).toBe(`# Session Handoff: 2026-03-02

**Status:** Half way

## Completed This Session

- Mended the login

\`\`\`
## not a heading
\`\`\`

## In-tree Tasks

- [x] **Write tests** #AB12CD — \`/tdd login\` | haiku
  - Plan: login | Status: designed
- [ ] **Ship it** #PNDNG
- [ ] **Tell the users** #PNDNG — \`/mail\`
  - Plan: mail

## Blockers / Gotchas

- The port is taken
  after a crash
- It rains

## Mine

Keep   this.\t

More of mine.

## Next Steps

1. Ship it
`)
    expect(handOver(after, { date: '2026-03-02', document: DOCUMENT })).toBe(after)
  })

  test('keeps a title of somebody else, and puts the status below it', () => {
    expect(handOver('# Our notes\nwords\n', { date: '2026-03-02', status: 'Done' })).toBe(
      '# Our notes\n\n**Status:** Done\n\nwords\n',
    )
  })

  test.each([
    ['a status of two lines', { status: 'a\nb' }, 'status'],
    ['a heading in the words', { completed: 'a\n## b' }, 'completed'],
    ['an open fence', { next: '```\na' }, 'next'],
    ['a heading in a blocker', { blockers: ['# b'] }, 'blockers'],
    ['a document without a status', { document: '## Completed This Session\n\na' }, 'document'],
    [
      'a document without what was completed',
      { document: '**Status:** a\n\n## Next Steps\n\na' },
      'document',
    ],
    [
      'a damaged document',
      { document: '**Status:** a\n\n## Completed\n\na\n\n## In-tree Tasks\n\n- [?] **A**' },
      'document',
    ],
  ])('refuses %s', (_, given, field) => {
    expect(handOverFault({ date: '', ...given })).toMatchObject({ field })
  })
})

describe('tokens', () => {
  test('are the same for the same name, and never one that is taken', () => {
    const first = tokenFor('Ship it', new Set())
    expect(tokenFor('ship  IT', new Set())).toBe(first)
    expect(tokenFor('Ship it', new Set([first]))).not.toBe(first)
    expect(first).toMatch(/^#[0-9B-Z]{6}$/)
  })

  test('are given to each #PNDNG of a task, and to no other line', () => {
    const text =
      '`#PNDNG` in prose\n\n## In-tree Tasks\n\n- [ ] **A** #PNDNG — `echo #PNDNG`\n- [ ] **B** — `x` | opus #PNDNG\n- [ ] **C** #AB12CD\n'
    const file = readSessionFile(text)
    const taken = new Set([tokenFor('A', new Set())])
    const chosen = chooseTokens(file, taken)
    expect(chosen.map(({ name, line }) => [name, line])).toEqual([
      ['A', 5],
      ['B', 6],
    ])
    const [a, b] = chosen.map(({ token }) => token)
    const after = applyEdit({ kind: 'tokens', tokens: chosen.map(({ name, token }) => [name, token]) }, text)
    expect(after).toBe(text.replace('** #PNDNG', `** ${a}`).replace('opus #PNDNG', `opus ${b}`))
    expect(taken.has(a ?? '')).toBe(false)
    expect(chooseTokens(readSessionFile(after), taken)).toEqual([])
  })

  test('of ten thousand tasks are all different', () => {
    const text = `## In-tree Tasks\n${Array.from({ length: 10_000 }, (_, at) => `- [ ] **Task ${at}** #PNDNG\n`).join('')}`
    expect(new Set(chooseTokens(readSessionFile(text), new Set()).map(({ token }) => token)).size).toBe(
      10_000,
    )
  })
})

describe('names', () => {
  const text =
    '## In-tree Tasks\n- [ ] **Ship it** #AB12\n- [ ] **ship  IT**\n- [ ] **Learned**\n- [ ] **Older** #AB12\n'
  const learnings = readLearnings(
    '# Learnings\n\n## Learned\n\nIt.\n\n## one two three four five six seven eight\n## LEARNED\n',
  )

  test('are unique, disjoint from learnings, and new to the history', () => {
    const found = [
      ...clashes(readSessionFile(text).tasks, learnings.all, { names: new Set([nameKey('older')]) }),
    ]
    expect(found.map(({ code, line }) => [code, line])).toEqual([
      ['name-twice', 3],
      ['name-learning', 4],
      ['name-used', 5],
      ['token-twice', 5],
    ])
    expect(learnings.problems.map(({ code, line }) => [code, line])).toEqual([
      ['learning-title', 7],
      ['learning-twice', 8],
    ])
  })

  test('of a task may be its beginning or its token', () => {
    const { tasks } = readSessionFile(
      '## In-tree Tasks\n- [ ] **Ship it** #AB12\n- [ ] **Ship that**\n- [ ] **Mend**\n',
    )
    expect(taskNamed(tasks, 'me').name).toBe('Mend')
    expect(taskNamed(tasks, 'ab12').name).toBe('Ship it')
    expect(taskNamed(tasks, 'SHIP  that').name).toBe('Ship that')
    expect(() => taskNamed(tasks, 'ship')).toThrow(/2 tasks begin like that/)
    expect(() => taskNamed(tasks, 'sail')).toThrow(/no task "sail"/)
  })
})
