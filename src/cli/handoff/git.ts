import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { Io } from '../frame/io.ts'
import { contained } from '../install/contained.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

/** A folder in which git runs, for a command of ours. */
export interface Repository {
  readonly root: string
  readonly io: Io
}

const MOST_BYTES = 1 << 29
/** A hook of git gets these relative to its own folder. */
const PLACES = ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE'] as const

/** What git prints in a folder; undefined if it fails, as where no repository is. */
export function git({ root, io }: Repository, ...words: readonly string[]): string | undefined {
  const plain = ['-c', 'core.quotePath=false', '-c', 'log.showSignature=false']
  // A repository can name programs that git runs.
  using held = contained(io, root, ['git', '-C', root, ...QUIET_GIT, ...plain, ...words])
  const [program, ...more] = held.words
  const { status, stdout } = spawnSync(program, more, {
    encoding: 'utf8',
    env: { ...io.env, ...placesFor(io) },
    maxBuffer: MOST_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout : undefined
}

const placesFor = ({ env, cwd }: Io): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PLACES.flatMap((name) => {
      const place = env[name]
      return place === undefined || place === '' ? [] : [[name, resolve(cwd, place)] as const]
    }),
  )

/** Git throws the index of a commit of named files away, with what was staged in it. */
export const isOfPartialCommit = ({ env }: Io): boolean =>
  /(?:^|\/)next-index-\d+\.lock$/.test(env['GIT_INDEX_FILE'] ?? '')
