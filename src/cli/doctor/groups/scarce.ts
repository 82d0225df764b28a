import { existsSync } from 'node:fs'
import { diskOf } from '../../../daemon/ballast.ts'
import { shellWord } from '../../../model/shell/word.ts'
import type { Group, Problem } from '../check.ts'
import { mountOf } from '../mounts.ts'
import type { Scene } from '../scene.ts'

const MEBIBYTE = 1_048_576
/** With less there will soon be nothing to write with. */
const ROOM_MEBIBYTES = 16
/** Of the files that may be open; a little before whoever comes is refused. */
const MANY = 0.8

export const disk: Group = {
  name: 'disk',
  async well(scene) {
    const { status } = await scene.reached()
    return status === undefined ? undefined : `${mebibytes(status.disk.free_bytes)} MiB are free.`
  },
  checks: [
    {
      code: 'disk-full',
      severity: 'broken',
      finds: 'the disk of the home has hardly any room left',
      mends: 'du -xh FOLDER | sort -h | tail, which shows what takes the room',
      async look(scene) {
        const { error } = await scene.reached()
        return error === undefined || error.code === 'storage-full' ? fullDisk(scene) : []
      },
    },
  ],
}

export const files: Group = {
  name: 'files',
  async well(scene) {
    const { status } = await scene.reached()
    if (status === undefined) return undefined
    if (status.descriptors === null) return 'This system does not tell how many files are open.'
    return `${status.descriptors.used} of ${status.descriptors.limit} files and connections are open.`
  },
  checks: [
    {
      code: 'files-many',
      severity: 'broken',
      finds: 'the daemon has nearly as many files and connections open as it may',
      mends: 'ulimit -n 4096; holdfast daemon stop',
      async look(scene) {
        const { status } = await scene.reached()
        const open = status?.descriptors ?? null
        if (open === null || open.used < open.limit * MANY) return []
        const detail = `${open.used} of ${open.limit} files and connections of the daemon are open.`
        return [{ detail, fix: 'ulimit -n 4096; holdfast daemon stop' }]
      },
    },
  ],
}

/** Looked at without the daemon, which may not start because of it. */
export function fullDisk({ home, machine }: Scene): readonly Problem[] {
  const { folder } = home
  if (!existsSync(folder)) return []
  const { free_bytes, has_ballast } = diskOf(home)
  if (mebibytes(free_bytes) >= ROOM_MEBIBYTES) return []
  const left = has_ballast ? '' : ', and there is no ballast to give up'
  const at = mountOf(machine.mounts(), folder)
  return [
    {
      detail: `The disk of ${folder} has only ${mebibytes(free_bytes)} MiB left${left}.`,
      fix: `du -xh ${shellWord(at)} | sort -h | tail`,
    },
  ]
}

const mebibytes = (bytes: number): number => Math.floor(bytes / MEBIBYTE)
