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
    const words = name.split(' ')
    await user.json(['daemon', 'start'])
    const here = await user.run(words)
    await user.json(['daemon', 'start'])
    expect(plain(await user.process(words))).toEqual(plain(here))
  },
)
