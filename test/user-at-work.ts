import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { tinyDisk } from './failures.ts'
import { User } from './holdfast.ts'
import { HookedClient } from './hooked-client.ts'

/** A user whose agent has called a skill with steps, with hooks from `holdfast init`. */
export async function atWork(levels: readonly string[] = [], limit?: number) {
  const user = new User()
  const takeAway = tinyDisk(user)
  onTestFinished(async () => {
    await user.run(['daemon', 'stop', '--force'])
    takeAway()
    await user[Symbol.asyncDispose]()
  })
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await user.wire(levels)
  const client = new HookedClient(user, 'one', limit === undefined ? {} : { limit })
  const patient = new HookedClient(user, 'one', { patient: true })
  await patient.fire('SessionStart', { source: 'startup' })
  await patient.fire('UserPromptSubmit', { prompt: '/deploy it' })
  const step = (name: string) => join(user.project, '.claude/skills/deploy/steps', `${name}.md`)
  const read = (name: string) => client.use('Read', { file_path: step(name) })
  const shell = (command: string) => client.use('Bash', { command })
  /** The next prompt of the user restarts the daemon and its HTTP, however long that takes. */
  const recover = async () => {
    await patient.fire('UserPromptSubmit', { prompt: 'Go on' })
    const status = () => user.json<{ http: { listening: boolean } }>(['daemon', 'status'])
    while (!(await status()).http.listening) await sleep(50)
  }
  return { user, client, patient, step, read, shell, recover }
}
