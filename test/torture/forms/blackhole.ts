import { ENTRY } from '../../holdfast.ts'
import { startPostgres } from '../../postgres.ts'
import { blackholeRun } from '../blackhole.ts'
import { form, SEED } from './form.ts'

const MOST_HOOK_MILLISECONDS = 2000
const MOST_HOOK_MILLISECONDS_WHILE_OPEN = 300

export const blackhole = form({
  name: 'blackhole',
  summary: 'the network of a PostgreSQL fails in every way; no hook may wait for it',
  options: { minutes: 30, clients: 32, seed: SEED, daemon: ENTRY },
  async run({ minutes, ...given }) {
    const until = Date.now() + minutes * 60_000
    const server = await startPostgres({ volatile: true })
    const { violations, ...counts } = await blackholeRun({
      ...given,
      url: server.url,
      isOver: () => Date.now() > until,
      patienceMilliseconds: 20_000,
      longestMilliseconds: 20_000,
      calm: 200,
    }).finally(() => server.stop())
    const { slowestHook, slowestHookWhileOpen } = counts
    const slow = [
      ...(slowestHook > MOST_HOOK_MILLISECONDS ? [`a hook took ${slowestHook} ms`] : []),
      ...(slowestHookWhileOpen > MOST_HOOK_MILLISECONDS_WHILE_OPEN
        ? [`a hook took ${slowestHookWhileOpen} ms while the breaker was open`]
        : []),
    ]
    return { violations: [...violations, ...slow], counts }
  },
})
