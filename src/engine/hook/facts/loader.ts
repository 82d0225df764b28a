import type { Fact, NeededFacts } from '../../../rules/facts.ts'
import type { Tx } from '../../../store/query.ts'
import type { LookName } from '../looks/index.ts'
import type { Scene } from '../scene.ts'

/** How one fact is found out. */
export interface Loader<Name extends Fact> {
  /** What must be looked up before the transaction. */
  readonly looks: readonly LookName[]
  /** Awaits nothing but its tx. */
  load(tx: Tx, scene: Scene): NeededFacts[Name] | Promise<NeededFacts[Name]>
}
