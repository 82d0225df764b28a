import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

const RUNBOOK = `---
model: haiku
---

## Common Context

The house is blue.

## Step 1: Count the doors

Count the doors of the house.
`

test('the client runs an agent of a compiled runbook through its link, and the agent reads its step through one', async () => {
  await using client = await RealClient.start()
  client.write('plans/house/runbook.md', RUNBOOK)
  expect(await client.user.run(['runbook', 'compile', 'house'])).toMatchObject({ code: 0 })
  const step = join(client.project, 'plans/house/steps/step-1.md')
  expect(realpathSync(step)).not.toBe(step)
  const hand = {
    description: 'Step 1',
    prompt: 'Read the step.',
    subagent_type: 'house-task',
    run_in_background: false,
  }
  client.model.script('main', [use('Agent', hand)])
  client.model.script('agent', [use('Read', { file_path: step }), say('done: two doors')])

  await client.run('Go')

  const [first, second] = client.model.of('agent')
  expect(first?.mentions('The house is blue.')).toBe(true)
  expect(first?.mentions('**Clean tree**')).toBe(true)
  expect(first?.body.model).toContain('haiku')
  expect(second?.toolResults()).toMatchObject([
    { tool: 'Read', isError: false, text: expect.stringContaining('Count the doors of the house.') },
  ])
  expect(client.model.last().toolResults()).toMatchObject([
    { tool: 'Agent', text: expect.stringContaining('done: two doors') },
  ])
})
