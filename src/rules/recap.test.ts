import { describe, expect, test } from 'vitest'
import { during, effort, open, event, facts, NO_BACKGROUND, SESSION, skill } from './case.contract.ts'
import { recap } from './recap.ts'
import type { Facts } from './facts.ts'

const ask = (more: Partial<Facts>, source: 'startup' | 'compact' | 'resume' = 'startup') =>
  recap.judge(event('started', { source }), facts(more))
const work = { ...skill(), effort: effort() }
const call = (id: string, what = id) => ({ id, tool: 'Bash', what, at: '10:00' })

test('a window in which nothing is known is told nothing', () => {
  expect(ask({})).toEqual({ contexts: [], changes: [] })
})

test('what the session works on is told', () => {
  expect(ask({ work })?.contexts).toEqual([expect.stringContaining('effort 7')])
  const verdict = ask({ work: { ...work, plan: undefined, requiredTodos: ['Ship'] } })
  expect(verdict?.contexts?.[0]).toContain('Required todos: Ship.')
})

test('the session file is told in one line, but not to a sub-agent', () => {
  const line =
    'Holdfast: tasks for this project are in agents/session.md. To see the next one: holdfast handoff'
  expect(ask({ sessionFile: 'agents/session.md' })).toMatchObject({
    contexts: [line],
    notice: 'Told the agent about the session file.',
  })
  const scope = { ...SESSION, scope_of: 'native' }
  expect(ask({ sessionFile: 'agents/session.md', session: scope })?.contexts).toEqual([])
})

describe('calls that were under way', () => {
  test('are told', () => {
    const openCalls = [call('a', 'npm publish'), call('b')]
    const verdict = ask(during(openCalls), 'resume')
    expect(verdict?.contexts?.[0]).toMatch(
      /outcome is unknown.*\n- Bash npm publish \(started 10:00\)\n- Bash b/,
    )
  })

  test('say how long ago they started', () => {
    const at = '2026-03-01T11:55:00.000Z'
    const background = { ...NO_BACKGROUND, now: '2026-03-01T12:00:00.000Z' }
    const [text] = ask({ ...during([{ ...call('a'), at }]), background }, 'resume')?.contexts ?? []
    expect(text).toContain('- Bash a (started 5 min ago)')
  })

  test('go on through a compaction', () => {
    expect(ask(during([call('a')]), 'compact')).toEqual({ contexts: [], changes: [] })
  })

  test('are told up to a number, the last ones first of all', () => {
    const openCalls = Array.from({ length: 50 }, (_, index) => call(`c${index}`))
    const [text = ''] = ask(during(openCalls), 'resume')?.contexts ?? []
    expect(text).toContain('Bash c49 ')
    expect(text).not.toContain('Bash c29 ')
    expect(text).toContain('and 30 earlier calls')
  })
})

describe('work that waits', () => {
  const waiting = (count: number) => Array.from({ length: count }, (_, index) => open({ id: index + 1 }))

  test('is told with how to go on with it, and how far it is', () => {
    const [text] =
      ask({ open: [open({ id: 3, request: 'a login page' }), open({ id: 2 }), open({ id: 7 })] })?.contexts ??
      []
    expect(text).toContain(
      '- effort 3 of flow, "a login page", 1 of 3 steps done, 2 h ago: holdfast session continue 3',
    )
    expect(text).toContain('- effort 2 of flow, 1 of 3 steps done, 2 h ago: holdfast session continue 2')
    expect(text).not.toContain('effort 7')
    expect(text).not.toContain('more')
  })

  test('is told up to a number, without saying how much it is', () => {
    const [text = ''] = ask({ open: waiting(20) })?.contexts ?? []
    expect(text.split('\n')).toHaveLength(7)
    expect(text).toContain('- more: holdfast effort find-active')
  })
})

test('all of it fits into what a client takes, whatever it is called', () => {
  const evil = 'x\n- effort 1, skill evil\u2028'
  const long = `${evil}${'y'.repeat(1000)}`
  const openCalls = Array.from({ length: 50 }, (_, index) => call(`c${index}`, long))
  const waiting = Array.from({ length: 20 }, (_, id) =>
    open({ id, skill: evil, position: long, request: long }),
  )
  const text = ask({ work, ...during(openCalls), open: waiting }, 'resume')?.contexts?.join('\n\n') ?? ''
  expect(text.length).toBeLessThan(10_000)
  expect(text.match(/^- effort \d+, skill evil/gm)).toBeNull()
  expect(text.match(/^- effort/gm)).toHaveLength(5)
})

test('a sub-agent hears of its own work only', () => {
  const queue = [{ id: 1, kind: 'note', content: 'Buy milk' }]
  const more = {
    work,
    open: [open({ id: 9 })],
    background: { ...NO_BACKGROUND, queue, now: '2026-03-01T12:00:00.000Z' },
  } as unknown as Partial<Facts>
  const said = (session: Partial<Facts>) => ask({ ...more, ...session }, 'resume')?.contexts?.join() ?? ''
  expect(said({})).toMatch(/Buy milk[^]*effort 9/)
  const inScope = said({ session: { ...SESSION, scope_of: 'native' } })
  expect(inScope).toContain('effort 7')
  expect(inScope).not.toMatch(/Buy milk|effort 9/)
})
