import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from '../refusals/scene.ts'
import { obey } from '../../src/harness/obey.ts'
import { shirk, start } from './agents.ts'
import { headings, phases, pipeline, runbook, subPhases } from './plans.ts'
import { stepFiles } from './step-files.ts'

const NOTATIONS = Object.entries({
  phases,
  headings,
  'sub-phases': subPhases,
  runbook,
  pipeline,
  'step files': stepFiles,
})

/** `npm run torture -- obedient` plays more. */
const RUNS = {
  numRuns: Number(process.env['HOLDFAST_RUNS'] ?? 4),
  seed: Number(process.env['HOLDFAST_SEED'] ?? 1),
}

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const choices = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 5 })

test.each(NOTATIONS)('%s: who obeys each refusal literally reaches the end', async (_, plans) => {
  const property = fc.asyncProperty(plans, choices, async (made, chosen) => {
    const it = new Scene(user, made.files)
    await start(it, made)
    expect(await obey(it, made, chosen)).not.toHaveProperty('wrong')
  })
  await fc.assert(property, RUNS)
})

const attempt = fc.record({ step: fc.nat({ max: 20 }), route: fc.nat({ max: 9 }) })
const attempts = fc.array(attempt, { minLength: 5, maxLength: 15 })

test.each(NOTATIONS)('%s: who ignores each refusal never gets a later step', async (_, plans) => {
  const property = fc.asyncProperty(plans, attempts, async (made, tried) => {
    const it = new Scene(user, made.files)
    await start(it, made)
    expect(await shirk(it, made, tried)).toEqual([])
  })
  await fc.assert(property, RUNS)
})
