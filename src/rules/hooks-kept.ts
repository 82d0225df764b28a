import { rule } from './rule.ts'

/** Settings without our hooks would end every rule, so only the user's own command takes them out. */
export const hooksKept = rule({
  name: 'hooks-kept',
  summary:
    'keeps a running client from losing our hooks, unless the user removed or paused them by our command',
  on: ['config.changed'],
  wakes: ({ hooksGone }) => hooksGone === true,
  needs: ['leave'],
  judge: (event, { leave, session }) =>
    leave || event.kind !== 'config.changed'
      ? undefined
      : {
          block: {
            reason:
              'The settings no longer call Holdfast. Only the user removes its hooks. Next: ask the user to run holdfast uninstall in a terminal of their own',
            skill: '',
            effort: session.effort_id,
          },
        },
})
