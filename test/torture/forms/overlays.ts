import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const overlays = form({
  name: 'overlays',
  summary: 'every overlay of the package, by every agent and every way; the normal tests walk a third',
  options: {},
  run: () => vitest('test/overlays', { HOLDFAST_OVERLAYS: 'all' }),
})
