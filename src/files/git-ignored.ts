import { execFile } from 'node:child_process'
import { QUIET_GIT } from '../model/text/quiet-git.ts'

/** A filesystem that does not answer must not hold the index of every project. */
const PATIENCE_MILLISECONDS = 60_000

/** The paths that the git of a folder ignores and does not track; none outside of a repository or without git. */
export async function gitIgnored(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  // In the index, a submodule would end the answer; a name that begins with a colon would be a pattern.
  const asked = paths.map((path) => `./${path}\0`).join('')
  const ignored = await git(root, ['check-ignore', '--no-index', '-z', '--stdin'], asked)
  if (ignored.length === 0) return new Set()
  const tracked = await git(root, ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'])
  const kept = new Set(tracked)
  return new Set(ignored.map((path) => path.slice('./'.length)).filter((path) => !kept.has(path)))
}

/** What git prints between NULs, running no program that the config of a repository names. */
function git(root: string, words: readonly string[], input = ''): Promise<readonly string[]> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const quiet = { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }
  const options = {
    env: { ...Object.fromEntries(own), ...quiet },
    maxBuffer: Infinity,
    timeout: PATIENCE_MILLISECONDS,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve, reject) => {
    const child = execFile('git', ['-C', root, ...QUIET_GIT, ...words], options, (error, out, err) => {
      const isOutside = error?.code === 'ENOENT' || /not a git repository/.test(err)
      // It says 1 if nothing is ignored.
      if (error === null || error.code === 1 || isOutside)
        return resolve(out.split('\0').filter((path) => path !== ''))
      reject(new Error(`git cannot say what it ignores in ${root}: ${err.trim() || error.message}`))
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
