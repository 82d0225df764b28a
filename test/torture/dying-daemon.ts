import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { call } from '../../src/engine/call/call.ts'
import type { Files } from '../../src/model/files.ts'
import type { Database } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { untilStopped } from '../until-stopped.ts'

/** The step of a compound command at which to die; steps are before and after a commit or a disk write. */
const LAST_STEP = Number(process.env['HOLDFAST_DIE_AT'])

/** Commands that end as if nothing had happened, wherever they are interrupted. */
const ARMED = /^(commands|evidence|pipeline|handoff)\./

let [steps, isArmed] = [0, false]

function step(): void {
  if (isArmed && ++steps === LAST_STEP) process.kill(process.pid, 'SIGKILL')
}

function watched(database: Database): Database {
  return {
    ...database,
    async transact(run, options) {
      let writes = false
      const value = await database.transact(async (tx) => {
        const result = await run({
          ...tx,
          execute(statement) {
            writes ||= /^(insert|update|delete)/.test(statement.sql)
            return tx.execute(statement)
          },
        })
        if (writes) step()
        return result
      }, options)
      if (writes) step()
      return value
    },
  }
}

const onBothSides =
  <In, Out>(write: (given: In) => Promise<Out>) =>
  async (given: In): Promise<Out> => {
    step()
    const result = await write(given)
    step()
    return result
  }

const watchedFiles = (files: Files): Files => ({
  ...files,
  makeFolders: onBothSides((wish) => files.makeFolders(wish)),
  append: onBothSides((wish) => files.append(wish)),
  put: onBothSides((wish) => files.put(wish)),
})

untilStopped(
  startDaemon({
    home: findHome(),
    openDatabase: ({ database }) => watched(openSqlite(database)),
    async callMethod(context, name, params, caller) {
      isArmed = ARMED.test(name)
      return await call({ ...context, files: watchedFiles(context.files) }, name, params, caller)
    },
  }),
)
