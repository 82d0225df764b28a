import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effort } from '../src/model/effort.ts'
import type { Project } from '../src/model/project.ts'
import { tokensOf } from '../src/model/recap.ts'
import { scaffold } from '../src/skills/scaffold.ts'
import { findEffort } from '../src/store/effort.ts'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import { withFolder } from './processes.ts'
import { openStage, type Stage } from './store.ts'

const EFFORTS = 50
const ENTRIES = 10_000
const BUDGET = 3000

/** The recap of a task with a long history, against one indexed read through the same store. */
export function recap(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const stage = await openStage(join(folder, 'recap'))
    const [few, many] = [await longTask(stage, folder, 1), await longTask(stage, folder, EFFORTS)]
    fill(stage, many, ENTRIES)
    const ask = (id: number) => stage.call('db.effort.recap', { effort_id: id, budget: BUDGET })
    const { text } = (await ask(many)) as { text: string }
    if (text === '' || tokensOf(text) > BUDGET) throw new Error('The recap is empty or exceeds its budget.')
    const times = await race(
      { rounds, calls: 1000, turns: 10, warmUp: 200 },
      {
        read: timed(() => stage.store.transact((tx) => findEffort(tx, { id: many }), { reads: true })),
        few: timed(() => ask(few)),
        many: timed(() => ask(many)),
      },
    )
    await stage.store.close()
    const line = { name: 'recap', against: 'one indexed read', baseline: times.read }
    return [
      compared({ ...line, what: 'task with 1 effort', times: times.few }),
      compared({
        ...line,
        what: `task with ${EFFORTS} efforts, ${ENTRIES} ledger rows`,
        times: times.many,
        // It also asks the disk which files exist.
        target: atMost(120),
      }),
      compared({
        name: 'recap',
        what: 'long history',
        times: times.many,
        against: 'short history',
        baseline: times.few,
        target: atMost(4),
      }),
    ]
  })
}

/** Starts this many efforts on a task, every other one finished; returns the last one. */
async function longTask(stage: Stage, folder: string, count: number): Promise<number> {
  const project = join(folder, `project-${count}`)
  for (const [path, text] of Object.entries(scaffold('ship', 'steps'))) {
    const file = join(project, '.claude', 'skills', 'ship', path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
  const { id } = (await stage.call('db.project.upsert', { path: project })) as Project
  await stage.call('db.task.upsert', { dir_path: project })
  await stage.call('agent.skills.list', { project_id: id })
  let last = 0
  for (let index = 0; index < count; index++) {
    if (index % 2 === 1)
      await stage.call('db.effort.finish', { effort_id: last, abandon: 'no longer needed' })
    last = ((await stage.call('db.effort.start', { task_id: project, skill: 'ship' })) as Effort).id
    const payload = { summary: 'S '.repeat(500), nextSteps: ['a', 'b'], userHistory: 'U '.repeat(2000) }
    await stage.call('db.effort.dehydrate', { effort_id: last, payload })
    await stage.call('queue.add', { effort_id: last, content: `Item ${index}` })
  }
  return last
}

function fill({ handle }: Stage, effort: number, count: number): void {
  handle.exec(`insert into life_event (id, skill, phase, event_type, window_id, effort_id, payload)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select 'recap-' || i, 'ship', '1', 'step.visited', 1, ${effort}, '{}' from n`)
  handle.exec('pragma wal_checkpoint(truncate); analyze')
}
