import { rootSkill } from '../../model/child.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import type { Step } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { quoted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill } from '../../store/skill.ts'
import { findTrusted } from '../../store/trusted-module.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'

/** The code of the skill of an effort: as the effort keeps it, and as it is on the disk now. */
export interface StepCode {
  /** Undefined if its plan came from no code. */
  readonly kept: string | undefined
  /** Undefined if it is gone. */
  readonly now: string | undefined
}

/** Reads all of the code, because its dates and sizes can be forged. */
export async function codeOfEffort(
  context: Context,
  { effort_id }: { readonly effort_id: number },
  ask: Ask,
): Promise<StepCode> {
  const { kept, folder } = await ask(async (tx) => await keptCode(tx, effort_id))
  const isRead = kept !== undefined && folder != null
  const read = isRead ? await context.skillFolders.readWith(folder, NOT_RUN) : undefined
  return { kept, now: read?.code }
}

const NOT_RUN = { error: 'It was not run.' }

async function keptCode(tx: Tx, id: number) {
  const row = await findEffort(tx, { id })
  if (row === undefined) return { kept: undefined, folder: undefined }
  const effort = toEffort(row)
  const { workplace_id, skill } = effort
  const root = await findSkill(tx, { workplace_id, name: rootSkill(skill) })
  return { kept: (await skillOfEffort(tx, effort))?.details?.code, folder: root?.folder }
}

/** Refuses to run the command of a step if nobody trusts the scripts beside it as they are now. */
export async function checkCode(
  tx: Tx,
  { effort }: Mover,
  { step, code: { kept, now } }: { readonly step: Step; readonly code: StepCode },
): Promise<void> {
  if (kept === undefined || now === kept) return
  if (now !== undefined && (await findTrusted(tx, { digest: now })) !== undefined) return
  const skill = rootSkill(effort.skill)
  const reason = `The code of skill ${quoted(skill)} is not trusted as it is now, so its command does not run.`
  const hint = `holdfast skill trust ${shellWord(skill)}`
  const message = [reason, ...remarksOn([hint])].join(' ')
  throw refusedStep(effort, { step: step.id, rule: 'plan', reason, message, field: 'step', hint })
}
