import { expect, test } from 'vitest'
import { event, facts, skill, span } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { skillInvoked } from './skill-invoked.ts'

const called = (of = skill(), more: object = {}): Facts['invoked'][number] => ({
  name: of.name,
  args: '',
  quick: false,
  skill: of,
  ...more,
})
const plain = skill({ name: 'plain', plan: undefined, effort: undefined })

test('nothing is said of what calls no skill', () => {
  expect(skillInvoked.judge(event('prompt'), facts())).toBeUndefined()
})

test('a call opens the span, with its arguments and mode, and asks to tell where the work stands', () => {
  const verdict = skillInvoked.judge(
    event('prompt'),
    facts({ invoked: [called(skill(), { args: 'now', quick: true })] }),
  )
  expect(verdict).toMatchObject({
    changes: [{ kind: 'span.opened', args: 'now', mode: 'quick' }],
    tellsStanding: true,
  })
})

test('of several that are stacked the first is in charge', () => {
  const verdict = skillInvoked.judge(event('prompt'), facts({ invoked: [called(), called(plain)] }))
  expect(verdict?.changes).toMatchObject([{ kind: 'span.opened', skill: 'flow' }])
})

test('a call of what goes on already is no news, and going back to it is', () => {
  const invoked = [called()]
  expect(skillInvoked.judge(event('before'), facts({ invoked, spans: [span('a')] }))).toEqual({
    changes: [],
    tellsStanding: false,
  })
  const spans = [span('a', { status: 'suspended' })]
  expect(skillInvoked.judge(event('before'), facts({ invoked, spans }))).toMatchObject({
    tellsStanding: true,
  })
})

test.each([{ heartbeat: 10 }, { requiredTodos: ['Ship'] }])(
  'a skill that only asks for %j is tracked',
  (asks) => {
    const verdict = skillInvoked.judge(event('prompt'), facts({ invoked: [called({ ...plain, ...asks })] }))
    expect(verdict).toMatchObject({ changes: [{ effort: { kind: 'start' } }], tellsStanding: true })
  },
)

test('a skill without a plan has nothing to tell, least of all of another one', () => {
  const verdict = skillInvoked.judge(event('prompt'), facts({ invoked: [called(plain)], spans: [span('a')] }))
  expect(verdict).toMatchObject({
    changes: [
      { kind: 'span.suspended', span: 'a' },
      { kind: 'span.opened', skill: 'plain', parent: 'a' },
    ],
    tellsStanding: false,
  })
})
