import { form } from './form.ts'
import { vitest } from './vitest.ts'

export const skills = form({
  name: 'skills',
  summary:
    'every workflow that we ship, rehearsed by every agent and walked on every path; the normal tests rehearse one',
  options: {},
  run: () => vitest('test/flows/skill-test', { HOLDFAST_SKILLS: 'all' }, 'test/flows/workflow-walks'),
})
