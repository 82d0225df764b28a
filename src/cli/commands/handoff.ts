import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { oneLine } from '../../model/text/line.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, identityOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, piped, readValue, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines, printResult } from '../frame/show.ts'
import { copyText } from '../handoff/clipboard.ts'
import { modelOf, nextLines, shownHere, statusText } from '../handoff/shown.ts'

export const handoff: Command = {
  name: 'handoff',
  summary: 'Show what the session file of this project says: the next task, pending ones and plans.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const shown = await shownHere(io, remote)
    printResult(io, shown, () => statusText(io, shown))
    return 0
  },
}

interface Written {
  readonly file: string
  readonly learnings: readonly string[]
  /** The effort whose handover note was written. */
  readonly effort_id: number | null
}

const TEXT = 'TEXT, @FILE or - for stdin'

export const handoffWrite: Command = {
  name: 'handoff write',
  summary: 'Hand over to the next session: write the session file, learnings and the handover note.',
  usage: '[@FILE|-]',
  places: {
    '@FILE|-':
      'one document with **Status:**, "## Completed This Session" and other sections (default: stdin, if nothing else is given)',
  },
  flags: {
    status: { kind: 'value', summary: 'where the work stands, in one line' },
    completed: {
      kind: 'value',
      summary: `what was done, which replaces the words of the session before: ${TEXT}`,
    },
    next: { kind: 'value', summary: `the next steps, which replace those of the session before: ${TEXT}` },
    blocker: { kind: 'value', many: true, summary: 'an obstacle to add; may be given several times' },
    learn: {
      kind: 'value',
      many: true,
      summary: '"TITLE: TEXT" to add to the learnings; may be given several times',
    },
    digest: {
      kind: 'value',
      summary: 'write only if the session file still has this digest',
      advanced: true,
    },
    effort: { kind: 'value', summary: 'number of the effort of the note (default: your own)' },
    agent: CALLER_FLAGS.agent,
    native_id: CALLER_FLAGS.native_id,
  },
  examples: [
    `holdfast handoff write --status 'Login works' --completed '- Mended the login' --next '- Write its tests'`,
    'holdfast handoff write < handoff.md',
  ],
  async run(io, { positionals: [file], values, lists }) {
    const { status, digest, effort } = values
    const [completed, next] = [wordsOf(io, values['completed']), wordsOf(io, values['next'])]
    const blockers = lists?.['blocker'] ?? []
    const learnings = (lists?.['learn'] ?? []).map(learningIn)
    const isGiven =
      [status, completed, next].some((one) => one !== undefined) || blockers.length + learnings.length > 0
    const document = file !== undefined ? documentIn(io, file) : isGiven ? undefined : await piped(io)
    if (document === undefined ? !isGiven : document.trim() === '')
      throw usage(
        'handoff write needs words, or a document.',
        "holdfast handoff write --status 'STATUS' --completed 'WHAT WAS DONE' --next 'NEXT STEPS'",
      )
    using remote = new Remote(io)
    const written = await callAs<Written>(io, remote, 'handoff.write', {
      path: io.cwd,
      ...identityOf(io, values),
      ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
      ...(status !== undefined && { status }),
      ...(completed !== undefined && { completed }),
      ...(next !== undefined && { next }),
      ...(digest !== undefined && { digest }),
      ...(document !== undefined && { document }),
      blockers,
      learnings,
    })
    printResult(io, written, () => writtenText(written))
    return 0
  },
}

const wordsOf = (io: Io, text: string | undefined): string | undefined =>
  text === undefined ? undefined : readValue(text, io)

function documentIn(io: Io, file: string): string {
  if (file !== '-' && !file.startsWith('@'))
    throw usage('A document comes from stdin.', `holdfast handoff write < ${shellWord(file)}`)
  return readValue(file, io)
}

function learningIn(text: string) {
  const at = text.indexOf(': ')
  if (at < 1 || text.slice(at + 2).trim() === '')
    throw usage(
      `--learn needs a title and a text, not ${JSON.stringify(text)}.`,
      `holdfast handoff write --learn 'TITLE: TEXT'`,
    )
  return { title: text.slice(0, at).trim(), text: text.slice(at + 2).trim() }
}

const writtenText = ({ file, learnings, effort_id: note }: Written): string =>
  [
    `Handed over in ${cell(file)}.`,
    ...(learnings.length === 0 ? [] : [`Learned: ${learnings.map(cell).join(', ')}.`]),
    note === null
      ? 'There is no handover note, because you have no effort here.'
      : `The handover note of effort ${note} says the same.`,
  ].join(' ')

export const handoffNext: Command = {
  name: 'handoff next',
  summary: 'Print the command of the next task, and how to begin it in a new session.',
  usage: '',
  flags: { copy: { kind: 'switch', summary: 'also put the command on the clipboard' } },
  async run(io, { switches }) {
    using remote = new Remote(io)
    const { next, file } = await shownHere(io, remote)
    if (next === null)
      throw new EngineError('not-found', `${file} has no task that is in progress or pending.`, {
        hint: 'holdfast todo add NAME',
      })
    const { command, restart, name } = next
    const say = command === null ? 'say that' : 'paste the command'
    // A line break in a file of somebody else would run what stands before it, once pasted.
    const copied = switches.has('copy') && command !== null ? (copyText(io, oneLine(command)) ?? null) : null
    const result = { ...next, model: modelOf(next), copied }
    printLines(io, result, () =>
      [
        ...nextLines(io, next),
        ...(command === null ? [`The task has no command; say to the agent: ${cell(name)}`] : []),
        restart
          ? `It needs a new session: end this one, start your client again with the model ${cell(modelOf(next))}, and ${say}.`
          : `To begin it: use the model ${cell(modelOf(next))} and ${say}, here or in a new session.`,
        ...(switches.has('copy') ? [copyLine(command, copied)] : []),
      ].join('\n'),
    )
    return switches.has('copy') && copied === null ? 1 : 0
  },
}

function copyLine(command: string | null, by: string | null): string {
  if (command === null) return 'Nothing was copied, because the task has no command.'
  return by === null
    ? 'Nothing was copied: no clipboard is here. Holdfast knows pbcopy, wl-copy, xclip, xsel, clip.exe and terminals.'
    : `The command is on the clipboard (by ${by}).`
}
