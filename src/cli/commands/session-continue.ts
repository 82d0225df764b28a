import { resolve } from 'node:path'
import { CALLER_FLAGS, callerOf } from '../caller.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import { printResult } from '../print.ts'

export const sessionContinue: Command = {
  name: 'session continue',
  summary: 'Go on with the last open work in a new context window, and print all that it must know.',
  usage: '[DIR]',
  places: { DIR: 'the folder of the task (default: the last work of the agent, the session or the project)' },
  flags: CALLER_FLAGS,
  examples: ['holdfast session continue', 'holdfast session continue tasks/login'],
  async run(io, { positionals: [dir], values }) {
    using client = new Client(io)
    const result = await client.call<{ state: string; markdown: string }>('commands.session.continue', {
      ...(dir !== undefined && { dir: resolve(io.cwd, dir) }),
      ...callerOf(io, values),
    })
    printResult(io, result, () => result.markdown)
    return result.state === 'finished' ? 1 : 0
  },
}
