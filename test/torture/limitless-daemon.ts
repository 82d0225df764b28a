import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { untilStopped } from '../until-stopped.ts'

/** The bug that the blackhole test must find: whoever asks the server waits until it answers. */
const limits = { connect: 0, lock: 0, statement: 0, answer: 0, idle: 0, close: 0 }

untilStopped(
  startDaemon({ home: findHome(), openDatabase: ({ database }) => openPostgres(database, { limits }) }),
)
