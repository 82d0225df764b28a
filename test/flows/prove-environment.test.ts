import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { LedgerRow } from '../../src/store/ledger.ts'
import { SESSION, windowAt } from '../agent-window.ts'

vi.setConfig({ testTimeout: 300_000 })

const program = (folder: string, name: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(folder, name), 0o700)
}

/** An agent with an effort whose tests fail, unless a program or a variable says otherwise. */
async function failing() {
  const { user, client, inShell } = await windowAt('strict')
  user.put('src/a.ts', 'a')
  user.put('check.sh', 'check-all && [ -z "$SKIP" ] || exit 3')
  program(join(user.folder, 'tools'), 'check-all', 'exit "${CODE:-3}"')
  user.put('.claude/skills/proved/SKILL.md', '---\nname: proved\ndescription: Proves.\n---\n\nProve it.\n')
  user.put(
    '.claude/skills/proved/holdfast.yaml',
    'artifacts:\n  tests: {command: sh check.sh, covers: [src/**]}\nphases:\n  - {label: "1", name: Build, proof: [tests]}\n',
  )
  return { user, client, inShell }
}

test('an agent’s own PATH and variables do not decide a proof, and it is told', async () => {
  const { user, client, inShell } = await failing()
  const fake = join(user.folder, 'fake')
  program(fake, 'check-all', 'exit 0')
  program(fake, 'sh', 'exit 0')
  user.put('evil.sh', 'check-all() { return 0; }')
  await client.fire('UserPromptSubmit', { prompt: '/proved it' })
  const proofs = [
    `PATH=${fake}:$PATH holdfast prove tests`,
    `export PATH=${fake}:$PATH; holdfast prove tests`,
    `CODE=0 PATH=${join(user.folder, 'tools')}:$PATH holdfast prove tests`,
    `BASH_ENV=$PWD/evil.sh ENV=$PWD/evil.sh holdfast prove tests`,
    `check_all='() { return 0; }' holdfast prove tests`,
  ]
  for (const command of proofs) {
    const { code, stderr, stdout } = await inShell(command)
    expect({ command, stdout, code: code === 0 }).toMatchObject({ code: false })
    expect(stderr).toContain(
      'the command runs in the environment in which the session began; not from this shell:',
    )
  }
  const begun = await user.ask<LedgerRow[]>('ledger.list', {
    event_type: 'evidence.begun',
    session_id: SESSION,
  })
  expect(begun.map(({ payload }) => payload)).toEqual(
    proofs.map(() => expect.objectContaining({ by: 'agent' }) as unknown),
  )
  // The user's own environment is the user's.
  const env = { PATH: `${fake}:${user.env['PATH']}` }
  expect((await user.run(['prove', 'tests'], { env })).code).toBe(0)
})

test('tools of the shell that started the client are found, and the record says what was used', async () => {
  const { user, client, inShell } = await failing()
  await client.fire('SessionEnd', { reason: 'other' })
  // The session comes back in a shell with other tools, as with a virtual environment.
  const PATH = `${join(user.folder, 'tools')}:${user.env['PATH']}`
  const settings = await user.ask<{ home: string }>('daemon.status')
  const start = { session_id: SESSION, cwd: user.project, hook_event_name: 'SessionStart', source: 'resume' }
  await client.shell(`${settings.home}/bin/holdfast hook claude-code`, start, { PATH, CODE: '0' })
  await client.fire('UserPromptSubmit', { prompt: '/proved it' })
  const { code, stderr } = await inShell(`PATH=${PATH} CODE=0 SKIP=1 holdfast prove tests`)
  expect(stderr).toContain('not from this shell: ')
  expect(stderr).toContain('SKIP')
  expect(code).toBe(0)
  const [begun] = await user.ask<LedgerRow[]>('ledger.list', { event_type: 'evidence.begun' })
  const about = { effort_id: begun?.effort_id }
  const artifacts = await user.ask<{ evidence: object }[]>('artifact.list', about)
  expect(artifacts[0]?.evidence).toMatchObject({
    environment: { path: PATH, unused: expect.arrayContaining(['SKIP']) },
  })
})

test('while a session runs, a second start does not bring another environment', async () => {
  const { user, client, inShell } = await failing()
  const fake = join(user.folder, 'fake')
  program(fake, 'check-all', 'exit 0')
  const { home } = await user.ask<{ home: string }>('daemon.status')
  const start = { session_id: SESSION, cwd: user.project, hook_event_name: 'SessionStart', source: 'resume' }
  await client.shell(`${home}/bin/holdfast hook claude-code`, start, { PATH: `${fake}:${user.env['PATH']}` })
  await client.fire('UserPromptSubmit', { prompt: '/proved it' })
  const { code, stderr } = await inShell(`PATH=${fake}:$PATH holdfast prove tests`)
  expect(code).toBe(3)
  expect(stderr).toContain('not from this shell: PATH')
})
