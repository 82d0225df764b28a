import type { Fact, NeededFacts } from '../../../rules/facts.ts'
import type { Tx } from '../../../store/query.ts'
import type { LookName } from '../looks/index.ts'
import type { Scene } from '../scene.ts'

/** Loads one fact. */
export interface Loader<Name extends Fact> {
  /** The looks that it needs before the transaction. */
  readonly looks: readonly LookName[]
  /** Awaits nothing but its tx. */
  load(tx: Tx, scene: Scene): NeededFacts[Name] | Promise<NeededFacts[Name]>
}
