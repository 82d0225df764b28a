import { expect, test, vi } from 'vitest'
import { sharedPostgres } from '../shared.ts'
import { createDatabase } from '../postgres.ts'
import { type Ask, readsStep } from '../landed/furnish.ts'
import { askAgain, Landed } from '../landed/landed.ts'
import { upgradeRun } from '../torture/upgrade.ts'

// Many processes on a busy machine take time.
vi.setConfig({ testTimeout: 600_000 })

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)

/** Since 0.2.0 the session gate is a boolean. Since 0.3.0 ledger entries have our number of a session and the owner of their effort. */
const asToday = (answers: readonly unknown[]): readonly unknown[] =>
  JSON.parse(
    JSON.stringify(answers)
      .replaceAll(/"session_gate":([01])/g, (_, gate) => `"session_gate":${gate === '1'}`)
      .replaceAll(/"session_id":"(\d+)"/g, '"session_id":"landed-open","window_id":$1')
      .replaceAll('"session_id":""', '"session_id":"","window_id":null')
      .replaceAll(/("effort_id":6,"project_id":\d+,"agent_id":)null/g, '$1"heron"'),
  ) as unknown[]

/** The current program continues where the older one stopped. */
async function goesOn(ask: Ask, project: string, answers: readonly unknown[]): Promise<void> {
  expect(await askAgain(ask, project)).toMatchObject(asToday(answers))
  const read = (step: string) => ask('hooks.handle', readsStep(project, step))
  expect(await read('do')).toMatchObject({ decision: 'block' })
  expect(await read('think')).toMatchObject({ decision: 'allow' })
  // An approval changes the order only, so the user waives the proof as well.
  await ask('db.effort.approve', { effort_id: 6, subject: 'tests', reason: 'A demo is due.' })
  const proof = { blocks: 0 }
  expect(await ask('db.effort.phase', { effort_id: 6, label: '2', proof })).toMatchObject({
    current_phase: '2: Ship',
  })
  const [session] = (await ask('db.session.find', { native_id: 'landed-open' })) as { effort_id: number }[]
  expect(session?.effort_id).toBe(9)
}

// INV_ACK_IS_DURABLE
test.each(['SQLite', 'PostgreSQL'])(
  `a %s database of 0.1.0 opens under load: no old row and no acknowledged change is lost (seed ${SEED})`,
  async (kind) => {
    const url = kind === 'SQLite' ? undefined : await createDatabase(await sharedPostgres())
    const landed = new Landed({ version: '0.1.0', goesOn, ...(url !== undefined && { url }) })
    const report = await upgradeRun({ upgrades: 2, clients: 12, seed: SEED, landed, log: () => undefined })
    expect(report.violations).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(50)
    for (const [route, { acknowledged }] of Object.entries(report.hooks))
      expect([route, acknowledged]).toEqual([route, expect.toSatisfy((count: number) => count > 0)])
  },
)
