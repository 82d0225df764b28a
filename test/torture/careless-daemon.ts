import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { untilStopped } from '../until-stopped.ts'

/** The bugs that the tests of power cuts and failing disks must find. */
const PLANTS = {
  /** Files and folders are never synced. */
  'no-sync': () => replaceSync(() => Promise.resolve(false)),
  /** Files are synced, the folders with their names are not. */
  'no-folder-sync': () => replaceSync(async (handle) => !(await handle.stat()).isDirectory()),
  /** A sync that failed counts as done. */
  'failed-sync': () =>
    replaceSync(
      () => Promise.resolve(true),
      () => undefined,
    ),
  /** SQLite syncs only at checkpoints. */
  'sqlite-normal': () => {
    const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec')
      ?.value as DatabaseSync['exec']
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql)
      // Later, because the daemon reads the value back.
      if (sql.includes('synchronous = full'))
        setImmediate(() => exec.call(this, 'pragma synchronous = normal'))
    }
    return Promise.resolve()
  },
} as const

type Handle = Awaited<ReturnType<typeof open>>

async function replaceSync(
  isSynced: (handle: Handle) => Promise<boolean>,
  onError: (error: unknown) => void = (error) => {
    throw error
  },
): Promise<void> {
  const probe = await open('/')
  const handles = Object.getPrototypeOf(probe) as Handle
  await probe.close()
  const sync = Object.getOwnPropertyDescriptor(handles, 'sync')?.value as Handle['sync']
  handles.sync = async function () {
    if (await isSynced(this)) await sync.call(this).catch(onError)
  }
}

const plant = PLANTS[process.env['HOLDFAST_PLANTED'] as keyof typeof PLANTS]
untilStopped(plant().then(() => startDaemon({ home: findHome() })))
