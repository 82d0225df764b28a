import type { HookEvent } from '../../../model/event.ts'
import { type Demands, isExpected, type SeenRun } from '../../../model/plan/evidence.ts'
import type { Plan } from '../../../model/plan/plan.ts'
import { hasVariables } from '../../../model/plan/plan-for.ts'
import { fillVariables } from '../../../model/plan/variables.ts'
import type { Tx } from '../../../store/query.ts'
import { demandingPlans } from '../../../store/skill.ts'
import type { Context } from '../../call/context.ts'
import { variablesOf } from '../../plan/progress.ts'
import { digestsOf } from '../../plan/recorded.ts'
import type { Look } from './look.ts'
import { recordsAround } from './records.ts'

/** Commands of the plan that ended with this event, in the root of the project. */
export const seen: Look = {
  isOfSession: true,
  ask({ context, event }) {
    const ended = endedCommand(event)
    const { session = '', cwd } = event
    if (ended === undefined || cwd === undefined) return undefined
    return async (tx) => {
      const runs = await runsIn(tx, await demandingPlans(tx, { native_id: session }), ended)
      const records = runs.length === 0 ? undefined : await recordsAround(tx, session)
      return async () => {
        const folder = runs.length === 0 ? '' : await context.files.canonical(cwd).catch(() => '')
        const here = runs.filter(({ root }) => root === folder)
        if (here.length === 0 || records === undefined) return {}
        const digests = await digestsOf(context, records)
        return { seen: await Promise.all(here.map((run) => withDigest(context, run))), digests }
      }
    }
  },
}

/** A command with whether it exited with 0. */
interface Ended {
  readonly command: string
  readonly isZero: boolean
}
type Run = Omit<SeenRun, 'digest'> & { readonly root: string }

async function runsIn(
  tx: Tx,
  rows: Awaited<ReturnType<typeof demandingPlans>>,
  ended: Ended,
): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (const { effort_id, root, plan } of rows)
    for (const [name, demand] of Object.entries(await demandsOf(tx, effort_id, plan))) {
      const passed = isExpected(demand, ended.isZero)
      // A demand for proof ignores an observed success, but a failure counts for every rank.
      if (demand.command !== ended.command || (passed && demand.rank !== 'observed')) continue
      const { covers, expect } = demand
      const { command } = ended
      runs.push({ effort_id, root, name, command, covers, ...(expect !== undefined && { expect }), passed })
    }
  return runs
}

async function demandsOf(tx: Tx, effortId: number, written: string | null): Promise<Demands> {
  const plan = written === null ? undefined : (JSON.parse(written) as Plan)
  if (plan?.demands === undefined || !hasVariables(plan)) return plan?.demands ?? {}
  const values = { ...plan.variables, ...(await variablesOf(tx, effortId)) }
  return fillVariables(plan, values).demands ?? {}
}

/** Interrupted and background commands have no outcome. */
function endedCommand(event: HookEvent): Ended | undefined {
  if (event.kind !== 'tool.after' && event.kind !== 'tool.failed') return undefined
  const { does } = event.tool
  const isOver = event.kind === 'tool.after' ? event.tool.ended : !event.interrupted
  return does.kind === 'command' && isOver
    ? { command: does.command.trim(), isZero: event.kind === 'tool.after' }
    : undefined
}

async function withDigest({ files }: Context, { root, ...run }: Run): Promise<SeenRun> {
  if (run.covers.length === 0 || !run.passed) return { ...run, digest: null }
  // If the files are unreadable, the record is stale from the start.
  const covered = await files.digest({ root, patterns: run.covers }).catch(() => undefined)
  return { ...run, digest: covered?.digest ?? '' }
}
