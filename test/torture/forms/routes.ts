import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const routes = form({
  name: 'routes',
  summary: 'every way to a step runs in bash; the normal tests run a part of them',
  options: {},
  run: () => vitest('test/routes', { HOLDFAST_ROUTES: 'all' }),
})
