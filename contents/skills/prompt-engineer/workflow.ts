import { param, workflow } from 'holdfast/workflow'
import { ecosystem } from './ecosystem.ts'
import { greenfield } from './greenfield.ts'
import { problem } from './problem.ts'
import { single } from './single.ts'
import { triage } from './triage.ts'

export default workflow('prompt-engineer', [triage, ...single, ...ecosystem, ...greenfield, ...problem], {
  description: 'Improves prompts by cases that run before and after, and edits what the user agrees to.',
  activate: 'first',
  format: 'text',
  params: {
    request: param.text({ required: true, description: 'Which prompt, and what should be better.' }),
  },
  state: {
    scope: param.choice(['single', 'ecosystem', 'greenfield', 'problem'], {
      description: 'What kind of work it is.',
    }),
    cause: param.choice(['shown', 'open'], { description: 'Whether the cause of the problem is shown.' }),
    agreement: param.choice(['agreed', 'changes', 'declined'], {
      description: 'What the user said to the proposal.',
    }),
  },
})
