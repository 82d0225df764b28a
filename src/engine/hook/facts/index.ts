import type { Fact } from '../../../rules/facts.ts'
import { asked } from './asked.ts'
import { background } from './background.ts'
import { calling } from './calling.ts'
import { chain } from './chain.ts'
import { delegated } from './delegated.ts'
import { delegations } from './delegations.ts'
import { directives } from './directives.ts'
import { doors } from './doors.ts'
import { entered } from './entered.ts'
import { given } from './given.ts'
import { invoked } from './invoked.ts'
import { leave } from './leave.ts'
import { lookedUp } from './looked-up.ts'
import { lost } from './lost.ts'
import { memory } from './memory.ts'
import { moded } from './moded.ts'
import { move } from './move.ts'
import { namesake } from './namesake.ts'
import { open } from './open.ts'
import { planNews } from './plan-news.ts'
import { queued } from './queued.ts'
import { reads } from './reads.ts'
import { said } from './said.ts'
import { seen } from './seen.ts'
import { sessionFile } from './session-file.ts'
import { shortcuts } from './shortcuts.ts'
import { spans } from './spans.ts'
import { touched } from './touched.ts'
import { tracked } from './tracked.ts'
import { traces } from './traces.ts'
import { turn } from './turn.ts'
import { unsure } from './unsure.ts'
import { unsureWrite } from './unsure-write.ts'
import { work } from './work.ts'
import { writes } from './writes.ts'
import type { Loader } from './loader.ts'

/** The loader of each fact that a rule may need. */
export const loaders: { readonly [Name in Fact]: Loader<Name> } = {
  asked,
  background,
  calling,
  chain,
  delegated,
  delegations,
  directives,
  doors,
  entered,
  given,
  invoked,
  leave,
  lookedUp,
  lost,
  memory,
  moded,
  move,
  namesake,
  open,
  planNews,
  queued,
  reads,
  said,
  seen,
  sessionFile,
  shortcuts,
  spans,
  touched,
  tracked,
  traces,
  turn,
  unsure,
  unsureWrite,
  work,
  writes,
}
