import { join } from 'node:path'
import { atMost, compared, race, type Row } from './measure.ts'
import { homeIn, withDaemon, withFolder } from './processes.ts'
import { hooks, openStage, setDurability, type Stage } from './store.ts'

export const MANY = 1_000_000
const LISTS = 2000

/** A long history must not slow down hooks. */
export function ledger(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const long = homeIn(folder).HOLDFAST_HOME
    const stages = { few: await openStage(join(folder, 'few')), many: await openStage(long) }
    fill(stages.few, 10)
    fill(stages.many, MANY)
    const rows: Row[] = []
    for (const level of ['full', 'normal'] as const) {
      setDurability([stages.few, stages.many], level)
      const times = await race(
        { rounds, calls: level === 'full' ? 3000 : 10_000, turns: 20, warmUp: 2000 },
        { few: hooks(stages.few), many: hooks(stages.many) },
      )
      rows.push(
        compared({
          name: 'ledger',
          what: `hook-sized, ${MANY} rows, ${level.toUpperCase()}`,
          times: times.many,
          against: '10 rows',
          baseline: times.few,
          target: atMost(1.2),
        }),
      )
    }
    await stages.few.store.close()
    await stages.many.store.close()
    return [...rows, await memoryRow(folder)]
  })
}

/** Fills the ledger with this many rows, most of them of ended sessions. */
export function fill({ handle, efforts }: Stage, count: number): void {
  handle.exec(`insert into life_event (id, skill, phase, event_type, window_id, effort_id, payload)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select 'filled-' || i, 'implement', '1', 'phase.entered', i % 2000, ${efforts[0]} + i % ${efforts.length},
      '{"from":"0: Setup","proof":{"done":"all tests pass and the reviewer agreed"}}' from n`)
  handle.exec('pragma wal_checkpoint(truncate)')
}

/** The memory of a daemon after it has listed the long history. */
async function memoryRow(folder: string): Promise<Row> {
  const bytes = await withDaemon(folder, async (line) => {
    for (let index = 0; index < LISTS; index++)
      await line.call('ledger.list', { limit: 100, before: MANY - index * 100 })
    const status = (await line.call('daemon.status')) as { memory_bytes: number }
    return status.memory_bytes
  })
  return {
    name: 'ledger',
    what: `memory after ${LISTS} lists of ${MANY} rows`,
    unit: 'MB',
    p50: bytes / 1024 ** 2,
    target: atMost(120),
  }
}
