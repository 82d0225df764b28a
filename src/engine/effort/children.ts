import type { Step } from '../../model/plan/plan.ts'
import type { ChildResult, ChildView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import type { Mover } from './mover.ts'

/** The sub-agents of a dispatched step, in order. */
export const childrenOf = (_tx: Tx, _mover: Mover, { dispatch }: Step): Promise<readonly ChildView[]> =>
  Promise.resolve(
    Array.from({ length: dispatch?.count ?? 0 }, (_, index) => ({
      child: index + 1,
      title: null,
      task: null,
      command: null,
      state: 'waiting' as const,
    })),
  )

/** What the sub-agents of the step before returned. */
export const resultsOf = (_tx: Tx, _mover: Mover, _step: Step): Promise<readonly ChildResult[]> =>
  Promise.resolve([])
