import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { postgresAt } from '../../src/store/postgres.ts'
import { untilStopped } from '../until-stopped.ts'

/** The bug that the skew test must find: stored times are those of the machine that stores them. */
function openWithOwnClock(url: string) {
  const database = postgresAt(url)
  if (database.server !== undefined) database.server.clock.measured = () => undefined
  return database
}

untilStopped(startDaemon({ home: findHome(), openDatabase: ({ database }) => openWithOwnClock(database) }))
