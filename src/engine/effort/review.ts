import type { Step } from '../../model/plan/plan.ts'
import type { GateView, ReviewView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import type { Mover } from './mover.ts'

export const reviewOf = (_tx: Tx, _mover: Mover, _step: Step): Promise<ReviewView | null> =>
  Promise.resolve(null)

export const gateOf = (_tx: Tx, _mover: Mover, _step: Step): Promise<GateView | null> => Promise.resolve(null)

export const parkedGate = (_mover: Mover): Step | undefined => undefined
