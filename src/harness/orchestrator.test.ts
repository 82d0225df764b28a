import { expect, test } from 'vitest'
import { scoreOf } from './orchestrator.ts'

const fenced = (code: string) => `Run this:\n\n\`\`\`sh\n${code}\n\`\`\`\n`

test('an orchestrator runs the first command of its text, on the runbook of its call', () =>
  expect(
    scoreOf(`${fenced('holdfast runbook next NAME')}${fenced('holdfast runbook status')}`, 'auth'),
  ).toEqual({
    first: 'holdfast runbook next auth',
    otherwise: 'unexpected',
  }))

test('its text says what it calls an answer that it does not know', () =>
  expect(scoreOf(`${fenced('holdfast runbook next')}Report category \`execution\`.`, 'auth')).toMatchObject({
    otherwise: 'execution',
  }))

test.each(['Call `holdfast runbook next` somehow.', fenced('npm test'), ''])(
  'the text %j has no first command',
  (text) => expect(scoreOf(text, 'auth')).toBeUndefined(),
)
