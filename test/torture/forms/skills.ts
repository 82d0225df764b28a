import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const skills = form({
  name: 'skills',
  summary:
    'every skill that we ship, rehearsed by its agents, and every workflow walked on every path; the normal tests rehearse two',
  options: {},
  run: () => vitest('test/flows/skill-test', { HOLDFAST_SKILLS: 'all' }, 'test/flows/workflow-walks'),
})
