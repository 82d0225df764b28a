import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
beforeAll(() => {
  user = new User()
})
afterAll(() => user[Symbol.asyncDispose]())

describe('old command names', () => {
  test.each([
    [['effort', 'get', '3'], 'holdfast effort show 3'],
    [['effort', 'recap', '--effort-id=3'], 'holdfast recap --effort=3'],
    [['effort', 'dehydrate', '--effort-id', '3'], 'holdfast session dehydrate --help'],
    [['project', 'status', '.'], 'holdfast status .'],
    [['project', 'set-level', 'strict'], 'holdfast enforce --help'],
    [['project', 'set-session-gate', '.', 'true'], 'holdfast enforce --help'],
    [['agent', 'get', 'ada'], 'holdfast agent show ada'],
    [['log', "it's done", '--effort-id', '3'], `holdfast log 'it'\\''s done' --effort 3`],
    [['session', 'find', '--effort-id=3'], 'holdfast session find --effort=3'],
    [['session', 'start', 't', '--prev-session-id', '3'], 'holdfast session start t --prev-session 3'],
    [['effort', 'start', 'd', 's', '--agent_id', 'a'], 'holdfast effort start d s --agent a'],
    [['effort', 'start', 'd', 's', '--user-approved', 'x'], 'holdfast effort start d s --reason x'],
    [['effort', 'approve', '1', '2', '--user-approved', 'x'], 'holdfast effort approve 1 2 --reason x'],
  ])('%j leads to %s', async (words, command) => {
    const { code, stdout, stderr } = await user.run(words)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(`  try: ${command}\n`)
    expect(stderr).toMatch(/^holdfast: .* is now .*\.$/m)
  })

  test.each([
    [['session', 'update', 'a', 'key', 'x'], `holdfast effort start a SKILL --metadata '{"key":"x"}'`],
    [['session', 'update'], `holdfast effort start DIR SKILL --metadata '{"FIELD":"VALUE"}'`],
    [['session', 'target', 'a b', 'x.md'], `holdfast session activate 'a b' SKILL --target-file x.md`],
    [['session', 'clear', 'a'], 'holdfast session restart a'],
    [['session', 'request-template', 'x'], 'holdfast queue add TEXT --kind request'],
    [['session', 'evaluate-guards'], 'holdfast why'],
  ])('%j of the seeds says what does the same: %s', async (words, command) => {
    const { code, stdout, stderr } = await user.run(words)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(`  try: ${command}\n`)
    expect(stderr).not.toContain('has no command')
  })

  test('the names of the seeds stay', async () => {
    const help = await user.run(['help', '--all'])
    for (const verb of [
      'activate',
      'phase',
      'continue',
      'dehydrate',
      'check',
      'find',
      'idle',
      'deactivate',
      'restart',
      'init',
      'debrief',
    ])
      expect(help.stdout).toContain(`  session ${verb}`)
    const activate = await user.run(['help', 'session', 'activate'])
    for (const flag of ['--user-approved', '--target-file', '--fleet-pane', '--fast-track'])
      expect(activate.stdout).toContain(flag)
  })
})
