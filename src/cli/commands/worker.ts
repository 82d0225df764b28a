import type { BodyView } from '../../engine/work/view.ts'
import { counted } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { integration } from '../work/branches.ts'
import { commandIn, newWorker, startWorkers } from '../work/start-workers.ts'
import { WORKER_LEASE } from '../../model/work/lease.ts'
import { USUAL_MINUTES, workUntilOver } from '../work/worker.ts'
import { bodyOf, EFFORT_FLAG } from './work.ts'

export const MOST_WORKERS = 64

export const RUN_FLAGS = {
  command: { kind: 'value', summary: 'the command that does an item; it gets the prompt as input' },
  minutes: { kind: 'value', summary: `how long one try may take (default: ${USUAL_MINUTES})` },
  lease: {
    kind: 'value',
    summary: `seconds without a sign of life until others take its item (default: ${WORKER_LEASE})`,
  },
  ...EFFORT_FLAG,
} as const

export interface ToldWorker {
  readonly worker: string
  readonly status: string
  readonly item: string | null
  readonly branch: string | null
  readonly pid: number | null
  readonly is_here: boolean
  readonly reason: string | null
  readonly stop_asked: boolean
  readonly seen_at: string | null
}

export const workerStart: Command = {
  name: 'worker start',
  summary:
    'Start worker processes that do the items of a body of work, each item in a git worktree of its own.',
  usage: '',
  flags: { count: { kind: 'value', summary: 'how many workers (default: 1)' }, ...RUN_FLAGS },
  examples: [`holdfast worker start --count 4 --command 'my-agent --headless'`],
  async run(io, { values }) {
    const count = numberOf(values['count'] ?? '1', '--count')
    if (count < 1 || count > MOST_WORKERS)
      throw usage(
        `Start between 1 and ${MOST_WORKERS} workers.`,
        'holdfast worker start --count 4 --command COMMAND',
      )
    const command = commandIn(values, 'worker start')
    using remote = new Remote(io)
    const body = await remote.call<BodyView>('work.list', { ...bodyOf(io, values), limit: 1 })
    const { effort_id } = body
    const workers = await startWorkers(io, remote, body, { count, command, values })
    const branch = integration({ effort_id })
    printResult(
      io,
      { effort_id, workers, branch },
      () =>
        `Started ${counted(count, 'worker')} for effort ${effort_id}: ${workers.join(', ')}. What they do is merged into the branch ${branch}. See them: holdfast worker list --effort ${effort_id}`,
    )
    return 0
  },
}

export const workerRun: Command = {
  name: 'worker run',
  summary: 'Be a worker in this process, until nothing is left to do.',
  usage: '[WORKER]',
  places: { '[WORKER]': 'what it is called (default: a new name)' },
  flags: RUN_FLAGS,
  async run(io, { positionals: [name], values }) {
    const command = commandIn(values, 'worker run')
    using remote = new Remote(io)
    const { effort_id } = await remote.call<BodyView>('work.list', { ...bodyOf(io, values), limit: 1 })
    const worker = name ?? newWorker(effort_id)
    const ending = new AbortController()
    const end = () => ending.abort()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
    const wanted = {
      worker,
      effort_id,
      command,
      minutes: numberOf(values['minutes'] ?? `${USUAL_MINUTES}`, '--minutes'),
      lease: numberOf(values['lease'] ?? `${WORKER_LEASE}`, '--lease'),
    }
    const ended = await workUntilOver(io, remote, wanted, ending.signal)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end)
    printResult(
      io,
      { worker, effort_id, ended },
      () =>
        `Worker ${worker} did ${counted(ended, 'item')}. See the report: holdfast work list --effort ${effort_id}`,
    )
    return 0
  },
}

export const workerList: Command = {
  name: 'worker list',
  summary: 'List the workers of a body of work, with what each does and when it was last heard of.',
  usage: '',
  flags: EFFORT_FLAG,
  async run(io, { values }) {
    using remote = new Remote(io)
    const workers = await remote.call<readonly ToldWorker[]>('worker.list', bodyOf(io, values))
    printResult(io, workers, () =>
      workers.length === 0
        ? 'No workers yet. Start one: holdfast worker start --command COMMAND'
        : rowsOf(io, workers),
    )
    return 0
  },
}

const rowsOf = (io: Io, workers: readonly ToldWorker[]): string =>
  table(
    io,
    workers.map(
      ({ worker, status, item, branch, pid, is_here: isHere, reason, stop_asked: asked, seen_at }) => ({
        worker,
        state: status === 'running' && asked ? 'stopping' : status,
        item,
        branch,
        pid: isHere ? pid : null,
        seen: seen_at === null ? null : relativeTime(seen_at),
        why: reason,
      }),
    ),
    { short: ['branch'], cut: ['why'] },
  )

export const workerStop: Command = {
  name: 'worker stop',
  summary: 'Stop workers: each gives its item back, which costs no try, and ends.',
  usage: '[WORKER]',
  places: { '[WORKER]': 'the worker (default: all of the body of work)' },
  flags: EFFORT_FLAG,
  async run(io, { positionals: [name], values }) {
    using remote = new Remote(io)
    const running = async () =>
      (await remote.call<readonly ToldWorker[]>('worker.list', bodyOf(io, values)))
        .filter(({ status }) => status === 'running')
        .map(({ worker }) => worker)
    const names = name === undefined ? await running() : [name]
    const stopped: ToldWorker[] = []
    for (const worker of names) stopped.push(await remote.call<ToldWorker>('worker.stop', { worker }))
    printResult(io, stopped, () =>
      stopped.length === 0
        ? 'No worker is running.'
        : `Asked to stop: ${names.join(', ')}. They end within a few seconds.`,
    )
    return 0
  },
}
