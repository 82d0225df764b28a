import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const longRun = form({
  name: 'long-run',
  summary: 'a daemon on the traces of years: stale sessions and many ledger entries',
  options: { entries: 1_000_000 },
  run: ({ entries }) => vitest('test/flows/long-run', { HOLDFAST_ENTRIES: String(entries) }),
})
