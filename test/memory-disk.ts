import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux has a disk in memory there. */
const MEMORY_DISK = '/dev/shm'
const ROOM_BYTES = 2 ** 30

/**
 * A folder for data that must survive processes but not the machine; syncs are free there. Without a memory disk it
 * is the usual temporary folder.
 */
export const memoryDisk = hasRoom() ? MEMORY_DISK : tmpdir()

/** Containers often have a memory disk that is too small. */
function hasRoom(): boolean {
  try {
    accessSync(MEMORY_DISK, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_DISK)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}
