import { upgradeRun } from '../upgrade.ts'
import { form, SEED } from './form.ts'

export const upgrade = form({
  name: 'upgrade',
  summary: 'replaces the daemon with newer versions under constant calls and hooks',
  options: { upgrades: 100, clients: 32, seed: SEED },
  async run(given) {
    const { violations, hooks, ...counts } = await upgradeRun(given)
    console.table(hooks)
    return { violations, counts }
  },
})
