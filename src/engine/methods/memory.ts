import * as z from 'zod'
import { masked } from '../../model/secrets.ts'
import { knownOf } from '../../store/imported.ts'
import { type Here, optionalHere } from '../call/here.ts'
import { projectNotFound } from '../../model/error.ts'
import { EngineError } from '../../model/error.ts'
import type { Tx } from '../../store/query.ts'
import { hereAt, rootAround } from '../call/here.ts'
import { canonical } from '../call/paths.ts'
import type { Context } from '../call/context.ts'
import { timestamp } from '../../model/clock.ts'
import { targetsOf, type Wanted } from '../session/forget-targets.ts'
import { directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { formerPlace, type FormerPlace, importPart, importState } from '../session/import-session.ts'

const client = p.name.describe('The client that the sessions belong to.')
const session = p.name.describe("The client's id of the session.")
const cwd = p.cwd.describe('The folder that the session worked in.')

const MOST_SESSIONS = 200
const MOST_MESSAGES = 500
/** A shorter text would stand in nearly everything. */
const SHORTEST = 3
/** What a message may have; the longest are cut before. */
const LONGEST = 20_000

export const known = method({
  name: 'memory.known',
  summary: 'Say which earlier sessions of a client can be imported, and how far each is.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.optional().describe('A folder of the project to import into. Default: every project.'),
    sessions: z.array(z.strictObject({ session, cwd })).min(1).max(MOST_SESSIONS),
  }),
  async prepare(context, { path, sessions }) {
    const scope = await optionalHere(context, 'path', path)
    const folders = [...new Set(sessions.map((one) => one.cwd))]
    const places = await Promise.all(folders.map((folder) => formerPlace(context, folder)))
    return { scope, places: new Map(places.map((place) => [place.cwd, place])) } satisfies Prepared
  },
  async run(tx, { sessions }, { context, prepared: { scope, places } }) {
    const stored = await knownOf(
      tx,
      sessions.map((one) => one.session),
    )
    const byNative = new Map(stored.map((one) => [one.native_id, one]))
    const answers = []
    for (const one of sessions) {
      const place = places.get(one.cwd) ?? { cwd: one.cwd, at: undefined }
      const row = byNative.get(one.session)
      const found = await importState(tx, { session: one.session, place, known: row, scope }, context)
      answers.push({ session: one.session, offset: row?.transcript_offset ?? 0, ...found })
    }
    return answers
  },
})

interface Prepared {
  readonly scope: Here | undefined
  readonly places: ReadonlyMap<string, FormerPlace>
}

const bytes = z.int().min(0)

export const importMessages = method({
  name: 'memory.import',
  summary:
    'Store a part of the transcript of an earlier session: what the user and the agent said, without secrets.',
  effect: 'durable',
  params: z.strictObject({
    client,
    session,
    cwd,
    transcript: p.cwd.describe('The file that holds the transcript.'),
    from: bytes.describe('Where the part begins. Another one than the stored end changes nothing.'),
    to: bytes.describe('Where it ends.'),
    messages: z
      .array(
        z.strictObject({
          role: z.enum(['user', 'assistant']),
          content: p.textUpTo(LONGEST).min(1),
          at: z.iso.datetime(),
          id: p.name.optional().describe("The client's id of the message."),
          origin: session.optional().describe('The session in which it was said, if this one is its copy.'),
        }),
      )
      .max(MOST_MESSAGES),
  }),
  prepare: (context, params) => formerPlace(context, params.cwd),
  run: (tx, { client: of, session: native, transcript, from, to, messages }, call) =>
    importPart(
      tx,
      {
        client: of,
        session: native,
        transcript,
        from,
        to,
        place: call.prepared,
        messages: messages.map(({ id, content, ...one }) => ({
          ...one,
          content: masked(content),
          nativeId: id,
        })),
      },
      call,
    ),
})

export const forget = directMethod({
  name: 'memory.forget',
  summary:
    'Delete a session, all sessions of a project, or everything that was said with a text, with every copy in the home.',
  effect: 'daemon',
  params: z.strictObject({
    session: session.optional(),
    path: p.path.optional().describe('A folder of the project to forget. Its settings and skills stay.'),
    text: p.words(500).min(SHORTEST).optional().describe('What was said with this text, whatever its case.'),
    dry_run: z.boolean().default(false).describe('Only count.'),
  }),
  async call(context, { dry_run: isDry, ...asked }) {
    const { store, daemon } = context
    const wanted = await meant(context, asked)
    const now = timestamp(context.clock.now())
    const targets = await store.transact(async (tx) => await targetsOf(tx, await wanted(tx), now), {
      reads: true,
    })
    return isDry ? await daemon.memory.count(targets) : await daemon.memory.forget(targets)
  },
})

export const status = directMethod({
  name: 'memory.status',
  summary: 'Show how far a forgetting is: rows, database, backups.',
  effect: 'none',
  params: z.strictObject({}),
  call: ({ daemon }) => Promise.resolve({ forgetting: daemon.memory.status() ?? null }),
})

/** Exactly one of them. */
async function meant(
  context: Context,
  {
    session: id,
    path,
    text,
  }: { session?: string | undefined; path?: string | undefined; text?: string | undefined },
): Promise<(tx: Tx) => Promise<Wanted>> {
  const given = Object.entries({ session: id, path, text }).filter(([, value]) => value !== undefined)
  if (given.length !== 1)
    throw new EngineError('invalid', 'Pass one of session, path and text.', {
      field: given[1]?.[0] ?? 'session',
    })
  if (id !== undefined) return () => Promise.resolve({ kind: 'session', id })
  if (text !== undefined) return () => Promise.resolve({ kind: 'text', text })
  const here = await hereAt(context, await canonical(context, 'path', path ?? ''))
  return async (tx) => {
    const root = await rootAround(tx, here)
    if (root === undefined) throw projectNotFound(path ?? '', path ?? '')
    return { kind: 'project', id: root.of.id }
  }
}

export const resume = directMethod({
  name: 'memory.resume',
  summary: 'Go on with a deletion that a crash or a full disk has interrupted.',
  effect: 'daemon',
  params: z.strictObject({}),
  call: ({ daemon }) => Promise.resolve({ resumed: daemon.memory.resume() }),
})
