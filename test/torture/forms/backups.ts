import { backupsRun } from '../backups.ts'
import { form, SEED } from './form.ts'

export const backups = form({
  name: 'backups',
  summary: 'kills processes in the middle of backups, then of restores',
  options: { kills: 2000, seed: SEED },
  async run(given) {
    const violations: string[] = []
    for (const work of ['backup', 'restore'] as const) {
      const { violations: found, ...counts } = await backupsRun({ ...given, work })
      given.log(`${work}: ${JSON.stringify(counts)}`)
      violations.push(...found)
    }
    return { violations }
  },
})
