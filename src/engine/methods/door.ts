import * as z from 'zod'
import {
  asCommand,
  asRecorded,
  isRaise,
  isTightening,
  type LevelsNow,
  onlyTheUser,
  type OurWords,
} from '../../model/door.ts'
import { EngineError } from '../../model/error.ts'
import { scopeId } from '../../model/session.ts'
import { listLedger } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { defaultLevel } from '../../store/setting.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import { aroundCaller, type Known, knownAround, sessionAround } from '../session/around.ts'
import { levelOfSession } from '../session/level-kept.ts'

const wordsOfCommand = z
  .array(p.textUpTo(4000))
  .min(1)
  .max(100)
  .describe('The words of the command, without its name.')

export const open = method({
  name: 'door.open',
  summary: 'Record a command that loosens the rules. The user may; an agent only after the user said yes.',
  effect: 'durable',
  params: z.strictObject({
    words: wordsOfCommand,
    ...aroundCaller,
    prompt_of: p.name.optional().describe('The session in whose prompt the user wrote it.'),
    cwd: p.cwd.optional().describe('The folder of the project that the command is about.'),
  }),
  async prepare(context, { cwd }) {
    return await optionalHere(context, 'cwd', cwd)
  },
  async run(tx, { words, sessions, processes, prompt_of: prompt }, call) {
    const known = await knownAround(tx, { sessions, processes }, call.context)
    const command = asRecorded(words)
    // Tightening is no door; the change itself is recorded.
    const levels = await levelsNow(tx, call.prepared)
    if (isRaise(words, levels)) return { by: known === undefined ? ('user' as const) : ('agent' as const) }
    if (known === undefined) {
      if (isTightening(words, levels)) return { by: 'user' as const }
      const payload = { may_run: command, by: 'user', how: prompt === undefined ? 'terminal' : 'prompt' }
      const whose = prompt === undefined ? {} : { session_id: prompt }
      await call.record(tx, { event_type: 'door.opened', ...whose, payload })
      return { by: 'user' as const }
    }
    const { session, level } = known
    const about = { effort_id: session.effort_id, session_id: session.native_id ?? '' }
    const by = level === 'observe' ? 'agent' : 'user'
    if (level !== 'observe' && !(level === 'enforce' && (await isAsked(tx, known, words))))
      throw new EngineError(
        'refused',
        `${onlyTheUser([words], session.native_id ?? undefined)}${level === 'enforce' ? BY_CLIENT : ''}`,
        {
          record: { ...about, event_type: 'door.refused', payload: { command, by: 'agent' } },
        },
      )
    const payload = { may_run: command, by, how: by === 'user' ? 'asked' : 'observe' }
    await call.record(tx, { ...about, event_type: 'door.opened', payload })
    return { by }
  },
})

export const pass = method({
  name: 'door.pass',
  summary: 'Refuse a command of an agent that hides its session, or acts for another one.',
  effect: 'read',
  params: z.strictObject({
    words: wordsOfCommand,
    native_id: p.name.optional().describe('The session for which the command acts; without one, the user.'),
    ...aroundCaller,
  }),
  async run(tx, { words, native_id, processes }, { context }) {
    const caller = await sessionAround(tx, processes)
    const row = caller === undefined ? undefined : await findLastByNative(tx, { native_id: caller })
    if (caller === undefined || row === undefined) return { passes: true }
    const isOwn = native_id === caller || native_id?.startsWith(scopeId(caller, '')) === true
    // A session that nobody knows has no work.
    const isNew = native_id !== undefined && (await findLastByNative(tx, { native_id })) === undefined
    if (isOwn || isNew || (await levelOfSession(tx, toSession(row), context)) === 'observe')
      return { passes: true }
    const as = native_id === undefined ? 'as the user' : `for session ${native_id}`
    throw new EngineError(
      'refused',
      `${asCommand(words)} acts ${as}, but session ${caller} calls it, so only the user can run it. Next: run it for this session, without naming or hiding one, or ask the user to run it in a terminal of their own.`,
      {
        record: {
          event_type: 'door.refused',
          effort_id: row.effort_id,
          session_id: caller,
          payload: { command: asCommand(words), by: 'agent' },
        },
      },
    )
  },
})

async function levelsNow(tx: Tx, here: Here | undefined): Promise<LevelsNow> {
  const general = await defaultLevel(tx)
  const root = here === undefined ? undefined : await rootAround(tx, here)
  return { own: root?.of.level ?? general, general }
}

const BY_CLIENT =
  ' Or run it as one plain command with every word written out: then the client asks the user.'

/** The system tells the start of a process in hundredths of a second. */
const INEXACT_MILLISECONDS = 50

/**
 * True while the call runs for which the user was asked; a later call of the session ends the question. What ran
 * before the question is another call, which waits for a yes that is not meant for it.
 */
async function isAsked(tx: Tx, { session, began }: Known, words: OurWords): Promise<boolean> {
  const [last] = await listLedger(tx, {
    event_types: ['door.asked'],
    session: session.native_id ?? '',
    newestFirst: true,
    limit: 1,
  })
  if (last === undefined) return false
  const asked = last.payload as { readonly call: string; readonly doors: readonly OurWords[] }
  const isRunning = asked.call === session.open_calls.at(-1)?.id
  const isLater = began === undefined || began + INEXACT_MILLISECONDS >= Date.parse(last.timestamp)
  const text = JSON.stringify(words)
  return isRunning && isLater && asked.doors.some((door) => JSON.stringify(door) === text)
}
