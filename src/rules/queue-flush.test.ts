import { expect, test } from 'vitest'
import { effort, event, facts, skill } from './case.contract.ts'
import { queueFlush } from './queue-flush.ts'
import type { Facts } from './facts.ts'

const compact = { ...event('ended'), kind: 'compact.before' } as const
const work = { ...skill(), effort: effort() }

test.each<[string, Partial<Facts>, readonly object[] | undefined]>([
  ['nothing said', {}, undefined],
  ['nothing for later', { said: ['All is well.'] }, undefined],
  ['a note', { said: ['TODO: x'] }, [{ kind: 'noted', notes: ['TODO: x'], effort: undefined }]],
  ['a note of an effort', { said: ['TODO: x'], work }, [{ kind: 'noted', notes: ['TODO: x'], effort: 7 }]],
])('%s', (_, more, changes) => {
  expect(queueFlush.judge(compact, facts(more))?.changes).toEqual(changes)
})
