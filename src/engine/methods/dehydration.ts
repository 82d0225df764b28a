import * as z from 'zod'
import type { Dehydration } from '../../model/dehydration.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { Session } from '../../model/session.ts'
import { dehydrationOf } from '../../rules/dehydrate.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { toSession } from '../../store/session.ts'
import { authorOf } from '../session/author.ts'
import { loadTraces } from '../session/background.ts'
import { dehydrationSchema } from '../session/dehydration-form.ts'
import { refuseOthers } from '../effort/holder.ts'
import { addKeywords } from '../effort/life.ts'
import { workOf } from '../effort/skill-facts.ts'
import { effortWish, oneEffort, placesIn } from '../effort/meant.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { closeSession } from '../session/session-window.ts'
import { keepForNext } from '../session/window-end.ts'

const USE = { again: (id: number) => `holdfast session dehydrate ${id}` }

export const dehydrate = method({
  name: 'db.effort.dehydrate',
  summary: 'Save a handover note for the next session of an effort.',
  effect: 'durable',
  params: z.strictObject({
    ...effortWish,
    path: p.cwd.optional().describe('The folder that the caller works in; used to find the effort.'),
    payload: dehydrationSchema.optional(),
    keywords: p.keywords.optional(),
    end_session: z.boolean().default(false).describe('Also end the session that serves the effort.'),
  }),
  prepare: placesIn,
  async run(tx, params, call) {
    // A note must never reach another agent's successor, so an ambiguous effort is an error.
    const effort = await oneEffort(tx, { ...params, ...call.prepared }, call.context, USE)
    await refuseOthers(tx, effort, params, call.context)
    const row = await authorOf(tx, effort, params.native_id)
    const session = row === undefined ? undefined : call.context.store.volatile.overlay(toSession(row))
    const payload = params.payload ?? (await fromStore(tx, effort, session))
    const author = params.payload === undefined ? 'engine' : 'agent'
    const about = { effort_id: effort.id, author, session_id: session?.id } as const
    if (params.keywords !== undefined) await addKeywords(tx, effort.task_id, params.keywords)
    const kept = await keepForNext(tx, { ...about, payload }, call)
    if (params.end_session && session?.ended_at === null) await closeSession(tx, session, 'overflow', call)
    return kept
  },
})

/** What the store knows about an effort: its plan and the last session that served it. */
async function fromStore(tx: Tx, effort: Effort, session: Session | undefined): Promise<Dehydration> {
  const project = await placeOfEffort(tx, effort)
  const work =
    project === undefined
      ? undefined
      : await workOf(tx, { session: { effort_id: effort.id }, project, digests: NO_DIGESTS })
  if (project === undefined || work === undefined)
    throw new EngineError('invalid', `Effort ${effort.id} has nothing stored to hand over.`, {
      field: 'payload',
      hint: `holdfast session dehydrate ${effort.id} '{"summary": "...", "nextSteps": ["..."]}'`,
    })
  const scene = { effortId: effort.id, projectId: project.id }
  const traces = await loadTraces(tx, session ?? { id: 0, loaded_files: [] }, scene)
  return dehydrationOf(work, traces, session?.open_calls ?? [])
}
