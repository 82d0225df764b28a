import { clients } from '../../clients/index.ts'
import type { KeptDehydration } from '../../model/dehydration.ts'
import { type Effort, resumeCommand } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import { CALLER_FLAGS, identityOf, objectFrom } from '../frame/caller.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, piped, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'
import { effortIn } from './session-spellings.ts'

/** Older commands that end a session, with an effort by the folder of its task. */

const FLAGS = {
  keywords: { kind: 'value', summary: 'search words for the task, separated by commas' },
  ...CALLER_FLAGS,
} as const

export const sessionIdle: Command = {
  name: 'session idle',
  summary: 'End the session; its effort stays active. Reads what was done from stdin.',
  usage: 'DIR',
  flags: FLAGS,
  examples: [`holdfast session idle tasks/login --keywords 'login, oauth' <<< 'The form works.'`],
  async run(io, { positionals: [dir = ''], values }) {
    const { description, keywords } = await descriptionFrom(io, values['keywords'])
    using remote = new Remote(io)
    const { id, metadata } = await effortIn(remote, io, { dir, values })
    const kept = await endWith(remote, id, {
      ...identityOf(io, values),
      ...(description !== undefined && { payload: { summary: description } }),
      ...(keywords !== undefined && { keywords }),
    })
    printLines(io, kept, () =>
      [
        `Session ended. Effort ${id} stays active.`,
        `To resume it: ${resumeCommand({ id })}`,
        `To finish it: holdfast effort finish ${id}`,
        ...nextSkills(metadata),
      ].join('\n'),
    )
    return 0
  },
}

export const sessionDeactivate: Command = {
  name: 'session deactivate',
  summary: 'Older name of `effort finish`, for the active effort of a task; reads what was done from stdin.',
  usage: 'DIR',
  flags: {
    ...FLAGS,
    abandon: { kind: 'value', summary: 'why it ends although something is open; recorded in the ledger' },
  },
  examples: [`holdfast session deactivate tasks/login --keywords 'login, oauth' <<< 'Users can log in.'`],
  async run(io, { positionals: [dir = ''], values }) {
    const given = await descriptionFrom(io, values['keywords'])
    using remote = new Remote(io)
    const { id } = await effortIn(remote, io, { dir, values })
    const { abandon } = values
    const finished = await remote.call<Effort>('db.effort.finish', {
      effort_id: id,
      ...identityOf(io, values),
      ...given,
      ...(abandon !== undefined && { abandon }),
    })
    printLines(io, finished, () =>
      [
        `Effort ${finished.id} (${cell(finished.skill)}) finished in ${cell(finished.task_id)}.`,
        ...nextSkills(finished.metadata),
      ].join('\n'),
    )
    return 0
  },
}

export const sessionRestart: Command = {
  name: 'session restart',
  summary: 'Save a handover note, end the session, and print the command that resumes it.',
  usage: 'DIR',
  flags: {
    note: {
      kind: 'value',
      summary: 'the handover note: JSON, @file or - (default: stdin, if piped, else the known state)',
    },
    ...CALLER_FLAGS,
  },
  examples: [`holdfast session restart tasks/login <<< '{"nextSteps": ["test the form"]}'`],
  async run(io, { positionals: [dir = ''], values }) {
    const payload = await objectFrom(io, values['note'], 'The handover note')
    using remote = new Remote(io)
    const { id } = await effortIn(remote, io, { dir, values })
    const kept = await endWith(remote, id, {
      ...identityOf(io, values),
      ...(payload !== undefined && { payload }),
    })
    const resume = await resumeOf(remote, kept)
    const restart = resumeCommand({ id })
    printLines(io, { ...kept, resume, continue: restart }, () =>
      [
        `Saved a handover note for effort ${id} and ended its session.`,
        ...(resume === null ? [] : [`To resume the session: ${resume}`]),
        `To continue in a new session: ${restart}`,
      ].join('\n'),
    )
    return 0
  },
}

/** Keeps a handover note, from what was given or from the store, and ends the session. */
const endWith = (remote: Remote, effort_id: number, given: object): Promise<KeptDehydration> =>
  remote.call<KeptDehydration>('db.effort.dehydrate', { effort_id, end_session: true, ...given })

/** The client's own command for the session that left the note; null if no client had one. */
async function resumeOf(remote: Remote, { session_id }: KeptDehydration): Promise<string | null> {
  if (session_id === null) return null
  const [session] = await remote.call<readonly Session[]>('db.session.find', { session_id })
  const { native_id: native = null, client = null } = session ?? {}
  return native === null ? null : (clients.get(client ?? '')?.resume(native) ?? null)
}

/** The skills that the caller of `session activate` named as next; older skills look for this section. */
function nextSkills({ nextSkills: names }: Effort['metadata']): readonly string[] {
  const known = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  return known.length === 0 ? [] : ['', '## Next Skills', ...known.map((name) => `- ${cell(name)}`)]
}

interface Described {
  readonly description?: string
  readonly keywords?: string
}

/** What was done, as text or as JSON with `description` and `keywords`; a flag wins over the JSON. */
async function descriptionFrom(io: Io, flag: string | undefined): Promise<Described> {
  const text = (await piped(io)).trim()
  const said = text.startsWith('{') ? described(text) : { ...(text !== '' && { description: text }) }
  return { ...said, ...(flag !== undefined && { keywords: flag }) }
}

function described(text: string): Described {
  const { description, keywords } = parsed(text)
  const words = Array.isArray(keywords) ? keywords.join(',') : keywords
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof words === 'string' && { keywords: words }),
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw usage(
      `The description must be text or JSON: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
