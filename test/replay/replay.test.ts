import { expect, test } from 'vitest'
import { PROJECTS, replayed } from './replay.ts'
import { streamOf } from './stream.ts'

const [EVENTS, SEEDS] = [500, [1, 2, 3]]
const deeds = () => SEEDS.flatMap((seed) => streamOf(seed, EVENTS, PROJECTS).told)

test.each(SEEDS)('mixed sessions of three projects are what a plain fold says, seed %i', async (seed) => {
  expect(await replayed({ seed, events: EVENTS })).toBeUndefined()
})

test('the same seed gives the same deeds, and they bring about all that is compared', () => {
  const told = deeds()
  expect(deeds()).toEqual(told)
  const entries = new Set(told.flatMap(({ outcome }) => outcome.ledger.map((entry) => entry.split(' ')[0])))
  expect([...entries].toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    'context.warned',
    'effort.dehydrated',
    'effort.finished',
    'effort.started',
    'project.registered',
    'session.ended',
    'session.started',
    'session.switched',
    'span.completed',
    'span.opened',
    'span.resumed',
    'span.suspended',
    'step.refused',
    'step.visited',
    'task.created',
    'tool.refused',
    'tool.unknown',
  ])
  const ends = told.flatMap(({ outcome }) =>
    outcome.ledger.filter((entry) => entry.startsWith('session.ended')),
  )
  expect(new Set(ends.map((entry) => entry.split(' ')[2]))).toEqual(
    new Set(['continued', 'finished', 'orphaned']),
  )
  const said = SEEDS.flatMap((seed) =>
    Object.values(streamOf(seed, EVENTS, PROJECTS).oracle.expected(0).messages).flat(),
  )
  for (const kind of [
    /^0: user /,
    /^[1-9]\d*: user /,
    /: tool .* ended$/,
    /: tool .* failed$/,
    /: assistant /,
  ])
    expect(said).toContainEqual(expect.stringMatching(kind))
  const starts = told.flatMap(({ deed: { act }, outcome: { recap } }) =>
    act.kind === 'start' && recap !== undefined ? [act.source] : [],
  )
  expect(new Set(starts)).toEqual(new Set(['startup', 'resume', 'compact', 'clear', 'fork']))
})
