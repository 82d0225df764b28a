import { expect, test } from 'vitest'
import { inline, item, phase, runbook } from '../../model/runbook/case.contract.ts'
import { asSkill } from './runbook-plan.ts'

const GIVEN = runbook(phase(1, item('1.1', 'opus'), inline(2)))

/** The agents to whom the steps of a runbook are given, if this skill carries it out. */
const agentsOf = (skill: string) =>
  asSkill(GIVEN, { skill, workplace_id: 1 }).plan?.steps.map(({ hands }) => hands?.agent ?? 'itself')

test('a plugin that carries out a runbook reviews it with its own agents, and the runbook has its own', () => {
  expect(agentsOf('orchestrate')).toEqual(['auth-task', 'itself', 'refactor', 'vet'])
  expect(agentsOf('kit:orchestrate')).toEqual(['auth-task', 'itself', 'kit:refactor', 'kit:vet'])
})
