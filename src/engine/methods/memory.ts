import * as z from 'zod'
import { masked } from '../../model/secrets.ts'
import { knownOf } from '../../store/imported.ts'
import { type Here, optionalHere } from '../call/here.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { formerPlace, type FormerPlace, importPart, importState } from '../session/import-session.ts'

const client = p.name.describe('The client that the sessions belong to.')
const session = p.name.describe("The client's id of the session.")
const cwd = p.cwd.describe('The folder that the session worked in.')

const MOST_SESSIONS = 200
const MOST_MESSAGES = 500
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
