import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordedActs } from './recording.ts'

type Fields = Readonly<Record<string, unknown>>

const PLACE = { project: '/home/user/project', session: 'the-session', clientFolder: '/home/user/.claude' }
const acts = recordedActs(PLACE)
const reported = acts.flatMap(({ moments }) => moments).filter((moment) => moment.kind === 'hook')

/** Which fields there are, also inside of what a tool takes and gives. */
const shapeOf = (payload: Fields): readonly string[] =>
  ['', 'tool_input', 'tool_response'].flatMap((part) =>
    Object.keys((part === '' ? payload : payload[part]) ?? {}).map((name) => `${part}.${name}`),
  )

const isSame = (one: Fields, other: Fields): boolean =>
  one['tool_name'] === other['tool_name'] && one['source'] === other['source']

test.each(reported.map(({ payload }) => [String(payload['hook_event_name']), payload] as const))(
  '%s has the fields of one that was captured',
  (event, payload) => {
    const captured = JSON.parse(
      readFileSync(`src/clients/claude-code/fixtures/${event}.json`, 'utf8'),
    ) as readonly Fields[]
    const shapes = captured.filter((other) => isSame(payload, other)).map((one) => shapeOf(one).toSorted())
    expect(shapes).toContainEqual(shapeOf(payload).toSorted())
  },
)

test('every call of a tool has an id of its own, and is told of as a client does it', () => {
  const ids = reported
    .filter(({ decision }) => decision !== 'block')
    .map(({ payload }) => payload['tool_use_id'])
    .filter((id) => id !== undefined)
  // Before and after, but for those that were refused.
  expect(ids).toHaveLength(new Set(ids).size * 2)
  expect(new Set(reported.map(({ payload }) => payload['session_id']))).toEqual(new Set(['the-session']))
})
