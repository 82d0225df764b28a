import { resolve } from 'node:path'
import { numberOf } from '../args.ts'
import { CALLER_FLAGS, callerOf } from '../caller.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import { type Io, usage } from '../io.ts'
import { printResult } from '../print.ts'

export const sessionContinue: Command = {
  name: 'session continue',
  summary: 'Go on with the last open work in a new context window, and print all that it must know.',
  usage: '[DIR|EFFORT]',
  places: {
    'DIR|EFFORT':
      'the folder of the task, or the id of an effort (default: the last work of the agent, the session or the project)',
  },
  flags: CALLER_FLAGS,
  examples: ['holdfast session continue', 'holdfast session continue tasks/login'],
  async run(io, { positionals: [named], values }) {
    // A variable that is not set is not the folder that somebody happens to be in.
    if (named === '') throw usage('DIR must not be empty.', 'holdfast session continue')
    using client = new Client(io)
    const result = await client.call<{ state: string; markdown: string }>('commands.session.continue', {
      ...(named !== undefined && wishOf(io, named)),
      ...callerOf(io, values),
    })
    printResult(io, result, () => result.markdown)
    return result.state === 'finished' ? 1 : 0
  },
}

const wishOf = ({ cwd }: Io, named: string) =>
  /^\d+$/.test(named) ? { effort_id: numberOf(named, 'EFFORT') } : { dir: resolve(cwd, named) }
