import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyView } from '../../engine/work/view.ts'
import { counted } from '../../model/text/line.ts'
import { USUAL_WORKERS, workersFor } from '../../model/work/shape.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { integration } from '../work/branches.ts'
import { importPlan } from '../work/import-plan.ts'
import { readPlanFile } from '../work/plan-file.ts'
import { bodyText, progressLine } from '../work/screen.ts'
import { commandIn, startWorkers } from '../work/start-workers.ts'
import { bodyOf, workImport } from './work.ts'
import { MOST_WORKERS, RUN_FLAGS, type ToldWorker } from './worker.ts'

const LOOK_MILLISECONDS = 500
/** A worker that was not heard of for so long is gone, whatever its row says. */
const SILENT_MILLISECONDS = 120_000

export const implement: Command = {
  name: 'implement',
  summary: 'Do a plan, or a body of work, with worker processes, and show how far they are.',
  usage: '[PLAN|EFFORT]',
  places: {
    '[PLAN|EFFORT]': 'a file of a plan, or the number of a body of work (default: that of the project)',
  },
  flags: {
    workers: { kind: 'value', summary: `how many workers at most (default: ${USUAL_WORKERS})` },
    dry_run: { kind: 'switch', summary: 'only show the items of the plan and what they wait for' },
    detach: { kind: 'switch', summary: 'start the workers and return' },
    stop: { kind: 'switch', summary: 'Ctrl-C stops the workers too' },
    ...RUN_FLAGS,
  },
  examples: [`holdfast implement PLAN.md --workers 4 --command 'my-agent --headless'`],
  async run(io, given) {
    const {
      positionals: [word],
      values,
      switches,
    } = given
    const isNumber = word !== undefined && /^\d+$/.test(word)
    if (switches.has('dry_run') && word !== undefined && !isNumber)
      return await workImport.run(io, { positionals: [word], values: {}, switches: new Set(['dry_run']) })
    const most = numberOf(values['workers'] ?? `${USUAL_WORKERS}`, '--workers')
    if (most < 1 || most > MOST_WORKERS)
      throw usage(
        `Use between 1 and ${MOST_WORKERS} workers.`,
        'holdfast implement PLAN.md --workers 4 --command COMMAND',
      )
    using remote = new Remote(io)
    const named = isNumber ? { ...bodyOf(io, values), effort_id: Number(word) } : bodyOf(io, values)
    const where =
      word === undefined || isNumber
        ? named
        : { effort_id: (await importPlan(io, remote, readPlanFile(io, word), named)).effort_id }
    const look = () => remote.call<BodyView>('work.list', { ...where, limit: 1000 })
    const body = await look()
    if (body.over || switches.has('dry_run')) return report(io, body)
    const { open, waiting, taken } = body.counts
    const count = workersFor(open + waiting + taken, most)
    const command = commandIn(values, `implement ${word ?? ''}`.trim())
    const workers = await startWorkers(io, remote, body, { count, command, values })
    const { effort_id } = body
    if (switches.has('detach')) {
      printResult(
        io,
        { effort_id, workers, branch: integration({ effort_id }) },
        () =>
          `Started ${counted(count, 'worker')} for effort ${effort_id}. See how far they are: holdfast work list --effort ${effort_id}`,
      )
      return 0
    }
    return await watch(io, remote, { effort_id, stops: switches.has('stop') })
  },
}

function report(io: Io, body: BodyView): number {
  printResult(io, body, () => bodyText(io, body))
  return body.over && body.parked !== null ? 1 : 0
}

/** Shows how far the workers are, until nothing goes on; Ctrl-C leaves them at work, or stops them. */
async function watch(
  io: Io,
  remote: Remote,
  { effort_id, stops }: { effort_id: number; stops: boolean },
): Promise<number> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  process.once('SIGINT', leave)
  const begun = Date.now()
  let shown = ''
  try {
    for (;;) {
      const body = await remote.call<BodyView>('work.list', { effort_id, limit: 1000 })
      const workers = await remote.call<readonly ToldWorker[]>('worker.list', { effort_id })
      const busy = workers.filter(isAtWork)
      const line = [
        progressLine(body),
        ...busy.flatMap(({ worker, item }) => (item === null ? [] : [`${worker}: ${item}`])),
      ].join(' | ')
      if (io.draw !== undefined) io.draw(line)
      else if (line !== shown) io.note(line)
      shown = line
      // Its workers need a moment to begin.
      const isLeft = busy.length === 0 && Date.now() - begun > SILENT_MILLISECONDS
      if (body.over || isLeft || leaving.signal.aborted) {
        io.draw?.('')
        if (!leaving.signal.aborted) return report(io, body)
        if (stops) for (const { worker } of busy) await remote.call('worker.stop', { worker })
        io.note(
          stops
            ? 'Asked the workers to stop.'
            : `The workers go on. To stop them: holdfast worker stop --effort ${effort_id}`,
        )
        return 130
      }
      await sleep(LOOK_MILLISECONDS)
    }
  } finally {
    process.removeListener('SIGINT', leave)
  }
}

const isAtWork = ({ status, seen_at }: ToldWorker): boolean =>
  status === 'running' && seen_at !== null && Date.now() - Date.parse(seen_at) < SILENT_MILLISECONDS
