import type { HookEvent } from '../../../model/event.ts'
import type { SeenRun } from '../../../model/plan/evidence.ts'
import type { Plan } from '../../../model/plan/plan.ts'
import { demandingPlans } from '../../../store/skill.ts'
import type { Context } from '../../call/context.ts'
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
      const runs = runsIn(await demandingPlans(tx, { native_id: session }), ended)
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

type Ended = Pick<SeenRun, 'command' | 'passed'>
type Run = Omit<SeenRun, 'digest'> & { readonly root: string }

const runsIn = (rows: Awaited<ReturnType<typeof demandingPlans>>, ended: Ended): readonly Run[] =>
  rows.flatMap(({ effort_id, root, plan }) => {
    const demands = Object.entries((JSON.parse(plan ?? '{}') as Partial<Plan>).demands ?? {})
    return (
      demands
        .filter(([, demand]) => demand.command === ended.command)
        // A demand for proof ignores an observed success, but a failure counts for every rank.
        .filter(([, demand]) => !ended.passed || demand.rank === 'observed')
        .map(([name, { covers }]) => ({ effort_id, root, name, covers, ...ended }))
    )
  })

/** Interrupted and background commands have no outcome. */
function endedCommand(event: HookEvent): Ended | undefined {
  if (event.kind !== 'tool.after' && event.kind !== 'tool.failed') return undefined
  const { does } = event.tool
  const isOver = event.kind === 'tool.after' ? event.tool.ended : !event.interrupted
  return does.kind === 'command' && isOver
    ? { command: does.command.trim(), passed: event.kind === 'tool.after' }
    : undefined
}

async function withDigest({ files }: Context, { root, ...run }: Run): Promise<SeenRun> {
  if (run.covers.length === 0 || !run.passed) return { ...run, digest: null }
  // If the files are unreadable, the record is stale from the start.
  const covered = await files.digest({ root, patterns: run.covers }).catch(() => undefined)
  return { ...run, digest: covered?.digest ?? '' }
}
