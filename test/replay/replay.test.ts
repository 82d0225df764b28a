import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { PROJECTS, replayed } from './replay.ts'
import { streamOf } from './stream.ts'

const [EVENTS, SEED] = [5000, 5]
const deeds = () => streamOf(SEED, EVENTS, PROJECTS).told

test('5,000 events of mixed sessions in three projects lead to the result of a simple fold', async () => {
  expect(await replayed({ seed: SEED, events: EVENTS })).toBeUndefined()
})

test('the same seed gives the same deeds, and they cover everything that is compared', () => {
  const told = deeds()
  expect(isDeepStrictEqual(deeds(), told)).toBe(true)
  const entries = new Set(told.flatMap(({ outcome }) => outcome.ledger.map((entry) => entry.split(' ')[0])))
  expect([...entries].toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    'approval.given',
    'context.warned',
    'delegation.ended',
    'effort.dehydrated',
    'effort.finished',
    'effort.refused',
    'effort.started',
    'phase.entered',
    'phase.refused',
    'phase.skipped',
    'plan.parked',
    'project.registered',
    'session.ended',
    'session.started',
    'session.switched',
    'skill.forked',
    'span.completed',
    'span.opened',
    'span.resumed',
    'span.suspended',
    'step.completed',
    'step.delegated',
    'step.failed',
    'step.refused',
    'step.started',
    'step.visited',
    'task.created',
    'todo.done',
    'todo.listed',
    'tool.refused',
    'tool.unknown',
  ])
  const ends = told.flatMap(({ outcome }) =>
    outcome.ledger.filter((entry) => entry.startsWith('session.ended')),
  )
  expect(new Set(ends.map((entry) => entry.split(' ')[2]))).toEqual(
    new Set(['continued', 'finished', 'orphaned']),
  )
  const starts = told.flatMap(({ deed: { act }, outcome: { recap } }) =>
    act.kind === 'start' && recap !== undefined ? [act.source] : [],
  )
  expect(new Set(starts)).toEqual(new Set(['startup', 'resume', 'compact', 'clear', 'fork']))
  const refused = told.flatMap(({ outcome }) =>
    outcome.ledger.filter((entry) => entry.startsWith('tool.refused')),
  )
  expect(new Set(refused)).toEqual(
    new Set(['tool.refused heartbeat', 'tool.refused directive-gate', 'tool.refused todo-check']),
  )
  const inside = told.filter(({ deed: { act } }) => act.kind === 'sub')
  expect(inside.filter(({ outcome }) => outcome.decision === 'block').length).toBeGreaterThan(10)
  expect(ends.filter((entry) => entry.includes('/')).map((entry) => entry.split(' ')[2])).toEqual(
    expect.arrayContaining(['finished', 'orphaned']),
  )
  const parts = told.flatMap(({ deed: { act }, outcome }) =>
    outcome.ledger.filter((entry) => entry.endsWith('/4')).map((entry) => `${act.kind} ${entry.slice(-3)}`),
  )
  expect(new Set(parts)).toEqual(new Set(['after 0/4', 'after 2/4', 'sub 0/4', 'sub 2/4']))
  const finished = told.flatMap(({ outcome }) =>
    outcome.ledger.filter((entry) => entry.startsWith('effort.finished')),
  )
  expect(new Set(finished.map((entry) => entry.split(' ')[2]))).toEqual(new Set(['completed', 'abandoned']))
  const ledger = told.flatMap(({ outcome }) => outcome.ledger)
  const wanted = [
    /^approval\.given step \w+ #/,
    /^phase\.entered stages \d\.\d+: Dig #/,
    /^plan\.parked #/,
    /^step\.completed cycle test #\d+ (again|redraw)$/,
    /^step\.completed cycle test #\d+ drop$/,
    /^step\.completed choice judge #\d+ low$/,
    /^step\.completed (cycle|fan) (buff|polish) #\d+ skip$/,
    /^step\.failed (cycle|choice) (build|try|rework) #/,
    /^step\.(started|visited) cycle ask #/,
  ]
  expect(wanted.filter((what) => !ledger.some((entry) => what.test(entry)))).toEqual([])
  const kinds = new Set(told.map(({ deed: { act } }) => act.kind))
  for (const kind of ['restart', 'unheard', 'compacting', 'sub', 'usage'] as const)
    expect(kinds).toContain(kind)
  expect(told.filter(({ deed: { act } }) => act.kind === 'restart' && act.kills).length).toBeGreaterThan(10)
})
