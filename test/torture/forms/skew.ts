import { isDeepStrictEqual } from 'node:util'
import { ENTRY } from '../../holdfast.ts'
import { startPostgres } from '../../postgres.ts'
import { meeting, UNHARMED } from '../../skewed-machine.ts'
import { Random } from '../random.ts'
import { form, SEED } from './form.ts'

const MOST_MINUTES = 24 * 60

export const skew = form({
  name: 'skew',
  summary: 'two machines on one database, whose clocks differ by up to two days',
  options: { meetings: 100, seed: SEED, daemon: ENTRY },
  async run({ meetings, seed, daemon, log }) {
    const server = await startPostgres()
    const random = new Random(seed)
    const violations: string[] = []
    const minutes = () => random.below(2 * MOST_MINUTES + 1) - MOST_MINUTES
    for (let count = 1; count <= meetings && violations.length === 0; count++) {
      const clocks = [minutes(), minutes()] as const
      const found = await meeting({ database: await server.createDatabase(), daemon }, clocks)
      if (!isDeepStrictEqual(found, UNHARMED))
        violations.push(`clocks ${clocks.join(' and ')} minutes ahead: ${JSON.stringify(found)}`)
      if (count % 10 === 0) log(`${count} meetings`)
    }
    await server.stop()
    return { violations, counts: { meetings } }
  },
})
