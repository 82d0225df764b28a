import { array, assert, constantFrom, nat, property, record, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ItemOutcome } from './item.ts'
import { draftsOfLines } from './jsonl.ts'
import { endTry, take } from './move.ts'
import { standings, type Tried } from './plan.ts'
import { itemsOf } from './resolve.ts'
import { shapeOf } from './shape.ts'

const item = (id: string, blockedBy: readonly string[] = [], more: Partial<Tried> = {}): Tried => ({
  item: id,
  title: `Do ${id}`,
  blockedBy,
  limit: 2,
  needsUser: false,
  ...more,
})
const done = { attempts: 1, outcome: 'ok' }
const statesOf = (items: readonly Tried[]) =>
  Object.fromEntries(
    [...standings(items)].map(([id, { state, blocker }]) => [id, blocker ? `${state} by ${blocker}` : state]),
  )

describe('where items stand', () => {
  test.each([
    ['an item without blockers is open', [item('a'), item('b', ['a'])], { a: 'open', b: 'waiting' }],
    [
      'an item opens once all that blocks it is done',
      [item('a', [], { visit: done }), item('b'), item('c', ['a']), item('d', ['a', 'b'])],
      { a: 'done', b: 'open', c: 'open', d: 'waiting' },
    ],
    ['a taken item is neither open nor done', [item('a', [], { visit: { attempts: 1 } })], { a: 'taken' }],
    [
      'a failed item is open within its limit',
      [item('a', [], { visit: { attempts: 1, outcome: 'fail' } })],
      { a: 'open' },
    ],
    [
      'everything behind an item that failed for good is blocked by it',
      [
        item('a', [], { visit: { attempts: 2, outcome: 'fail' } }),
        item('b', ['a']),
        item('c', ['b']),
        item('d'),
      ],
      { a: 'failed', b: 'blocked by a', c: 'blocked by a', d: 'open' },
    ],
    [
      'an item that only the user lets go on is blocked itself',
      [
        item('a', [], { visit: { attempts: 1, outcome: 'fail' }, limit: 1, needsUser: true }),
        item('b', ['a']),
      ],
      { a: 'blocked', b: 'blocked by a' },
    ],
    [
      'an item may have the name of an artifact that every plan has',
      [item('user-request'), item('b', ['user-request'])],
      { 'user-request': 'open', b: 'waiting' },
    ],
  ])('%s', (_, items, expected) => {
    expect(statesOf(items)).toEqual(expected)
  })
})

describe('the end of a try', () => {
  const taken = (more: Partial<Tried> = {}) => item('a', [], { visit: { attempts: 1 }, ...more })
  const around = (own = taken()) => [own, item('b', ['a']), item('c', ['a', 'x']), item('x')]

  test('that went well opens what waited for nothing else', () => {
    expect(endTry(around(), 'a', { outcome: 'done' })).toEqual({ state: 'done', limit: 2, opens: ['b'] })
  })

  test.each<[string, Partial<Tried>, ItemOutcome, string | undefined, object]>([
    ['that failed offers the item again', {}, 'failed', 'no', { state: 'open', limit: 2 }],
    [
      'that was the last one fails for good',
      { visit: { attempts: 2 } },
      'failed',
      'no',
      { state: 'failed', limit: 2 },
    ],
    [
      'with the same error as before fails for good',
      { limit: 5, visit: { attempts: 2, failed: 'no' } },
      'failed',
      'no',
      { state: 'failed', limit: 2 },
    ],
    [
      'with another error than before does not',
      { limit: 5, visit: { attempts: 2, failed: 'no' } },
      'failed',
      'other',
      { state: 'open', limit: 5 },
    ],
    ['that needs the user is not offered again', {}, 'blocked', 'which?', { state: 'blocked', limit: 1 }],
    ['that was given back costs no try', { limit: 1 }, 'released', 'stopped', { state: 'open', limit: 2 }],
  ])('%s', (_, own, outcome, reason, expected) => {
    expect(endTry(around(taken(own)), 'a', { outcome, reason })).toEqual({ ...expected, opens: [] })
  })

  test('of an item that nobody took is refused', () => {
    expect(endTry([item('a')], 'a', { outcome: 'done' })).toBeUndefined()
  })

  test('an item at its limit, or behind others, cannot be taken', () => {
    expect(take([item('a', [], { visit: { attempts: 2, outcome: 'fail' } })], 'a').ok).toBe(false)
    expect(take([item('a'), item('b', ['a'])], 'b').ok).toBe(false)
    expect(take([item('a', [], { visit: done }), item('b', ['a'])], 'b').ok).toBe(true)
  })
})

/** Items of a graph without circles, and a worker that does something with each open one in turn. */
const graphs = record({
  blockers: array(array(nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 30 }),
  choices: array(tuple(nat(), constantFrom<ItemOutcome>('done', 'done', 'failed', 'blocked', 'released')), {
    maxLength: 80,
  }),
})

