import { expect, test } from 'vitest'
import { event, facts, skill, span } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { stageTrack } from './stage-track.ts'

const calling = (stage: string | undefined, spans: Facts['spans'] = [], args = 'login --fast') =>
  facts({ spans, invoked: [{ name: 'flow', args, quick: false, skill: skill({ stage }) }] })

const changes = (given: Facts) => stageTrack.judge(event('before'), given)?.changes

const entered = { kind: 'stage.entered', skill: 'flow', stage: 'critique', about: 'login' }

test('a call of a planning skill enters its stage, with what the planning is about', () => {
  expect(changes(calling('critique'))).toEqual([entered])
  expect(changes(calling('critique', [], ''))).toEqual([{ ...entered, about: '' }])
})

test('a skill that comes back enters its stage again', () => {
  const spans = [span('b', { skill: 'other' }), span('a', { status: 'suspended' })]
  expect(changes(calling('critique', spans))).toEqual([entered])
})

test.each([
  ['the skill is in charge already', calling('critique', [span('a')])],
  ['the skill stands for no stage', calling(undefined)],
  ['no skill is called', facts()],
])('nothing is entered where %s', (_, given) => {
  expect(changes(given)).toBeUndefined()
})
