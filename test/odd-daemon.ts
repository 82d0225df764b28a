import { findHome } from '../src/daemon/home.ts'
import { startDaemon } from '../src/daemon/main.ts'
import { call } from '../src/engine/call.ts'

const [, , how] = process.argv

/** A daemon that is of another version, or that decides on hooks and keeps it to itself. */
const daemon = await startDaemon({
  home: findHome(),
  async callMethod(context, name, params, caller) {
    const answer = (await call(context, name, params, caller)) as object
    if (how === 'old' && name === 'daemon.status') return { ...answer, version: '0.0.1' }
    return how === 'mute' && name === 'hooks.handle' ? {} : answer
  },
})
process.on('SIGTERM', () => daemon?.stop())
await daemon?.stopped
