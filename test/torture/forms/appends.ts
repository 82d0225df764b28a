import { ENTRY } from '../../holdfast.ts'
import { startPostgres } from '../../postgres.ts'
import { appendsRun } from '../appends.ts'
import { form, linesOf, SEED } from './form.ts'

export const appends = form({
  name: 'appends',
  summary: 'two daemons on one database and one disk',
  options: { appends: 24_000, callers: 20, seed: SEED, daemon: ENTRY },
  async run(given) {
    const server = await startPostgres()
    const url = await server.createDatabase()
    const { violations, ...counts } = await appendsRun({ ...given, url }).finally(() => server.stop())
    return { violations: linesOf(violations), counts }
  },
})
