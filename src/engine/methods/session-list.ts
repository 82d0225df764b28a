import * as z from 'zod'
import { isAdHoc } from '../../model/effort.ts'
import type { EndedReason, Session } from '../../model/session.ts'
import { inOneLine } from '../../model/text/line.ts'
import { findEffort } from '../../store/effort.ts'
import { leftFiles } from '../../store/effort-file.ts'
import { askedIn } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { sessionsIn } from '../../store/other-sessions.ts'
import { findSession, lastWindowsOfNative, toSession } from '../../store/session.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { type Context, staleSince } from '../call/context.ts'
import { hereAt, rootAround } from '../call/here.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { canonical } from '../call/paths.ts'
import { clientState } from '../session/client-process.ts'

/** How a session stands, as people say it. */
type State = 'open' | 'silent' | 'killed' | 'ended' | 'taken over'

/** A session of a client with all of its windows. */
export interface ListedSession {
  readonly session_id: number
  readonly native_id: string | null
  readonly client: string | null
  readonly agent_id: string | null
  /** The first words of the user. */
  readonly about: string | null
  /** The last words of the user, if they are others. */
  readonly last: string | null
  readonly prompts: number
  readonly state: State
  readonly began_at: string
  readonly seen_at: string
  readonly workplace: string | null
  /** The last effort that it served. */
  readonly effort_id: number | null
  readonly skill: string | null
  readonly changed_files: number
  /** The client's command that opens it again. */
  readonly resume: string | null
}

const LONGEST = 300

export const sessionList = method({
  name: 'db.session.list',
  summary: 'List the sessions of agents, newest first: what each was about, and how to resume it.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.optional().describe('A folder inside the project. Default: every project.'),
    limit: z.int().min(1).max(1000).default(20).describe('Maximum number of sessions.'),
  }),
  async prepare(context, { path }) {
    return path === undefined ? undefined : await hereAt(context, await canonical(context, 'path', path))
  },
  async run(tx, { limit }, { context, prepared: here }): Promise<readonly ListedSession[]> {
    const found = here === undefined ? undefined : await rootAround(tx, here)
    if (here !== undefined && found === undefined) return []
    const listed: ListedSession[] = []
    for (const { id, began_at } of await sessionsIn(tx, { project_id: found?.of.id, limit })) {
      const row = await findSession(tx, { id })
      if (row !== undefined) listed.push(await toListed(tx, toSession(row), began_at, context))
    }
    return listed
  },
})

async function toListed(tx: Tx, row: Session, began_at: string, context: Context): Promise<ListedSession> {
  const session = context.store.volatile.overlay(row)
  const { id, native_id, client, agent_id } = session
  const [asked, windows, effort, place] = [
    native_id === null ? undefined : await askedIn(tx, { native_id }),
    native_id === null ? [session] : (await lastWindowsOfNative(tx, { native_id })).map(toSession),
    await findEffort(tx, { id: session.effort_id }),
    await placeOfSession(tx, session),
  ]
  const left = native_id === null ? [] : await leftFiles(tx, { native_id })
  const [about, last] = [asked?.first ?? null, asked?.last ?? null].map((text) =>
    text === null ? null : inOneLine(text, LONGEST),
  )
  const served = effort === undefined || isAdHoc(effort) ? undefined : effort
  return {
    session_id: id,
    native_id,
    client,
    agent_id,
    about: about ?? null,
    last: last === about ? null : (last ?? null),
    prompts: asked?.count ?? 0,
    state: await stateOf(tx, session, context),
    began_at,
    seen_at: session.ended_at ?? session.last_heartbeat ?? session.created_at,
    workplace: place?.root ?? null,
    effort_id: served?.id ?? null,
    skill: served?.skill ?? null,
    changed_files: new Set([...left, ...windows.flatMap(({ changed_files: files }) => files)]).size,
    resume: native_id === null ? null : (context.clients.get(client ?? '')?.resume(native_id) ?? null),
  }
}

const ENDS: Readonly<Record<EndedReason, State>> = {
  finished: 'ended',
  overflow: 'ended',
  continued: 'ended',
  superseded: 'taken over',
  orphaned: 'silent',
}

async function stateOf(tx: Tx, session: Session, context: Context): Promise<State> {
  const { ended_reason: reason, ended_at, native_id } = session
  if (reason !== null && reason !== 'orphaned') return ENDS[reason]
  const client = await clientState(tx, native_id, context.machine)
  if (client === 'gone') return 'killed'
  if (ended_at !== null) return 'silent'
  const isSilent = (session.last_heartbeat ?? session.created_at) < staleSince(context)
  return client === 'unknown' && isSilent ? 'silent' : 'open'
}
