import { join } from 'node:path'
import { call } from '../src/engine/call/call.ts'
import {
  atMost,
  compared,
  type Contender,
  over,
  p50,
  p99,
  p999,
  race,
  ratioOf,
  type Row,
  type Times,
  timed,
} from './measure.ts'
import { withFolder } from './processes.ts'
import {
  caller,
  hook,
  hooks,
  inTurn,
  natives,
  onceId,
  openStage,
  raw,
  recording,
  setDurability,
  type Stage,
} from './store.ts'

/** A hook-sized transaction and whole calls, against the same SQL without the engine. */
export function transaction(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const [ours, theirs] = [await openStage(join(folder, 'ours')), await openStage(join(folder, 'theirs'))]
    const contenders = {
      raw: rested(theirs, await rawHooks(theirs)),
      store: rested(ours, hooks(ours)),
      rawAppend: rested(theirs, await rawCalls(theirs, append)),
      append: rested(ours, calls(ours, append)),
      rawPhase: rested(theirs, await rawCalls(theirs, phase)),
      phase: rested(ours, calls(ours, phase)),
    }
    const plan = { rounds, turns: 20, warmUp: 2000 }
    const full = await race({ ...plan, calls: 4000 }, contenders)
    const { straight } = await race({ rounds, turns: 1, calls: 12_000 }, { straight: hooks(ours) })
    setDurability([ours, theirs], 'normal')
    const normal = await race({ ...plan, calls: 12_000 }, contenders)
    await ours.store.close()
    await theirs.store.close()
    return [...rowsOf('FULL', full), ...rowsOf('NORMAL', normal), tailRow(straight)]
  })
}

type Results = Readonly<
  Record<'raw' | 'store' | 'rawAppend' | 'append' | 'rawPhase' | 'phase', readonly Times[]>
>

function rowsOf(level: string, times: Results): Row[] {
  const row = (what: string, ours: readonly Times[], raws: readonly Times[], most: number) =>
    compared({
      name: 'transaction',
      what: `${what}, ${level}`,
      times: ours,
      against: 'raw statements',
      baseline: raws,
      target: atMost(most),
    })
  return [
    row('hook-sized, through the store', times.store, times.raw, 2),
    row('whole call of db.messages.append', times.append, times.rawAppend, 1.5),
    row('whole call of db.effort.phase', times.phase, times.rawPhase, 1.5),
  ]
}

/** Includes the checkpoints of a daemon that is never idle. */
const tailRow = (times: readonly Times[]): Row => ({
  name: 'transaction',
  what: 'hook-sized, FULL, p99.9 over p50',
  unit: 'µs',
  p50: over(times, p50),
  p99: over(times, p99),
  ratio: ratioOf(times, times, { of: p999 }),
  target: atMost(30),
})

/** Both sides start each turn with an empty log, because its length would dominate the times. */
function rested({ handle }: Stage, contender: Contender): Contender {
  return async (count) => {
    handle.exec('pragma wal_checkpoint(passive)')
    return await contender(count)
  }
}

async function rawHooks({ store, handle }: Stage): Promise<Contender> {
  const all: (() => void)[] = []
  for (const native of natives) {
    const watched = recording(store)
    await watched.store.transact(hook(native, onceId))
    all.push(raw(handle, watched.statements))
  }
  const next = inTurn(all)
  return timed(() => next()())
}

type Request = (
  stage: Stage,
  step: number,
  key: string,
) => { readonly method: string; readonly params: object }

/** From the request text to the reply text. */
function calls(stage: Stage, request: Request): Contender {
  const { context } = stage
  let step = 0
  return timed(
    async (text) => {
      const { method, params } = JSON.parse(text) as ReturnType<Request>
      return JSON.stringify(await call(context, method, params, caller))
    },
    () => JSON.stringify(request(stage, ++step, context.newId())),
  )
}

async function rawCalls(stage: Stage, request: Request): Promise<Contender> {
  const all: (() => void)[] = []
  for (const step of stage.efforts.keys()) {
    const watched = recording(stage.store)
    const { method, params } = request(stage, step + 1, onceId())
    await call({ ...stage.context, store: watched.store, newId: onceId }, method, params, caller)
    all.push(raw(stage.handle, watched.statements))
  }
  const next = inTurn(all)
  return timed(() => next()())
}

/** Each call enters a new sub-phase, so that every call changes something. */
const phase: Request = ({ efforts }, step, key) => ({
  method: 'db.effort.phase',
  params: {
    effort_id: efforts[step % efforts.length],
    label: `1.${step}: Bench`,
    proof: { done: 'all tests pass and the reviewer agreed', files: ['src/a.ts', 'src/b.ts'] },
    idempotency_key: key,
  },
})

const append: Request = ({ efforts }, step, key) => ({
  method: 'db.messages.append',
  params: {
    session_id: 1 + (step % efforts.length),
    role: 'tool',
    tool_name: 'Bash',
    content: 'All tests pass. '.repeat(30),
    idempotency_key: key,
  },
})
