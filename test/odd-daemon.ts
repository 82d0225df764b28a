import { findHome } from '../src/daemon/home.ts'
import { startDaemon } from '../src/daemon/main.ts'
import { call } from '../src/engine/call/call.ts'
import { untilStopped } from './until-stopped.ts'

const [, , how] = process.argv

const VERSIONS = new Map([
  ['old', '0.0.1'],
  ['new', '99.0.0'],
])

/** A daemon of another version, or one that decides hooks without an answer. */
untilStopped(
  startDaemon({
    home: findHome(),
    async callMethod(context, name, params, caller) {
      const answer = (await call(context, name, params, caller)) as object
      const version = VERSIONS.get(how ?? '')
      if (version !== undefined && name === 'daemon.status') return { ...answer, version }
      return how === 'mute' && name === 'hooks.handle' ? {} : answer
    },
  }),
)
