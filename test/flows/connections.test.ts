import { expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { connectionsRun } from '../torture/connections.ts'

const short = { idle: 1000, readers: 8, hooks: 20, log: () => undefined }

test('1,000 idle connections without a token and 8 greedy readers open no gate', async () => {
  const { violations, drops } = await connectionsRun({ ...short, daemon: ENTRY })
  expect(violations).toEqual([])
  expect(drops).toBeGreaterThan(0)
})

test('the harness notices a daemon that keeps idle connections', async () => {
  const daemon = testDaemon('test/torture/keeping-daemon.ts')
  const { violations } = await connectionsRun({ ...short, readers: 0, hooks: 1, daemon })
  expect(violations.join('\n')).toContain('the pipe did not refuse step 2')
})
