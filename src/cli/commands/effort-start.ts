import { resolve } from 'node:path'
import { shellWord } from '../../model/shell/word.ts'
import type { Arguments } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf, objectFrom } from '../frame/caller.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'

const FLAGS = {
  mode: { kind: 'value', summary: 'one of the modes of the skill' },
  reason: {
    kind: 'value',
    summary: 'why the user allows what the skill does not; kept in the ledger',
  },
  title: { kind: 'value', summary: 'what people call the task' },
  description: { kind: 'value', summary: 'what the task is about' },
  metadata: {
    kind: 'value',
    summary: 'what the skill is started with: JSON, @file or - (default: what is piped in)',
  },
  ...CALLER_FLAGS,
} as const

export const effortStart: Command = {
  name: 'effort start',
  summary: 'Begin or resume the work of a skill on a task, and print all that its agent must know.',
  usage: 'DIR SKILL',
  places: {
    DIR: 'the folder of the task; it is made where it is not there',
    SKILL: 'a skill of the project',
  },
  flags: FLAGS,
  examples: [
    'holdfast effort start tasks/login implement',
    `holdfast effort start tasks/login implement --mode tdd <<< '{"taskSummary":"Let users in"}'`,
  ],
  run: (io, given) => startEffort(io, given),
}

/** The same as it was called before efforts had their name. */
export const sessionActivate: Command = {
  name: 'session activate',
  summary: 'Another name of `effort start`, by which older skills call it.',
  usage: 'DIR SKILL',
  flags: {
    ...FLAGS,
    user_approved: { kind: 'value', summary: 'the same as --reason' },
    target_file: { kind: 'value', summary: 'kept with the effort as targetFile' },
    fleet_pane: { kind: 'value', summary: 'kept with the effort as fleetPane' },
    fast_track: { kind: 'switch', summary: 'kept with the effort as fastTrack' },
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
  // A variable that is not set is not the folder that somebody happens to be in.
  if (dir === '')
    throw usage(
      'effort start needs the folder of a task.',
      `holdfast effort start . ${skill === '' ? 'SKILL' : shellWord(skill)}`,
    )
  const { mode, title, description } = values
  const user_approved = values['reason'] ?? values['user_approved']
  const metadata = {
    ...(await objectFrom(io, values['metadata'], 'What the skill is started with')),
    ...more,
  }
  using remote = new Remote(io)
  const result = await remote.call<{ markdown: string }>('commands.effort.start', {
    dir: resolve(io.cwd, dir),
    // Skills are called with a slash elsewhere.
    skill: skill.replace(/^\//, ''),
    ...callerOf(io, values),
    ...(mode !== undefined && { mode }),
    ...(user_approved !== undefined && { user_approved }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  })
  printResult(io, result, () => result.markdown)
  return 0
}
