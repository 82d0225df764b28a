import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const faults = form({
  name: 'faults',
  summary: 'every statement and disk operation fails in turn; the normal PostgreSQL tests use a sample',
  options: {},
  run: () => vitest('src/engine/methods/commands-faults.test.ts', { HOLDFAST_FAULTS: 'all' }),
})
