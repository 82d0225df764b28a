import { findHome } from '../src/daemon/home.ts'
import { startDaemon } from '../src/daemon/main.ts'
import { call } from '../src/engine/call/call.ts'
import { untilStopped } from './until-stopped.ts'

/** The method with which a test asks how long the event loop has computed, in milliseconds. */
const HELD = 'test.held'

/** A daemon that says how long its own thread has computed, which a busy machine does not change. */
untilStopped(
  startDaemon({
    home: findHome(),
    async callMethod(context, name, params, caller) {
      if (name !== HELD) return await call(context, name, params, caller)
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    },
  }),
)
