import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ForgettingStatus } from '../../engine/call/context.ts'
import type { Forgotten } from '../../store/forget.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted } from '../../model/text/line.ts'
import { Remote } from '../daemon/remote.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import { type Io, usage } from '../frame/io.ts'
import { fitTerminal, printResult } from '../frame/show.ts'

/** The flags that say what is forgotten; `import --forget` has them too. */
export const WHAT_TO_FORGET = {
  session: { kind: 'value', summary: 'a session, by its id in `holdfast session` or at its client' },
  pattern: { kind: 'value', summary: 'everything that was said with this text, whatever its case' },
} as const

export const forget: Command = {
  name: 'forget',
  summary:
    'Delete a session, all sessions of a project, or everything that was said with a text: from the database, the search, the logs and every backup. No import brings it back.',
  usage: '',
  flags: {
    ...WHAT_TO_FORGET,
    project: {
      kind: 'value',
      summary: 'all sessions of the project at this path; its settings and skills stay',
    },
    dry_run: { kind: 'switch', summary: 'tell what would go; delete nothing' },
    yes: { kind: 'switch', summary: 'delete without asking' },
    status: { kind: 'switch', summary: 'show how far a deletion is, and go on with one that failed' },
  },
  examples: [
    'holdfast forget --session 12 --dry-run',
    `holdfast forget --pattern 'project falcon'`,
    'holdfast forget --project .',
  ],
  run: (io, given) => (given.switches.has('status') ? showStatus(io) : runForget(io, given)),
}

/** Runs `holdfast forget`. */
export async function runForget(io: Io, { values, switches }: Arguments): Promise<number> {
  const wanted = wantedIn(io, values)
  using remote = new Remote(io)
  await finishEarlier(io, remote)
  const found = await remote.call<Forgotten>('memory.forget', { ...wanted.params, dry_run: true })
  const isNothing = Object.values(found).every((count) => count === 0)
  const stays = staysOf(wanted.params)
  if (switches.has('dry_run')) {
    printResult(io, { ...found, forgotten: false }, () =>
      fitTerminal(io, [wouldGo(found), ...stays].join('\n')),
    )
    return 0
  }
  if (!io.json) io.note(fitTerminal(io, [wouldGo(found), ...stays].join('\n')))
  if (!(await isConfirmed(io, switches, 'Delete it for good, also from every backup? [y/N] ')))
    return tellUnconfirmed(
      io,
      { ...found, forgotten: false },
      { why: 'Not confirmed; nothing changed.', next: `holdfast forget ${wanted.words} --yes` },
    )
  const gone = await remote.call<Forgotten>('memory.forget', { ...wanted.params })
  const { problem } = await watch(io, remote)
  printResult(io, { ...gone, forgotten: true, problem }, () =>
    problem === null
      ? isNothing
        ? 'Nothing of it was stored. No import brings it in.'
        : `Forgot ${what(gone)}. Nothing of it is left in the home, its logs and its backups, and no import brings it back.`
      : unfinished(problem),
  )
  return problem === null ? 0 : 1
}

interface Params {
  readonly session?: string
  readonly text?: string
  readonly path?: string
}

function wantedIn(io: Io, { session, pattern, project }: Arguments['values']) {
  const given: readonly (readonly [string, Params])[] = [
    ...(session === undefined ? [] : [[`--session ${shellWord(session)}`, { session }] as const]),
    ...(pattern === undefined ? [] : [[`--pattern ${shellWord(pattern)}`, { text: pattern }] as const]),
    ...(project === undefined
      ? []
      : [[`--project ${shellWord(project)}`, { path: resolve(io.cwd, project) }] as const]),
  ]
  const [only, other] = given
  if (only === undefined || other !== undefined)
    throw usage('Say one thing to forget: --session, --project or --pattern.', 'holdfast forget --help')
  return { words: only[0], params: only[1] }
}

/** What is not ours to delete. */
const staysOf = ({ text }: Params): readonly string[] => [
  `The transcripts of your client and the files of your projects, such as task and run folders, stay${text === undefined ? '' : '; what your files still say is indexed again'}.`,
]

const wouldGo = (found: Forgotten): string => {
  const told = what(found)
  return told === '' ? 'Nothing of it is stored.' : `Would delete ${told}.`
}

const what = ({ sessions, messages, efforts, tasks, pieces, entries, others }: Forgotten): string =>
  [
    ...(sessions === 0 ? [] : [counted(sessions, 'session')]),
    ...(messages === 0 ? [] : [counted(messages, 'message')]),
    ...(efforts === 0 ? [] : [counted(efforts, 'effort')]),
    ...(tasks === 0 ? [] : [counted(tasks, 'task')]),
    ...(pieces === 0 ? [] : [`${counted(pieces, 'piece')} of the search index`]),
    ...(entries === 0 ? [] : [`the content of ${entries} ledger ${entries === 1 ? 'entry' : 'entries'}`]),
    ...(others === 0 ? [] : [counted(others, 'other trace')]),
  ].join(', ')

const EVERY_MILLISECONDS = 100

const STEPS: Readonly<Record<ForgettingStatus['step'], string>> = {
  rows: 'Deleting',
  database: 'Writing the database anew',
  backups: 'Writing the backups anew',
  done: 'Done',
  failed: 'Failed',
}

interface Status {
  readonly forgetting: ForgettingStatus | null
}

/** Draws how far it is, until it has ended. */
async function watch(io: Io, remote: Remote): Promise<ForgettingStatus> {
  for (;;) {
    const { forgetting } = await remote.call<Status>('memory.status')
    // A new daemon goes on with it at once, so without one nothing is left to do.
    if (forgetting === null || forgetting.step === 'done' || forgetting.step === 'failed') {
      io.draw?.('')
      return forgetting ?? { step: 'done', share: 1, is_resumed: false, problem: null }
    }
    io.draw?.(`${STEPS[forgetting.step]} … ${Math.floor(forgetting.share * 100)} %`)
    await sleep(EVERY_MILLISECONDS)
  }
}

/** Completes what an earlier call began and could not end. */
async function finishEarlier(io: Io, remote: Remote): Promise<void> {
  const { resumed } = await remote.call<{ resumed: boolean }>('memory.resume')
  if (!resumed) return
  const { problem } = await watch(io, remote)
  if (problem !== null) throw usage(unfinished(problem), 'holdfast forget --status')
  io.note('Completed an earlier deletion that was interrupted.')
}

const unfinished = (problem: string): string =>
  `The rows are gone, but copies are left: ${problem} Once that is mended: holdfast forget --status goes on.`

async function showStatus(io: Io): Promise<number> {
  using remote = new Remote(io)
  await remote.call('memory.resume')
  const status = await watch(io, remote)
  printResult(io, status, () =>
    status.problem !== null
      ? unfinished(status.problem)
      : status.is_resumed
        ? 'Completed a deletion that was interrupted. Nothing is left to delete.'
        : 'Nothing is left to delete.',
  )
  return status.problem === null ? 0 : 1
}
