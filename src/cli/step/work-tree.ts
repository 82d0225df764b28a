import { EngineError } from '../../model/error.ts'
import type { WorkTree } from '../../model/runbook/work-tree.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Io } from '../frame/io.ts'
import { contained } from '../install/contained.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

const MOST_BYTES = 64_000_000
/** The refusal lists a few; a method takes at most this many. */
const MOST_CHANGED = 5000

/** What is not committed in the checkout around a folder; undefined outside of a repository. */
export async function workTreeOf(io: Io, folder: string): Promise<WorkTree | undefined> {
  const top = await git(io, folder, ['rev-parse', '--show-toplevel'])
  if (top === undefined) return undefined
  const root = top.replace(/\n$/, '')
  // The config of the user may hide files; a sub-agent at work must find the index free.
  const asked = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=none',
  ]
  const listed = await git(io, root, ['--no-optional-locks', ...asked])
  if (listed === undefined) return undefined
  const [, head] = /(?:^|\0)# branch\.oid ([0-9a-f]{7,64})\0/.exec(listed) ?? []
  return { top: root, changed: changedIn(listed).slice(0, MOST_CHANGED), ...(head !== undefined && { head }) }
}

/** The paths in a list of git, version 2 with NUL between its parts. */
export function changedIn(listed: string): readonly string[] {
  const paths: string[] = []
  const parts = listed.split('\0')
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const fields = FIELDS[part[0] ?? '']
    if (fields === undefined) continue
    paths.push(part.split(' ').slice(fields).join(' '))
    // The former name of a renamed file follows.
    if (part.startsWith('2')) at++
  }
  return paths
}

/** How many words stand before the path, by the kind of an entry. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 }

/** What surrounds the shell of an agent must not lead git elsewhere, or bring it a config that hides files. */
const MISLEADING = /^GIT_/
/** What the repository says about its files must not hide that one has changed. */
const OWN_LOOK = [...QUIET_GIT, '-c', 'core.checkStat=default', '-c', 'core.ignoreStat=false']

/** What git prints; undefined without git or a repository. The config of a repository names programs, so a lock holds it. */
async function git(io: Io, folder: string, words: readonly string[]): Promise<string | undefined> {
  const { execFile } = await import('node:child_process')
  const own = Object.fromEntries(Object.entries(io.env).filter(([name]) => !MISLEADING.test(name)))
  using held = contained(io, folder, ['git', '-C', folder, ...OWN_LOOK, ...words])
  const [program, ...rest] = held.words
  return await new Promise((done, failed) => {
    const options = { env: { ...own, LC_ALL: 'C' }, maxBuffer: MOST_BYTES }
    execFile(program, rest, options, (error, out, err) => {
      if (error === null) return done(out)
      if (error.code === 'ENOENT' || /not a git repository|must be run in a work tree/.test(err))
        return done(undefined)
      const hint = `git -C ${shellWord(folder)} status`
      const [why = error.message] = err.split('\n')
      failed(new EngineError('conflict', `git cannot tell what is committed in ${folder}: ${why}`, { hint }))
    })
  })
}
