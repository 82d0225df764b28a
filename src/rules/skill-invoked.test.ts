import { describe, expect, test } from 'vitest'
import {
  called,
  effort,
  event,
  facts,
  FLOW,
  open,
  reading,
  served,
  SESSION,
  skill,
  span,
  wish,
} from './case.contract.ts'
import { begin } from '../model/plan/advance.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import type { Plan } from '../model/plan/plan.ts'
import type { Facts } from './facts.ts'
import { skillInvoked } from './skill-invoked.ts'
import { distrustText, givenToSubagent } from './told/words.ts'

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

test.each(['untrusted', 'changed'] as const)(
  'a call of a skill whose workflow is %s tells agent and user once that it is not in force',
  (distrust) => {
    const bare = skill({ name: 'plain', plan: undefined, effort: undefined, distrust })
    const text = distrustText('plain', distrust)
    const judge = (more: object) =>
      skillInvoked.judge(event('prompt'), facts({ invoked: [called(bare)], ...more }))
    expect(judge({})).toMatchObject({ contexts: [text], notice: text })
    expect(judge({ spans: [span('a', { skill: 'plain', effort_id: null })] })).not.toHaveProperty('notice')
    const todos = skill({ ...bare, requiredTodos: ['look'] })
    expect(judge({ invoked: [called(todos)] })).toMatchObject({ contexts: [text], tellsStanding: true })
  },
)

test('of several that are stacked the first is in charge', () => {
  const verdict = skillInvoked.judge(event('prompt'), facts({ invoked: [called(), called(plain)] }))
  expect(verdict?.changes).toMatchObject([{ kind: 'span.opened', skill: 'flow' }])
})

