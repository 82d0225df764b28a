import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { call } from '../../src/engine/call/call.ts'
import type { Store } from '../../src/store/store.ts'
import { untilStopped } from '../until-stopped.ts'

/** Takes no lease, as if no other daemon wrote to the same disk: the bug that the test of appends must find. */
const alone = (store: Store): Store => ({ ...store, database: { ...store.database, kind: 'sqlite' } })

untilStopped(
  startDaemon({
    home: findHome(),
    callMethod: (context, name, params, caller) =>
      call({ ...context, store: alone(context.store) }, name, params, caller),
  }),
)
