import type { Effort } from '../../model/effort.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { stepOf } from '../../model/plan/plan.ts'
import { quoted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import { followedBy } from '../plan/plan.ts'
import { type Above, aboveOf } from '../plan/rounds.ts'
import { isFor, isMainRunning } from '../skill/agent-calls.ts'
import type { Asker } from './holder.ts'
import { refusedStep } from './refused-step.ts'

/** Refuses the main thread to move the effort of a sub-agent, as far as hooks tell the two apart. */
export async function refuseMainThread(
  tx: Tx,
  { id }: Effort,
  asker: Asker,
  context: Context,
): Promise<void> {
  if (!(await isMainThread(tx, asker, { effort: id }, context))) return
  const above = await aboveOf(tx, id)
  const parent = above && (await findEffort(tx, { id: above.effort }))
  if (above !== undefined && parent !== undefined) throw await notItsWork(tx, toEffort(parent), above)
}

/** Refuses the main thread to begin the work of a sub-agent. */
export async function refuseToBegin(
  tx: Tx,
  parent: Effort,
  { step, child, ...asker }: Asker & Pick<Above, 'step' | 'child'>,
  context: Context,
): Promise<void> {
  if (await isMainThread(tx, asker, { parent: parent.id, child }, context))
    throw await notItsWork(tx, parent, { step, child })
}

/** All threads of a session have the same shell, so only a hook of the running call tells which of them it is. */
async function isMainThread(
  tx: Tx,
  { native_id }: Asker,
  flags: Readonly<Record<string, number>>,
  { clients }: Context,
): Promise<boolean> {
  if (native_id === undefined || !isMainRunning(native_id, isFor(flags))) return false
  const client = (await findOpenByNative(tx, { native_id }))?.client
  return client != null && clients.get(client)?.routes.subagent !== undefined
}

async function notItsWork(tx: Tx, parent: Effort, { step: id, child }: Pick<Above, 'step' | 'child'>) {
  const { plan } = await followedBy(tx, parent)
  const { title = '', label = id } = (plan && stepOf(plan, id)) ?? {}
  const step = quoted(title === '' ? label : title)
  const reason = `Sub-agent ${child} of step ${step} does this, not the main thread. Start a sub-agent whose prompt begins with its command; the step names it.`
  const hint = showCommand(parent.id)
  return refusedStep(parent, { step: id, rule: 'plan', reason, field: 'child', hint })
}
