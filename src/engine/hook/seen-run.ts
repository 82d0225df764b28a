import type { HookEvent } from '../../model/event.ts'
import type { SeenRun } from '../../model/plan/evidence.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { demandingPlans } from '../../store/skill.ts'
import type { Context } from '../call/context.ts'

/** Which commands that the plan of the session names an event has seen to their end, in the root of the project. */
export async function seenRuns(context: Context, event: HookEvent): Promise<readonly SeenRun[]> {
  const ended = endedCommand(event)
  const { session, cwd } = event
  if (ended === undefined || session === undefined || cwd === undefined) return []
  const rows = await context.store.transact((tx) => demandingPlans(tx, { native_id: session }), {
    reads: true,
  })
  const folder = rows.length === 0 ? '' : await context.files.canonical(cwd).catch(() => '')
  const runs = rows
    .filter(({ root }) => root === folder)
    .flatMap(({ effort_id, root, plan }) => {
      const demands = Object.entries((JSON.parse(plan ?? '{}') as Partial<Plan>).demands ?? {})
      return (
        demands
          .filter(([, demand]) => demand.command === ended.command)
          // What must be proved is not helped by having been seen; that it failed is news for every rank.
          .filter(([, demand]) => !ended.passed || demand.rank === 'observed')
          .map(([name, { covers }]) => ({ effort_id, root, name, covers, ...ended }))
      )
    })
  return await Promise.all(runs.map(({ root, ...run }) => withDigest(context, root, run)))
}

/** An interrupted command says nothing, and neither does one that goes on in the background. */
function endedCommand(event: HookEvent): { readonly command: string; readonly passed: boolean } | undefined {
  if (event.subagent !== undefined || (event.kind !== 'tool.after' && event.kind !== 'tool.failed'))
    return undefined
  const { does } = event.tool
  const isOver = event.kind === 'tool.after' ? event.tool.ended : !event.interrupted
  return does.kind === 'command' && isOver
    ? { command: does.command.trim(), passed: event.kind === 'tool.after' }
    : undefined
}

async function withDigest({ files }: Context, root: string, run: Omit<SeenRun, 'digest'>): Promise<SeenRun> {
  if (run.covers.length === 0 || !run.passed) return { ...run, digest: null }
  // What cannot be read now is not what it will be: the record is stale from the beginning.
  const covered = await files.digest({ root, patterns: run.covers }).catch(() => undefined)
  return { ...run, digest: covered?.digest ?? '' }
}
