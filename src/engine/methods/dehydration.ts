import * as z from 'zod'
import type { Dehydration } from '../../model/dehydration.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { Session } from '../../model/session.ts'
import { dehydrationOf } from '../../rules/dehydrate.ts'
import type { Tx } from '../../store/query.ts'
import { newestSessionOf, toSession } from '../../store/session.ts'
import { loadTraces } from '../session/background.ts'
import { dehydrationSchema } from '../session/dehydration-form.ts'
import { workOf } from '../effort/skill-facts.ts'
import { effortMeant, effortWish, type Meant, nothingActive, optionalPath } from '../effort/find-work.ts'
import { method } from '../call/method.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { closeSession } from '../session/session-window.ts'
import { keepForNext } from '../session/window-end.ts'

export const dehydrate = method({
  name: 'db.effort.dehydrate',
  summary: 'Keep what the next window of an effort must know; it gets it whichever session ends.',
  effect: 'durable',
  params: z.strictObject({
    ...effortWish,
    payload: dehydrationSchema.optional(),
    end_session: z
      .boolean()
      .default(false)
      .describe('Also close the window that serves the effort: it is at its end.'),
  }),
  prepare: optionalPath,
  async run(tx, params, call) {
    const meant = await effortMeant(tx, { ...params, path: call.prepared })
    const { effort, rivals } = meant
    if (effort === undefined) throw await nothingActive(tx, { folder: meant.project.path })
    if (rivals.length > 0) throw notOne([effort, ...rivals])
    const row = await newestSessionOf(tx, { effort_id: effort.id })
    const session = row === undefined ? undefined : call.context.store.volatile.overlay(toSession(row))
    const payload = params.payload ?? (await fromStore(tx, { ...meant, effort, session }))
    const author = params.payload === undefined ? 'engine' : 'agent'
    const about = { effort_id: effort.id, author, session_id: session?.id } as const
    const kept = await keepForNext(tx, { ...about, payload }, call)
    if (params.end_session && session?.ended_at === null) await closeSession(tx, session, 'overflow', call)
    return kept
  },
})

/** What the store knows of an effort, its plan, and the window that served it last. */
async function fromStore(
  tx: Tx,
  { project, effort, session }: Pick<Meant, 'project'> & { effort: Effort; session: Session | undefined },
): Promise<Dehydration> {
  const work = await workOf(tx, { session: { effort_id: effort.id }, project, digests: NO_DIGESTS })
  if (work === undefined)
    throw new EngineError('invalid', `Of effort ${effort.id} the store knows nothing that a window must.`, {
      field: 'payload',
      hint: `holdfast session dehydrate ${effort.id} '{"summary": "...", "nextSteps": ["..."]}'`,
    })
  const scene = { effortId: effort.id, projectId: project.id }
  const traces = await loadTraces(tx, session ?? { id: 0, loaded_files: [] }, scene)
  return dehydrationOf(work, traces, session?.open_calls ?? [])
}

/** Of several that could be meant none is chosen: what one agent leaves must not reach another's successor. */
function notOne(efforts: readonly Effort[]): EngineError {
  const named = efforts.map(({ id, skill }) => `${id} (${skill})`).join(', ')
  return new EngineError('conflict', `Several efforts are active here: ${named}. Say which is meant.`, {
    field: 'effort_id',
    hint: `holdfast session dehydrate ${efforts[0]?.id}`,
  })
}
