import { ENTRY } from '../../holdfast.ts'
import { crashRun } from '../crash.ts'
import { form, linesOf, SEED } from './form.ts'

export const crash = form({
  name: 'crash',
  summary: 'kills daemons under constant calls and hooks',
  options: { kills: 2000, clients: 32, seed: SEED, daemon: ENTRY },
  async run(given) {
    const hookClients = Math.ceil(given.clients / 4)
    const { violations, ...counts } = await crashRun({ ...given, hookClients })
    return { violations: linesOf(violations), counts }
  },
})