test('what is decided from the items around one is what the whole plan says, until nothing is open', () => {
  assert(
    property(graphs, ({ blockers, choices }) => {
      const all = new Map(
        blockers.map((of, at) => [
          `${at}`,
          item(`${at}`, [...new Set(of.filter((one) => one < at))].map(String)),
        ]),
      )
      const put = (id: string, more: Partial<Tried>) => all.set(id, { ...(all.get(id) ?? item(id)), ...more })
      const some = (ids: Iterable<string>) => [...new Set(ids)].flatMap((id) => all.get(id) ?? [])
      let open = [...all.values()].filter(({ blockedBy }) => blockedBy.length === 0).map((one) => one.item)
      for (const [pick, outcome] of choices) {
        expect(open.toSorted()).toEqual(
          [...standings([...all.values()])]
            .filter(([, { state }]) => state === 'open')
            .map(([id]) => id)
            .toSorted(),
        )
        const id = open[pick % Math.max(1, open.length)]
        if (id === undefined) break
        const entered = take(some([id, ...(all.get(id)?.blockedBy ?? [])]), id)
        if (!entered.ok) throw new Error(entered.why)
        put(id, { visit: entered.progress.visits[id] })
        const behind = [...all.values()].filter((one) => one.blockedBy.includes(id))
        const around = some([id, ...behind.flatMap((one) => [one.item, ...one.blockedBy])])
        const ended = endTry(around, id, { outcome })
        if (ended === undefined) throw new Error('The try did not end.')
        const attempts = all.get(id)?.visit?.attempts ?? 0
        const result = outcome === 'done' ? 'ok' : 'fail'
        put(id, {
          limit: ended.limit,
          visit: { attempts, outcome: result },
          needsUser: outcome === 'blocked',
        })
        expect(standings([...all.values()]).get(id)?.state).toBe(ended.state)
        open = [...open.filter((one) => one !== id), ...(ended.state === 'open' ? [id] : []), ...ended.opens]
      }
    }),
    { numRuns: 200 },
  )
})

describe('drafts', () => {
  test('get the next number, and wait for whoever produces what they consume', () => {
    const { items, problems } = itemsOf([
      { title: 'Schema', produces: ['schema'] },
      { title: 'Store', consumes: ['schema'], item: 'store' },
      { title: 'Page', blocked_by: ['store'] },
    ])
    expect(problems).toEqual([])
    expect(items.map(({ item: id, blockedBy }) => [id, blockedBy])).toEqual([
      ['1', []],
      ['store', ['1']],
      ['2', ['store']],
    ])
  })

  test('go on with the numbers and results that are there', () => {
    const known = { has: (id: string) => id === '3', producer: () => '3', last: 3 }
    expect(itemsOf([{ title: 'Page', consumes: ['schema'] }], known).items[0]).toMatchObject({
      item: '4',
      blockedBy: ['3'],
    })
  })

  test.each([
    ['a name that no branch may have', [{ title: 'A', item: 'a/b' }], 1, /no name for an item/],
    [
      'two of one name',
      [
        { title: 'A', item: 'a' },
        { title: 'B', item: 'a' },
      ],
      2,
      /two items "a"/,
    ],
    ['a blocker that does not exist', [{ title: 'A', blocked_by: ['z'] }], 1, /does not exist/],
    ['a result that nobody produces', [{ title: 'A', consumes: ['z'] }], 1, /No item produces "z"/],
    ['an item that waits for itself', [{ title: 'A', item: 'a', blocked_by: ['a'] }], 1, /waits for itself/],
    [
      'items that wait for each other',
      [
        { title: 'A', item: 'a', blocked_by: ['b'] },
        { title: 'B', item: 'b', blocked_by: ['a'] },
      ],
      1,
      /wait for each other: a, b/,
    ],
  ])('are refused for %s', (_, drafts, at, message) => {
    expect(itemsOf(drafts).problems[0]).toMatchObject({ at, message: expect.stringMatching(message) })
  })
})

describe('lines of JSON', () => {
  test('are read in our words and in those of other trackers', () => {
    const text = [
      { id: 'bd-1', title: 'Old', status: 'closed' },
      { id: 'bd-2', title: 'Schema', description: 'Write it.', dependencies: [{ depends_on_id: 'bd-1' }] },
      {
        id: 'bd-3',
        subject: 'Page',
        dependencies: [
          { depends_on_id: 'bd-2', type: 'blocks' },
          { depends_on_id: 'bd-9', type: 'discovered-from' },
        ],
      },
      { item: 'x', title: 'X', blockedBy: ['bd-3'], limit: 3, files: ['src/a.ts'] },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n')
    const { drafts, ticked, problems } = draftsOfLines(`${text}\n\n`)
    expect({ ticked, problems }).toEqual({ ticked: 1, problems: [] })
    expect(drafts).toMatchObject([
      { item: 'bd-2', prompt: 'Write it.', blocked_by: [] },
      { item: 'bd-3', title: 'Page', blocked_by: ['bd-2'] },
      { item: 'x', blocked_by: ['bd-3'], limit: 3, files: ['src/a.ts'] },
    ])
  })

  test('that are none are named by their number', () => {
    const { drafts, problems } = draftsOfLines('{"title":"A"}\nno\n[]\n{"id":"b"}\n{"title":"C","limit":0}')
    expect(drafts).toHaveLength(1)
    expect(problems.map(({ at }) => at)).toEqual([2, 3, 4, 5])
  })
})

test.each([
  [[[]], 'solo'],
  [[[], []], 'parallel'],
  [[[], [], []], 'parallel'],
  [[[], ['1']], 'swarm'],
  [[[], [], [], []], 'swarm'],
  [[['gone']], 'solo'],
] as const)('items that wait for %j are done as %s', (blockers, shape) => {
  expect(shapeOf(blockers.map((blockedBy) => ({ blockedBy })))).toBe(shape)
})
