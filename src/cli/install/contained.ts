import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { bubblewrap, type Lies, seatbelt } from '../../model/contain.ts'
import type { Lock } from '../../model/lock.ts'
import type { Io } from '../frame/io.ts'
import { allInstalled } from './installed.ts'
import { outermost } from './lock.ts'
import { type Place, placesOfAll, wiredAt } from './place.ts'

/** A command that our program starts for an agent. */
export interface Contained extends Disposable {
  readonly words: readonly [string, ...string[]]
}

/** The command in a sandbox with the denials of its project, if that is locked; otherwise as it stands. */
export function contained(io: Io, folder: string, words: Contained['words']): Contained {
  const locks = placesOfAll(io, { project: folder }).flatMap((place) => lockAt(place))
  const [lock] = locks
  if (lock === undefined) return { words, [Symbol.dispose]: () => undefined }
  if (process.platform === 'darwin')
    return { words: ['sandbox-exec', '-p', seatbelt(lock), ...words], [Symbol.dispose]: () => undefined }
  // Bubblewrap makes an empty file where it hides something that does not exist.
  const made = lock.unwritten.filter((path) => liesAt(path) === 'nothing')
  const [program = 'bwrap', ...rest] = bubblewrap(lock, liesAt)
  return { words: [program, ...rest, ...words], [Symbol.dispose]: () => made.forEach(removeEmpty) }
}

/** The settings hold the token of the hooks, which a command must not send. */
function lockAt(place: Place): readonly Lock[] {
  const { lock } = wiredAt(place)
  if (lock === undefined) return []
  const settings = allInstalled(place.home).map(({ path }) => path)
  const unread = [...lock.unread, ...settings.filter((path) => liesAt(path) === 'file')]
  return [
    {
      ...lock,
      unread: unread.filter((path) => liesAt(path) !== 'nothing'),
      unwritten: outermost(lock.unwritten.map(firstMissing)),
    },
  ]
}

/** The first part of a path that does not exist, because a program that makes it can make the rest; else the path. */
function firstMissing(path: string): string {
  const above = dirname(path)
  return liesAt(path) === 'nothing' && liesAt(above) === 'nothing' ? firstMissing(above) : path
}

function liesAt(path: string): Lies {
  const info = statSync(path, { throwIfNoEntry: false })
  return info === undefined ? 'nothing' : info.isDirectory() ? 'folder' : 'file'
}

function removeEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path, { force: true })
}
