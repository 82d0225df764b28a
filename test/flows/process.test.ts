import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { type Finished, User } from '../holdfast.ts'

/** Commands that always run as a process; other stories test them. */
const ELSEWHERE = new Set(['daemon run', 'demo', 'hook', 'prove'])

const user = new User()
beforeAll(() => user.json(['project', 'upsert', '.']))
afterAll(() => user[Symbol.asyncDispose]())

/** Without values that differ each time, and their width: pids, ports, times. */
const plain = ({ code, stdout, stderr }: Finished) => ({
  code,
  stdout: stdout.replaceAll(/ *\d+/g, 'N'),
  stderr: stderr.replaceAll(/ *\d+/g, 'N'),
})

// Most stories run commands in the test process, so each command must work the same in its own.
test.each(commands.map(({ name }) => name).filter((name) => !ELSEWHERE.has(name)))(
  'holdfast %s without arguments works the same as a process and in the test process',
  async (name) => {
    const words = name.split(' ')
    await user.json(['daemon', 'start'])
    const here = await user.run(words)
    await user.json(['daemon', 'start'])
    expect(plain(await user.process(words))).toEqual(plain(here))
  },
)
