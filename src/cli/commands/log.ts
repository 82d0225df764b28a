import { dirname, resolve } from 'node:path'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { piped, readValue, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'

/** Older skills name the file and pipe the text in; only its folder counts. */
const LOG_FILE = /^\S+\.md$/

export const log: Command = {
  name: 'log',
  summary: 'Add a timestamped entry to the log of the active effort.',
  usage: '[TEXT|-]',
  places: { 'TEXT|-': 'the entry; its first line is the heading (default: stdin, if piped)' },
  flags: {
    effort: { kind: 'value', summary: 'number of the effort (default: the active effort here)' },
    dir: { kind: 'value', summary: 'the folder of the task' },
    ...CALLER_FLAGS,
  },
  examples: ['holdfast log "Tests pass"', 'holdfast log - < notes.md'],
  async run(io, { positionals: [typed], values }) {
    const isFile = typed !== undefined && LOG_FILE.test(typed)
    const text = typed === undefined || isFile ? await piped(io) : readValue(typed, io)
    if (text.trim() === '') throw usage('log needs a TEXT.', 'holdfast log TEXT')
    const dir = isFile ? dirname(typed) : values['dir']
    const { client: _, ...caller } = callerOf(io, values)
    using remote = new Remote(io)
    const result = await callAs<{ path: string }>(io, remote, 'commands.log.append', {
      text,
      ...(values['effort'] !== undefined && { effort_id: numberOf(values['effort'], '--effort') }),
      ...(dir !== undefined && { dir: resolve(io.cwd, dir) }),
      ...caller,
    })
    printResult(io, result, () => result.path)
    return 0
  },
}
