import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { effortNotFound, EngineError } from '../../model/error.ts'
import { nextActions } from '../../model/plan/next-action.ts'
import { listed } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { RunbookReading } from '../../model/runbook/reading.ts'
import { startOn } from '../../model/task.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { listRoots, placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { activeEffort } from '../effort/ownership.ts'
import { readyRunbook } from '../effort/runbook-run.ts'
import { asSkill, runbookPlanOf } from '../effort/runbook-plan.ts'
import { followedBy } from '../plan/plan.ts'
import { storedProgress, storeProgress } from '../plan/progress.ts'
import {
  type Obstacle,
  type PlanEdit,
  editBetween,
  editOf,
  editOfRunbook,
  takeUp,
} from '../skill/plan-edits.ts'
import { knownDigests, readFiles, type Reading, storeReading } from '../skill/sync.ts'

export const accept = method({
  name: 'db.effort.accept',
  summary:
    'Put the edited plan of a skill in force for an effort; steps that still exist keep their progress.',
  effect: 'durable',
  params: z.strictObject({ effort_id: p.id }),
  prepare: readAgain,
  async run(tx, { effort_id }, call) {
    const { skills, runbook } = call.prepared
    const before = await activeEffort(tx, effort_id, 'given another plan')
    await storeRead(tx, before, skills, call)
    const effort = await activeEffort(tx, effort_id, 'given another plan')
    // At level enforce, an edit of the user's that nobody had noticed yet was taken up just now.
    const edit =
      runbook === undefined
        ? ((await editOf(tx, effort)) ?? (await editBetween(tx, before, effort)))
        : await editOfRunbook(tx, effort, asSkill(readyRunbook(runbook, effort.task_id), effort))
    if (edit === undefined) throw nothingEdited(effort)
    if (edit.obstacle !== undefined) throw cannotAccept(effort, edit.obstacle, runbook !== undefined)
    const { visited = [] } = (await storedProgress(tx, effort_id)) ?? {}
    if (effort.plan_digest === before.plan_digest) await takeUp(tx, effort, { ...edit, by: 'user' }, call)
    return { effort_id, skill: effort.skill, ...(await carryOver(tx, { effort, edit, visited }, call)) }
  },
})

/** The skill files of the effort's checkout, if that is on this machine, or the runbook that it carries out. */
async function readAgain(
  context: Context,
  { effort_id }: { readonly effort_id: number },
  ask: Ask,
): Promise<{ readonly skills?: Reading; readonly runbook?: RunbookReading }> {
  const { root, known, folder } = await ask(async (tx) => {
    const row = await findEffort(tx, { id: effort_id })
    if (row === undefined) throw effortNotFound(effort_id)
    const roots = await listRoots(tx, context.machine)
    const here = roots.find(({ workplace }) => workplace?.id === row.workplace_id)
    const isRunbook = (await runbookPlanOf(tx, toEffort(row))) !== undefined
    return {
      root: here?.path,
      known: await knownDigests(tx, row.workplace_id),
      folder: isRunbook ? row.task_id : undefined,
    }
  })
  if (root === undefined || (await context.files.kind(root)) !== 'folder') return {}
  return folder === undefined
    ? { skills: await readFiles(context, root, known) }
    : { runbook: await context.readRunbook({ folder, root, asksCompiled: true }) }
}

async function storeRead(tx: Tx, effort: Effort, skills: Reading | undefined, call: Call): Promise<void> {
  const place = await placeOfEffort(tx, effort)
  if (place !== undefined && skills !== undefined) await storeReading(tx, place, skills, call)
}

async function carryOver(
  tx: Tx,
  { effort, edit, visited }: { effort: Effort; edit: PlanEdit; visited: readonly string[] },
  call: Call,
) {
  const row = await findEffort(tx, { id: effort.id })
  const now = row === undefined ? effort : toEffort(row)
  const followed = await followedBy(tx, now)
  const { plan, progress, digest, declared } = followed
  if (visited.length > 0 && plan !== undefined)
    await storeProgress(tx, { effort_id: now.id, digest }, { progress }, call)
  const isKept = (id: string) => declared?.steps.some((step) => step.id === id) === true
  return {
    ...edit.difference,
    from: edit.from,
    to: edit.to,
    steps_kept: visited.filter(isKept),
    steps_dropped: visited.filter((id) => !isKept(id)),
    next: nextActions(now, followed),
  }
}

const nothingEdited = ({ id, skill }: Effort): EngineError =>
  new EngineError(
    'conflict',
    `Effort ${id} already has the plan of ${skill}, so there is nothing to accept.`,
    {
      field: 'effort_id',
      hint: `holdfast effort show ${id}`,
    },
  )

function cannotAccept({ id, skill, task_id }: Effort, obstacle: Obstacle, isRunbook: boolean): EngineError {
  switch (obstacle.kind) {
    case 'gone':
      return new EngineError(
        'conflict',
        `The files of skill ${skill} are gone, so there is no plan to accept. Restore them, or give the effort up.`,
        { field: 'effort_id', hint: `holdfast effort finish ${id} --abandon WHY` },
      )
    case 'untrusted':
      return new EngineError(
        'conflict',
        `The code of the workflow of ${skill} is not trusted as it is now, so there is no plan to accept. Trust it, or undo the edit.`,
        { field: 'effort_id', hint: `holdfast skill trust ${shellWord(skill)}` },
      )
    case 'errors':
      return new EngineError(
        'conflict',
        `The edited plan of ${skill} has errors (${obstacle.codes.join(', ')}). Fix them, then accept it.`,
        { field: 'effort_id', hint: `holdfast skill check ${shellWord(obstacle.folder)}` },
      )
    case 'lost':
      return new EngineError(
        'conflict',
        `The edited plan of ${skill} has none of the steps that effort ${id} has done (${listed(obstacle.visited, ROOM)}), so all its progress would be lost. Start another effort and accept the edit for that one, or undo the edit.`,
        {
          field: 'effort_id',
          hint: isRunbook
            ? `holdfast effort finish ${id} --abandon WHY && holdfast runbook next ${shellWord(task_id)} --again`
            : startOn(task_id, skill),
        },
      )
    default:
      return obstacle satisfies never
  }
}

const ROOM = 300
