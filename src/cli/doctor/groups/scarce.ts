import { existsSync } from 'node:fs'
import { diskOf } from '../../../daemon/ballast.ts'
import type { CountedStatus } from '../../../engine/call/context.ts'
import { counted } from '../../../model/text/line.ts'
import { relativeTime } from '../../../model/text/time.ts'
import { shellWord } from '../../../model/shell/word.ts'
import type { Group, Problem } from '../check.ts'
import { mountOf } from '../mounts.ts'
import type { Scene } from '../scene.ts'

const MEBIBYTE = 1_048_576
/** With less, writes soon fail. */
const ROOM_MEBIBYTES = 16
/** The share of open files that is reported, before the daemon refuses connections. */
const MANY = 0.8

export const disk: Group = {
  name: 'disk',
  async well(scene) {
    const { status } = await scene.reached()
    return status === undefined ? undefined : `${mebibytes(status.disk.free_bytes)} MiB free.`
  },
  checks: [
    {
      code: 'disk-full',
      severity: 'broken',
      finds: 'the disk of the home is almost full',
      mends: 'du -xh FOLDER | sort -h | tail, which lists the largest folders',
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
    if (status.descriptors === null) return 'This system does not report open files.'
    return `${status.descriptors.used} of ${status.descriptors.limit} files and connections are open.`
  },
  checks: [
    {
      code: 'files-many',
      severity: 'broken',
      finds: 'the daemon is close to its limit of open files and connections',
      mends: 'ulimit -n 4096; holdfast daemon stop',
      async look(scene) {
        const { status } = await scene.reached()
        const open = status?.descriptors ?? null
        if (open === null || open.used < open.limit * MANY) return []
        const detail = `The daemon has ${open.used} of ${open.limit} files and connections open.`
        return [{ detail, fix: 'ulimit -n 4096; holdfast daemon stop' }]
      },
    },
    {
      code: 'connections-dropped',
      severity: 'warning',
      finds: 'in the last ten minutes the daemon closed connections that callers kept without use',
      mends: 'holdfast daemon stop, after the program that keeps them has ended',
      async look(scene) {
        const { status } = await scene.reached()
        const known = recent(status?.dropped)
        if (known === undefined) return []
        const detail = `The daemon closed ${counted(known.count, 'connection')} that callers kept, the last one ${relativeTime(known.last_at)}: ${known.last} Hooks go on. To see whose they are: lsof -nP -i :${status?.http.port ?? 'PORT'} -U`
        return [{ detail, fix: 'holdfast daemon stop' }]
      },
    },
  ],
}

const RECENT_MILLISECONDS = 600_000

/** What happened in the last ten minutes; an older daemon may not say. */
export const recent = (known: CountedStatus | null | undefined): CountedStatus | undefined =>
  known && Date.now() - Date.parse(known.last_at) <= RECENT_MILLISECONDS ? known : undefined

/** Checked without the daemon, which may not start on a full disk. */
export function fullDisk({ home, machine }: Scene): readonly Problem[] {
  const { folder } = home
  if (!existsSync(folder)) return []
  const { free_bytes, has_ballast } = diskOf(home)
  if (mebibytes(free_bytes) >= ROOM_MEBIBYTES) return []
  const left = has_ballast ? '' : ', and the reserve is already used'
  const at = mountOf(machine.mounts(), folder)
  return [
    {
      detail: `The disk of ${folder} has only ${mebibytes(free_bytes)} MiB left${left}.`,
      fix: `du -xh ${shellWord(at)} | sort -h | tail`,
    },
  ]
}

const mebibytes = (bytes: number): number => Math.floor(bytes / MEBIBYTE)
