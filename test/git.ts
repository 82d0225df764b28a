import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs git in a folder, without the settings of this machine. */
export async function git(folder: string, ...words: readonly string[]): Promise<void> {
  await said(folder, ...words)
}

/** The same, with what it says. */
export async function said(folder: string, ...words: readonly string[]): Promise<string> {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always']
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return (await run('git', ['-C', folder, ...who, ...words], { env })).stdout
}
