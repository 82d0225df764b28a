import { expect, test } from 'vitest'
import { testDaemon } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { meeting, UNHARMED } from '../skewed-machine.ts'

const database = async () => await createDatabase(await sharedPostgres())

test.each([
  ['fast', 0, 10],
  ['slow', 0, -10],
  ['fast, of which the other is slow', -10, 10],
])('a live session survives a machine whose clock is ten minutes %s', async (_, here, there) => {
  expect(await meeting({ database: await database() }, [here, there])).toEqual(UNHARMED)
})

test('the test detects a daemon that compares stored times with its own clock', async () => {
  const at = { database: await database(), daemon: testDaemon('test/torture/own-clock-daemon.ts') }
  expect(await meeting(at, [0, 10])).toMatchObject({ live: expect.arrayContaining(['orphaned']) })
})
