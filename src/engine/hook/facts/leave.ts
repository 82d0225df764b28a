import { timestamp } from '../../../model/clock.ts'
import { listLedger } from '../../../store/ledger.ts'
import type { Loader } from './loader.ts'

/** The commands after which the user expects that nothing calls us. */
const LEAVING = /^holdfast (--\S+ )*(uninstall|pause|init)\b/
const RECENT_MILLISECONDS = 600_000
const MOST_READ = 50

/** Whether the user has just removed or paused us. */
export const leave: Loader<'leave'> = {
  looks: ['hooksGone'],
  async load(tx, { context }) {
    const since = timestamp(context.clock.now() - RECENT_MILLISECONDS)
    const doors = await listLedger(tx, {
      event_types: ['door.opened'],
      newestFirst: true,
      limit: MOST_READ,
    })
    return doors.some((entry) => {
      const { by, may_run } = entry.payload as { readonly by: string; readonly may_run?: string }
      return entry.timestamp >= since && by === 'user' && LEAVING.test(may_run ?? '')
    })
  },
}
