import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HookedClient } from '../hooked-client.ts'
import { User } from '../holdfast.ts'

const DECISION = 'We hash each password with argon2, because bcrypt cuts long ones.'
const DOC = '# Login\n\n## Reset\n\nA forgotten password is reset by a link that works once.\n'

/** A user whose calls wait for the index as long as it takes, with a skill and an earlier session. */
async function withMemory() {
  const user = new User({ HOLDFAST_MEMORY_MILLISECONDS: '600000' })
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  put('docs/login.md', DOC)
  await user.run(['skill', 'new', 'ship', '--notation', 'steps'])
  await user.run(['init', '--yes'])
  const session = (id: string) => new HookedClient(user, id, { patient: true })
  const first = session('first')
  await first.fire('SessionStart', { source: 'startup' })
  await first.fire('UserPromptSubmit', { prompt: '/ship the login page with a password' })
  await first.fire('Stop', { last_assistant_message: DECISION })
  await first.fire('SessionEnd', { reason: 'other' })
  await user.run(['index'])
  return { user, session }
}

describe('a call of a skill', () => {
  test('hears of the decision of an earlier session, and the command that it is told shows it', async () => {
    const { user, session } = await withMemory()
    const second = session('second')
    await second.fire('SessionStart', { source: 'startup' })
    const { context } = await second.fire('UserPromptSubmit', {
      prompt: '/ship reset a forgotten password on the login page',
    })
    expect(context).toContain(DECISION)
    expect(context).toContain('docs/login.md:5')
    const shown = await user.run(['session', 'show', 'first'])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`\n  ${DECISION}\n`) as string })
    expect(shown.stdout).toContain('To resume it: claude --resume first')
    expect((await user.run(['session', 'show', 'nobody'])).stderr).toContain('holdfast session list')
  })

  test('hears nothing of it for something else, nor when it is switched off', async () => {
    const { user, session } = await withMemory()
    const second = session('second')
    await second.fire('SessionStart', { source: 'startup' })
    const other = await second.fire('UserPromptSubmit', { prompt: '/ship a dark theme for the settings' })
    expect(other.context).not.toContain('quotes')
    await user.run(['config', 'set', 'memory', 'off'])
    const off = await second.fire('UserPromptSubmit', { prompt: '/ship a password for the login page' })
    expect(off.context).not.toContain('quotes')
  })
})

test('effort start prints what is known about its task', async () => {
  const { user } = await withMemory()
  const { stdout } = await user.run(['effort', 'start', 'tasks/reset', 'ship'], {
    input: '{"taskSummary": "Reset a forgotten password on the login page"}',
  })
  const [, sessions = '', docs = ''] =
    /## SRC_PRIOR_SESSIONS\n([^]*)## SRC_RELEVANT_DOCS\n([^]*)/.exec(stdout) ?? []
  expect(sessions).toContain(DECISION)
  expect(docs).toContain('docs/login.md:5')
})