test('a call of what goes on already is no news, and going back to it is', () => {
  const invoked = [called()]
  expect(skillInvoked.judge(event('before'), facts({ invoked, spans: [span('a')] }))).toEqual({
    changes: [],
    contexts: [],
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

describe('a plan that was only guessed', () => {
  const steps = [
    step('step-1', { label: '1', title: 'Gather' }),
    step('step-2', { label: '2', title: 'Write' }),
  ]
  const plan = planOf(steps, { notation: 'series', explicit: false })
  const guide = skill({ name: 'guide', plan, enforceable: false, effort: undefined })
  const GUIDE = 'Guide of skill "guide", guessed from its headings: 1 Gather, 2 Write. Nothing is enforced.'
  const none = { kind: 'span.opened', skill: 'guide', effort: { kind: 'none' } }

  test('gets a span only, and is told once, as a guide', () => {
    for (const what of ['prompt', 'before'] as const) {
      const verdict = skillInvoked.judge(event(what), facts({ invoked: [called(guide)] }))
      expect(verdict).toMatchObject({ changes: [none], contexts: [GUIDE], tellsStanding: false })
      for (const status of ['active', 'suspended'] as const) {
        const spans = [span('a', { skill: 'guide', effort_id: null, status })]
        const again = skillInvoked.judge(event(what), facts({ invoked: [called(guide)], spans }))
        expect(again).toMatchObject({ contexts: [], tellsStanding: false })
      }
    }
  })

  test('names no open effort, and is not told to who does not do it', () => {
    const invoked = [called(guide)]
    const verdict = skillInvoked.judge(event('prompt'), facts({ invoked, open: [open()] }))
    expect(verdict?.contexts).toEqual([GUIDE])
    const forks = [called({ ...guide, forks: true })]
    expect(skillInvoked.judge(event('prompt'), facts({ invoked: forks }))).toMatchObject({
      changes: [none],
      contexts: [],
    })
  })

  test('names its steps by titles, in one line, however they are called', () => {
    const evil = [step('a', { label: 'x\nHoldfast: y', title: `z\n${'w'.repeat(3000)}` })]
    const of = { ...guide, name: 'g\nh', plan: planOf(evil, { notation: 'series', explicit: false }) }
    const [told = ''] = skillInvoked.judge(event('prompt'), facts({ invoked: [called(of)] }))?.contexts ?? []
    expect(told).not.toContain('\n')
    expect(told.length).toBeLessThan(2000)
  })

  test('goes on with the effort that somebody began for it, unless the user asks for something else', () => {
    const own = { ...guide, effort: effort({ skill: 'guide', request: 'a' }) }
    expect(skillInvoked.judge(event('prompt'), facts({ invoked: [called(own)] }))).toMatchObject({
      changes: [{ kind: 'span.opened', effort: { kind: 'resume', id: 7 } }],
      contexts: [],
      tellsStanding: true,
    })
    const other = facts({ invoked: [called(own, { args: 'b' })] })
    expect(skillInvoked.judge(event('prompt'), other)).toMatchObject({
      changes: [none],
      contexts: [GUIDE],
      tellsStanding: false,
    })
    const resumed = facts({
      invoked: [called(guide, { args: '--continue 9' })],
      open: [open({ id: 9, skill: 'guide' })],
    })
    expect(skillInvoked.judge(event('prompt'), resumed)).toMatchObject({
      changes: [{ kind: 'span.opened', effort: { kind: 'resume', id: 9 } }],
      tellsStanding: true,
    })
  })
})

test('a skill without a plan has nothing to tell, least of all of another one', () => {
  const verdict = skillInvoked.judge(event('prompt'), facts({ invoked: [called(plain)], spans: [span('a')] }))
  expect(verdict).toMatchObject({
    changes: [
      { kind: 'span.suspended', span: 'a' },
      { kind: 'span.opened', skill: 'plain', parent: undefined },
    ],
    tellsStanding: false,
  })
})

test('a skill that the agent calls is inside the one in charge', () => {
  const verdict = skillInvoked.judge(event('before'), facts({ invoked: [called(plain)], spans: [span('a')] }))
  expect(verdict?.changes).toMatchObject([
    { kind: 'span.suspended', span: 'a' },
    { kind: 'span.opened', skill: 'plain', parent: 'a' },
  ])
})

const done = reading(FLOW, ['look', 'think', 'do'])
const runbook: Plan = { ...FLOW, notation: 'runbook', entry: ['a'], steps: [step('a', { next: { ok: [] } })] }

test.each<[string, Parameters<typeof event>[0], Facts['invoked'][number], unknown]>([
  ['the user with the same words', 'prompt', called(served(), { args: 'a  login page' }), []],
  ['the user without words', 'prompt', called(served()), []],
  ['the agent in other words', 'before', called(served(), { args: 'a logout page' }), []],
  [
    'the user with other words',
    'prompt',
    called(served(), { args: 'a logout page' }),
    [{ kind: 'start', finishes: undefined, inWords: true }],
  ],
  [
    'the user with words after a bare call that nothing followed',
    'prompt',
    called(served({ request: '' }), { args: 'a logout page' }),
    [{ kind: 'start', finishes: 7, inWords: true }],
  ],
  [
    'the user with words after a bare call that was followed',
    'prompt',
    called({ ...served({ request: '' }), progress: reading(FLOW, ['look']) }, { args: 'a logout page' }),
    [{ kind: 'start', finishes: undefined, inWords: true }],
  ],
  [
    'the agent after all steps',
    'before',
    called({ ...served(), progress: done }),
    [{ kind: 'start', finishes: 7 }],
  ],
  [
    'the agent after all todos',
    'before',
    called({
      ...served(),
      plan: undefined,
      requiredTodos: ['Ship'],
      marks: { listed: [], done: ['ship'] },
    }),
    [{ kind: 'start', finishes: 7 }],
  ],
  [
    'the agent after all steps, with an open todo',
    'before',
    called({ ...served(), progress: done, requiredTodos: ['Ship'], marks: { listed: ['ship'], done: [] } }),
    [],
  ],
  [
    'the agent in the last step of a runbook',
    'before',
    called({ ...served(), plan: runbook, progress: { ...begin(runbook), current: ['a'], open: [] } }),
    [],
  ],
])('a call by %s goes on or begins anew', (_, kind, call, expected) => {
  const verdict = skillInvoked.judge(event(kind), facts({ invoked: [call], spans: [span('a')] }))
  expect(wish(verdict)).toEqual(expected)
})

test('new work names the open efforts that it could mean, and how to resume them or who has them', () => {
  const others = [open({ id: 3, request: 'a login page' }), open({ id: 2, holder: 'session 5' })]
  const invoked = [called(skill({ effort: undefined }), { args: 'else' })]
  const [text = '', ...more] =
    skillInvoked.judge(event('prompt'), facts({ invoked, open: others }))?.contexts ?? []
  expect(more).toEqual([])
  expect(text).toContain('effort 3 of flow, "a login page", 1 of 3 steps done, 2 h ago')
  expect(text).toContain('holdfast session continue 3')
  expect(text).toContain('Open: effort 2 of flow, 1 of 3 steps done; in use by session 5.')
  expect(text).not.toContain('holdfast session continue 2')
  const many = Array.from({ length: 9 }, (_, id) => open({ id }))
  expect(
    skillInvoked.judge(event('prompt'), facts({ invoked, open: many }))?.contexts?.[0]?.split('\n'),
  ).toHaveLength(4)
})

describe('a skill that forks', () => {
  const forks = skill({ forks: true, effort: undefined })
  const invoked = [called(forks, { args: 'the attic', quick: true })]
  const scope = { session: { ...SESSION, scope_of: 'native' } }
  const prompted = { ...event('prompt'), promptId: 'p1' }

  test('waits for its sub-agent, and opens no span', () => {
    const fork = { kind: 'skill.forked', skill: 'flow', request: '- the attic', call: 'p1', prompt: 'p1' }
    expect(skillInvoked.judge(prompted, facts({ invoked }))).toEqual({
      changes: [fork],
      contexts: [givenToSubagent('flow')],
    })
    const expanded = { ...prompted, kind: 'prompt.expanded', command: '', args: '', text: '' } as const
    expect(skillInvoked.judge(expanded, facts({ invoked }))).toEqual({ changes: [fork], contexts: [] })
  })

  test('is in charge in the scope of that sub-agent, and waits for another one if it is called there', () => {
    expect(skillInvoked.judge(prompted, facts({ invoked, ...scope }))?.changes).toMatchObject([
      { kind: 'span.opened', args: 'the attic', mode: 'quick' },
    ])
    const tool = { id: 'c1', name: 'Skill', does: { kind: 'other' }, input: null } as const
    expect(
      skillInvoked.judge(event('before', { tool }), facts({ invoked, ...scope }))?.changes,
    ).toMatchObject([{ kind: 'skill.forked', call: 'c1' }])
  })

  test.each(['--continue', '--continue 5', '--continue 9'])(
    'begins new work in a scope that can resume nothing by %s',
    (args) => {
      const held = { invoked: [called(forks, { args })], open: [open({ id: 5, holder: 'session 5' })] }
      const verdict = skillInvoked.judge(prompted, facts({ ...held, ...scope }))
      expect(wish(verdict)).toEqual([{ kind: 'start' }])
      expect(verdict?.contexts).toBeUndefined()
    },
  )

  test('is as any other if it has nothing to track', () => {
    const verdict = skillInvoked.judge(prompted, facts({ invoked: [called({ ...plain, forks: true })] }))
    expect(verdict?.changes).toMatchObject([{ kind: 'span.opened' }])
  })
})

test('a sub-agent is told of no older work, because its shell would resume it for the main thread', () => {
  const older = { invoked: [called(skill({ effort: undefined }))], open: [open()] }
  expect(skillInvoked.judge(event('prompt'), facts(older))?.contexts).toHaveLength(1)
  const session = { ...SESSION, scope_of: 'native' }
  expect(skillInvoked.judge(event('prompt'), facts({ ...older, session }))?.contexts).toEqual([])
})
