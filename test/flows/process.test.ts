import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { type Finished, User } from '../holdfast.ts'

/** What always runs as a process, in stories of its own. */
const ELSEWHERE = new Set(['daemon run', 'demo', 'hook', 'prove'])

const user = new User()
beforeAll(() => user.json(['project', 'upsert', '.']))
afterAll(() => user[Symbol.asyncDispose]())

/** Without what is another each time: pids, ports, times. */
const plain = ({ code, stdout, stderr }: Finished) => ({
  code,
  stdout: stdout.replaceAll(/\d+/g, 'N'),
  stderr: stderr.replaceAll(/\d+/g, 'N'),
})

// Most stories run commands in the process of the test, so each command must be no other in its own.
test.each(commands.map(({ name }) => name).filter((name) => !ELSEWHERE.has(name)))(
  'holdfast %s, typed alone, does as a process what it does in the process of a test',
  async (name) => {
    const finished: Finished[] = []
    for (const how of ['run', 'process'] as const) {
      await user.json(['daemon', 'start'])
      finished.push(await user[how](name.split(' ')))
    }
    const [here, there] = finished.map(plain)
    expect(there).toEqual(here)
  },
)
