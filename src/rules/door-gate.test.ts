import { expect, test } from 'vitest'
import { doorsIn } from '../model/door-calls.ts'
import type { Level } from '../model/level.ts'
import type { Doors } from '../model/subject.ts'
import { event, facts, subject } from './case.contract.ts'
import { doorGate } from './door-gate.ts'

const running = (command: string, more: object = {}) => ({
  ...event('before', { tool: { id: 'c1', name: 'Bash', input: {}, does: { kind: 'command', command } } }),
  ...more,
})

const doorsOf = (command: string): Doors | undefined => {
  const calls = doorsIn(command)
  return calls.length === 0 ? undefined : { calls, files: [] }
}

const verdict = (command: string, level: Level, more: object = {}) =>
  doorGate.judge(running(command, more), facts({ level, doors: doorsOf(command) }))

test.each([
  'holdfast pause',
  'holdfast --json pause 2h',
  '/home/u/bin/holdfast pause',
  'npx holdfast pause',
  'cd /tmp && holdfast pause; ls',
  'holdfast effort approve 3 build --reason x',
  'holdfast effort phase 3 2 --reason=x',
  'holdfast step go 2 --reason x --effort 3',
  'holdfast effort finish 3 --abandon x',
  `holdfast rpc db.effort.approve '{"effort_id":3}'`,
  'holdfast rpc db.effort.finish -',
  'holdfast rpc hooks.postToolUse @event.json',
  `holdfast rpc evidence.finish '{"token":"t","exit_code":0}'`,
  'holdfast hook claude-code < event.json',
  'holdfast daemon stop',
  'sudo holdfast pause',
  'sudo -u me holdfast pause',
  'HOLDFAST_HOME=/tmp/x holdfast pause',
  'A=1 B=$(date) holdfast pause',
  'env -i holdfast pause',
  'env -u CLAUDE_CODE_SESSION_ID PATH=/bin holdfast pause',
  'nohup holdfast pause &',
  'setsid holdfast pause',
  'setsid -f holdfast pause',
  'timeout 5 holdfast pause',
  'timeout -k 1 5 sudo env X=1 holdfast pause',
  'nice -n 5 holdfast pause',
  'command holdfast pause',
  'exec holdfast pause',
  'echo | xargs holdfast pause',
  'xargs -n 1 holdfast pause < words',
  'npx -y holdfast pause',
  'bunx holdfast pause',
  'node /opt/holdfast/bin/holdfast.js pause',
  'node --no-warnings ./bin/holdfast.js pause',
  'bash -c "holdfast pause"',
  `sudo sh -lc 'cd /tmp; holdfast pause'`,
  `eval 'holdfast pause'`,
  '(holdfast pause)',
  'if true; then holdfast pause; fi',
  '! holdfast pause',
  'time holdfast pause',
])('%s is put to the user at enforce, and refused at strict', (command) => {
  expect(verdict(command, 'enforce')).toMatchObject({ ask: { call: 'c1' } })
  expect(verdict(command, 'strict')).toMatchObject({ block: {} })
  expect(verdict(command, 'enforce', { subagent: { id: 'a1' } })).toMatchObject({ block: {} })
  expect(verdict(command, 'observe')).toBeUndefined()
})

test.each([
  'holdfast status',
  'holdfast enforce',
  'holdfast pause off',
  'holdfast pause --off',
  'holdfast step done build --effort 3 --verified "it works"',
  'holdfast step fail build --effort 3 --reason "two tests fail"',
  'holdfast prove tests --effort 3',
  `holdfast rpc db.effort.finish '{"effort_id":3}'`,
  'holdfast uninstall --dry-run',
  'echo holdfast pause',
  'grep -r "holdfast pause" docs',
  'git commit -m "holdfast: pause"',
])('%s is no door', (command) => {
  expect(doorGate.wakes(subject(running(command), { doors: doorsOf(command) }), facts())).toBe(false)
})

test('a call keeps its words, whatever runs it', () => {
  for (const command of [
    'timeout 5 holdfast pause 2h',
    'A=1 node bin/holdfast.js pause 2h',
    'sh -c "holdfast pause 2h"',
  ])
    expect(doorsIn(command)).toEqual([['pause', '2h']])
})

test('files that hold the rules are put to the user at enforce, and refused at strict', () => {
  const files = ['/home/u/.local/state/holdfast/pause.json']
  const judged = (level: Level, more: object = {}) =>
    doorGate.judge(running('ls', more), facts({ level, doors: { calls: [], files } }))
  expect(judged('enforce')).toMatchObject({ ask: { call: 'c1', doors: [], files } })
  expect(judged('enforce', { subagent: { id: 'a1' } })).toMatchObject({ block: {} })
  expect(judged('strict')).toMatchObject({ block: {} })
  // Nothing else would record it there.
  expect(judged('observe')).toMatchObject({ block: {} })
})

// A headless client asks nobody, and gives the question to the agent as its refusal.
test('the question tells an agent what to do if it is the only reader', () => {
  const { question } = verdict('holdfast pause', 'enforce')?.ask ?? {}
  expect(question).toContain('ask the user to do it in a terminal of their own')
})
