import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { untilStopped } from '../until-stopped.ts'

/** A daemon that keeps idle connections whatever their number: the bug that the connection test must find. */
untilStopped(startDaemon({ home: findHome(), callers: { maxStrangers: Infinity } }))
