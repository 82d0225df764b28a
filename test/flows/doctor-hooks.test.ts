import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAILURES } from '../failures.ts'
import { HookedClient } from '../hooked-client.ts'
import { User } from '../holdfast.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

/** What doctor says of hooks. */
async function hooksOf(user: User): Promise<readonly Finding[]> {
  const { stdout } = await user.run(['doctor', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  return findings.filter(({ check }) => check === 'hooks')
}

test('doctor tells whether hooks are there and come through, and what mends those that do not', async () => {
  await using user = new User()
  expect(await hooksOf(user)).toMatchObject([{ ok: true, detail: expect.stringContaining('holdfast init') }])
  await user.json(['init', '--yes'])
  const settings = join(user.clientConfig, 'settings.json')
  expect(await hooksOf(user)).toMatchObject([{ ok: true, detail: expect.stringContaining(settings) }])
  await user.run(['daemon', 'rotate-token'])
  expect(await hooksOf(user)).toMatchObject([
    { ok: false, detail: expect.stringContaining('HTTP 401'), fix: 'holdfast init --scope user' },
  ])
  await user.json(['init', '--yes'])
  await user.json(['init', '--scope', 'project', '--yes'])
  expect((await hooksOf(user)).at(-1)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('twice'),
    fix: 'holdfast uninstall --scope project',
  })
})

test('doctor finds settings that turn hooks off, and settings that cannot be read', async () => {
  await using user = new User()
  mkdirSync(user.clientConfig, { recursive: true })
  mkdirSync(join(user.project, '.claude'))
  writeFileSync(join(user.clientConfig, 'settings.json'), '{"disableAllHooks": true}')
  writeFileSync(join(user.project, '.claude', 'settings.json'), '{')
  const broken = (await hooksOf(user)).filter(({ ok }) => !ok)
  expect(broken).toMatchObject([
    { detail: expect.stringContaining('disableAllHooks'), fix: expect.stringContaining('settings.json') },
    { detail: expect.stringContaining('project'), fix: expect.stringContaining('Mend') },
  ])
})

test('doctor tells of hooks that have failed, and why', async () => {
  await using user = new User()
  await user.json(['init', '--yes'])
  const unlock = await FAILURES['another program has locked the database']?.begin(user)
  await new HookedClient(user).fire('PreToolUse', { tool_name: 'Read', tool_input: {} })
  await unlock?.()
  expect((await hooksOf(user)).at(-1)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^1 failed since .*Another program has locked the database/),
    fix: 'holdfast logs --level warn',
  })
})
