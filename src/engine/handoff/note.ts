import type { Dehydration } from '../../model/dehydration.ts'
import { type Effort, isUnfinished } from '../../model/effort.ts'
import type { HandedOver } from '../../model/handoff/handing-over.ts'
import { ITEM } from '../../model/handoff/lines.ts'
import { readSessionFile, sectionOf, wordsIn } from '../../model/handoff/session-file.ts'
import type { Tx } from '../../store/query.ts'
import { toSession } from '../../store/session.ts'
import type { Call } from '../call/method.ts'
import { type Asker, hasIdentity, refuseOthers } from '../effort/holder.ts'
import { candidatesFor, oneEffort } from '../effort/meant.ts'
import { threadOf } from '../effort/thread.ts'
import { authorOf } from '../session/author.ts'
import { keepForNext } from '../session/window-end.ts'

/** Leaves the handover note of the caller's effort with the words of a handoff; without an effort, there is none. */
export async function keepNote(
  tx: Tx,
  asker: Asker & { readonly effort_id?: number | undefined },
  given: HandedOver,
  call: Call,
): Promise<number | null> {
  const effort = await effortOf(tx, asker, call)
  const payload = noteOf(given)
  if (effort === undefined || Object.keys(payload).length === 0) return null
  const row = await authorOf(tx, effort, asker.native_id)
  const session = row === undefined ? undefined : toSession(row)
  await keepForNext(tx, { effort_id: effort.id, author: 'agent', session_id: session?.id, payload }, call)
  return effort.id
}

async function effortOf(
  tx: Tx,
  given: Asker & { readonly effort_id?: number | undefined },
  { context }: Call,
): Promise<Effort | undefined> {
  if (given.effort_id !== undefined) {
    const effort = await oneEffort(tx, given, context)
    await refuseOthers(tx, effort, given, context)
    return effort
  }
  if (!hasIdentity(given)) return undefined
  const { asker } = await threadOf(tx, given, context)
  return (await candidatesFor(tx, asker)).own.find(isUnfinished)
}

/** The words of a handoff as a handover note. */
function noteOf({ document, ...given }: HandedOver): Dehydration {
  const said = document === undefined ? undefined : readSessionFile(document)
  const of = (kind: 'completed' | 'next') => said && wordsIn(said, sectionOf(said, kind))
  const [summary, lastAction, next] = [
    given.status ?? said?.status?.text,
    given.completed ?? of('completed'),
    given.next ?? of('next'),
  ]
  return {
    ...(isSaid(summary) && { summary }),
    ...(isSaid(lastAction) && { lastAction }),
    ...(isSaid(next) && { nextSteps: next.split('\n').map(withoutBullet).filter(isSaid) }),
  }
}

const isSaid = (words: string | undefined): words is string => words !== undefined && words.trim() !== ''

const withoutBullet = (line: string): string => line.replace(ITEM, '').trimEnd()
