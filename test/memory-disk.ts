import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux has a disk in memory there. */
const MEMORY_DISK = '/dev/shm'
const ROOM_BYTES = 2 ** 30

/**
 * Where data may lie that must only outlive processes, never the machine: a sync, which we leave turned on everywhere,
 * takes no time there. On a machine without such a disk it is the folder of all other temporary files.
 */
export const memoryDisk = hasRoom() ? MEMORY_DISK : tmpdir()

/** Containers often have such a disk that is too small. */
function hasRoom(): boolean {
  try {
    accessSync(MEMORY_DISK, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_DISK)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}
