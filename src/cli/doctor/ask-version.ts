import { spawnSync } from 'node:child_process'
import type { Environment } from '../../model/client-files.ts'

const LIMIT_MILLISECONDS = 10_000

export type Asked =
  | { readonly version: string; readonly problem?: undefined }
  | { readonly version?: undefined; readonly problem: string }

/** The version that a program of ours says, or why it says none. */
export function askVersion(path: string, env: Environment): Asked {
  const { status, stdout, stderr, error } = spawnSync(path, ['--version'], {
    encoding: 'utf8',
    env: { ...env },
    timeout: LIMIT_MILLISECONDS,
  })
  if (error !== undefined) return { problem: `does not run (${error.message})` }
  if (status !== 0) return { problem: `does not run: ${stderr.trim().replace(/\.$/, '')}` }
  return { version: stdout.trim() }
}
