import { fileIn } from '../../model/plan/pipeline.ts'
import { isPipeline } from '../../model/plan/plan.ts'
import { valuesToEnter } from '../../model/plan/plan-for.ts'
import { isBlank } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { followedBy } from '../plan/plan.ts'
import { appliedSkill, coversOfEffort, seenOf } from '../plan/recorded.ts'
import { fileAt, textOf, unlessRefused } from '../skill/directive-files.ts'
import { withPlan } from './mover.ts'
import { meantToEnter, meantToLeave } from './step-meant.ts'

interface Wish {
  readonly effort_id: number
  readonly step?: string | undefined
  readonly outcome?: string | undefined
  readonly proof?: Readonly<Record<string, unknown>> | undefined
}

/** Reads the text of a step that is a file, to show it to the caller. */
export async function prepareEntry(context: Context, wish: Wish, ask: Ask) {
  const { found, ...covered } = await ask(async (tx) => ({
    ...(await coversOfEffort(tx, wish.effort_id)),
    found: await stepFile(tx, wish),
  }))
  const path =
    found === undefined ? undefined : await fileAt(context, { root: found.folder, path: found.path })
  const isThere = found !== undefined && path !== undefined
  const text = isThere
    ? { step: found.step, text: await textOf(context, { root: found.folder, path }) }
    : undefined
  return { files: await seenOf(context, covered), text }
}

async function stepFile(tx: Tx, { effort_id, step: word, proof = {} }: Wish) {
  const row = await findEffort(tx, { id: effort_id })
  if (row === undefined || row.lifecycle === 'finished') return undefined
  const effort = toEffort(row)
  const before = await followedBy(tx, effort)
  const followed = await followedBy(tx, effort, undefined, valuesToEnter(before, word, proof))
  const { plan } = followed
  if (plan?.notation !== 'steps' || isPipeline(plan)) return undefined
  const { skill } = await appliedSkill(tx, effort)
  const { step } = meantToEnter(withPlan(effort, followed), word)
  return skill?.folder == null ? undefined : { step: step.id, path: step.place.file, folder: skill.folder }
}

/** Whether the file that a step must produce exists and is not blank; checked before the transaction. */
export async function prepareLeaving(context: Context, wish: Wish, ask: Ask) {
  const { file, ...covered } = await ask(async (tx) => ({
    ...(await coversOfEffort(tx, wish.effort_id)),
    file: await fileToVerify(tx, wish),
  }))
  const path = file && (await fileAt(context, file))
  return {
    files: await seenOf(context, covered),
    isThere: file !== undefined && path !== undefined && (await hasText(context, { ...file, path })),
  }
}

/** The beginning is enough: what is longer has content. */
export async function hasText({ files }: Context, file: { readonly root: string; readonly path: string }) {
  const read = await unlessRefused(files.read({ ...file, offset: 0, limit: ENOUGH }))
  return read !== undefined && (read.next_offset !== null || !isBlank(read.content))
}

const ENOUGH = 65_536

async function fileToVerify(tx: Tx, { effort_id, step: word, outcome }: Wish) {
  const row = await findEffort(tx, { id: effort_id })
  if (row === undefined) return undefined
  const effort = toEffort(row)
  const followed = await followedBy(tx, effort)
  const place = await placeOfEffort(tx, effort)
  if (followed.plan === undefined || place === undefined) return undefined
  const { verify } = meantToLeave(withPlan(effort, followed), word, outcome)
  if (verify?.kind !== 'file') return undefined
  return { root: place.root, path: fileIn(effort.task_id, verify.path) }
}
