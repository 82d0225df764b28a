import { dispatch, param, step, workflow } from 'holdfast/workflow'

/** Three sub-agents at once, each with a task of its own; two of them must succeed. */
export default workflow(
  'parallel',
  [
    step({
      id: 'ask',
      title: 'Ask for opinions',
      actions: ['Three sub-agents judge the design: {{design}}. Do not judge it yourself yet.'],
      dispatch: dispatch('general-purpose', {
        instruction: 'Judge the design from your side only, in at most ten lines.',
        vars: { design: '{{design}}' },
        each: [
          { id: 'user', title: 'User', task: 'What is harder for its users than it must be?' },
          { id: 'operator', title: 'Operator', task: 'What goes wrong at night, and who notices?' },
          { id: 'newcomer', title: 'Newcomer', task: 'What would you get wrong in your first change?' },
        ],
        join: 2,
      }),
      next: { ok: 'weigh', fail: 'weigh' },
    }),
    step({
      id: 'weigh',
      title: 'Weigh them',
      actions: ['Tell the user where the opinions agree, where they differ, and which one you would follow.'],
      next: null,
    }),
  ],
  { params: { design: param.text({ required: true }) } },
)
