import type { Effort } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import type { Background, Traces } from '../../rules/told/background.ts'
import { lastApprovals } from '../../store/approval.ts'
import { lastArtifacts } from '../../store/artifact.ts'
import { dehydrationsOf, toDehydration } from '../../store/dehydration.ts'
import { effortsAtWork, lastFinished, toEffort } from '../../store/effort.ts'
import { lastEntries } from '../../store/ledger.ts'
import { lastMessages } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { openItems } from '../../store/queue.ts'

/** What a new session needs besides its plan; without an effort, the queue of the project. */
export async function loadBackground(
  tx: Tx,
  scene: {
    readonly projectId: number
    readonly effortId: number | undefined
    readonly work: Effort | undefined
    readonly loadedFiles: readonly string[]
    readonly since: string
    readonly now: string
  },
): Promise<Background> {
  const { projectId, effortId, work, loadedFiles, since, now } = scene
  const queue = await openItems(tx, { project_id: projectId })
  const kept = effortId === undefined ? [] : await dehydrationsOf(tx, { effort_id: effortId })
  const dehydrations = kept.map(toDehydration)
  if (work === undefined)
    return { now, dehydrations, queue, loadedFiles, artifacts: [], approvals: [], others: [], finished: [] }
  return {
    now,
    dehydrations,
    queue,
    loadedFiles,
    artifacts: await lastArtifacts(tx, { effort_id: work.id }),
    approvals: await lastApprovals(tx, { effort_id: work.id }),
    others: await effortsAtWork(tx, { project_id: projectId, effort_id: work.id, since }),
    finished: (await lastFinished(tx, { task_id: work.task_id })).map(toEffort),
  }
}

/** Events that are not work: session bookkeeping, and messages, which have their own table. */
const NO_DEED = /^(session\.|message\.|span\.|effort\.dehydrated)/

/** The traces of a session that go into a generated handover note. */
export async function loadTraces(
  tx: Tx,
  session: Pick<Session, 'id' | 'loaded_files'>,
  scene: { readonly effortId: number; readonly projectId: number },
): Promise<Traces> {
  const { effortId, projectId } = scene
  const entries = await lastEntries(tx, { effort_id: effortId })
  const queue = await openItems(tx, { project_id: projectId })
  return {
    lately: entries.filter(({ event_type: event }) => !NO_DEED.test(event)),
    messages: await lastMessages(tx, { session_id: session.id }),
    loadedFiles: session.loaded_files,
    artifacts: (await lastArtifacts(tx, { effort_id: effortId })).map(({ name }) => name),
    open: queue
      .filter(({ effort_id }) => effort_id === effortId)
      .map(({ id, kind, content }) => `Queue ${id} (${kind}): ${content}`),
  }
}
