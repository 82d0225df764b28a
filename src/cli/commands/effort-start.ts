import { resolve } from 'node:path'
import { startCommand } from '../../model/task.ts'
import type { Arguments } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf, objectFrom } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printLines } from '../frame/show.ts'

const FLAGS = {
  mode: { kind: 'value', summary: 'a mode of the skill' },
  reason: {
    kind: 'value',
    summary: 'why the user overrides the skill; recorded in the ledger',
  },
  title: { kind: 'value', summary: 'title of the task' },
  description: { kind: 'value', summary: 'description of the task' },
  metadata: {
    kind: 'value',
    summary: 'input of the skill: JSON, @file or - (default: stdin, if piped)',
  },
  ...CALLER_FLAGS,
} as const

export const effortStart: Command = {
  name: 'effort start',
  summary: 'Start or resume a skill on a task, and print the context for its agent.',
  usage: 'DIR SKILL',
  places: {
    DIR: 'the folder of the task; created if missing',
    SKILL: 'a skill of the project',
  },
  flags: FLAGS,
  examples: [
    'holdfast effort start tasks/login implement',
    `holdfast effort start tasks/login implement --mode tdd <<< '{"taskSummary":"Let users in"}'`,
  ],
  run: (io, given) => startEffort(io, given),
}

/** The older name of `effort start`. */
export const sessionActivate: Command = {
  name: 'session activate',
  summary: 'Older name of `effort start`.',
  usage: 'DIR SKILL',
  flags: {
    ...FLAGS,
    user_approved: { kind: 'value', summary: 'same as --reason' },
    target_file: { kind: 'value', summary: 'stored with the effort as targetFile' },
    fleet_pane: { kind: 'value', summary: 'stored with the effort as fleetPane' },
    fast_track: { kind: 'switch', summary: 'stored with the effort as fastTrack' },
  },
  run: (io, given) =>
    startEffort(io, given, {
      ...(given.values['target_file'] !== undefined && { targetFile: given.values['target_file'] }),
      ...(given.values['fleet_pane'] !== undefined && { fleetPane: given.values['fleet_pane'] }),
      ...(given.switches.has('fast_track') && { fastTrack: true }),
    }),
}

async function startEffort(io: Io, { positionals, values }: Arguments, more: object = {}): Promise<number> {
  const [dir = '', skill = ''] = positionals
  // An empty DIR is usually an unset variable, so it must not mean the current folder.
  if (dir === '')
    throw usage('effort start needs the folder of a task.', startCommand(skill === '' ? undefined : skill))
  const { mode, title, description } = values
  const user_approved = values['reason'] ?? values['user_approved']
  const metadata = {
    ...(await objectFrom(io, values['metadata'], 'The input of the skill')),
    ...more,
  }
  using remote = new Remote(io)
  const result = await callAs<{ markdown: string }>(io, remote, 'commands.effort.start', {
    dir: resolve(io.cwd, dir),
    // Clients call skills with a leading slash.
    skill: skill.replace(/^\//, ''),
    ...callerOf(io, values),
    ...(mode !== undefined && { mode }),
    ...(user_approved !== undefined && { user_approved }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  })
  printLines(io, result, () => result.markdown)
  return 0
}
