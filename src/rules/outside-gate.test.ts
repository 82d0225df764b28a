import { expect, test } from 'vitest'
import { DEFAULT_LEVEL, type Level, LEVELS } from '../model/level.ts'
import { event, facts, subject } from './case.contract.ts'
import { FOR_USER, ONLY_PLAIN, outsideGate } from './outside-gate.ts'

const running = (command: string) =>
  event('before', { tool: { id: 'c1', name: 'Bash', input: {}, does: { kind: 'command', command } } })

const verdict = (command: string, level: Level = 'locked') =>
  outsideGate.judge(running(command), facts({ level }))

const US = '/home/u/state/bin/holdfast'

test.each([
  `${US} status "\${PWD@P}"`,
  `${US} log "$X"`,
  `${US} log @steps/check.md`,
  `${US} step done --set=@steps/check.md`,
  `${US} log "$(cat steps/check.md)"`,
  `${US} step > out`,
  `${US} step | head`,
  `${US} step; ls`,
  `cd sub && ${US} step`,
  `A=1 ${US} step`,
  `timeout 5 ${US} step`,
  `nice ${US} step`,
  `env ${US} step`,
  `stdbuf -o0 ${US} step`,
  'holdfast step',
  'npx holdfast step',
])('%s is refused at locked only', (command) => {
  expect(outsideGate.wakes(subject(running(command)), facts())).toBe(true)
  expect(verdict(command)).toMatchObject({ block: { reason: expect.stringContaining(ONLY_PLAIN) } })
  for (const level of LEVELS.filter((one) => one !== 'locked'))
    expect(verdict(command, level)).toBeUndefined()
})

test.each([
  `${US} step`,
  `${US} step 2>&1`,
  `${US} step done check --effort 3 --verified 'costs $5'`,
  `${US} log "mail me@example.org"`,
  `${US} prove tests && ${US} step done`,
  'git commit -m "holdfast: step"',
  'grep -r "holdfast step" docs',
  'cat /home/u/holdfast/README.md | head',
  'ls src/engine',
  'holdfast skill list',
])('%s passes at locked, and wakes nobody', (command) => {
  expect(verdict(command)).toBeUndefined()
  expect(outsideGate.wakes(subject(running(command)), facts())).toBe(false)
})

test('only a strict level wakes it', () => {
  const wakes = (isStrict: boolean) =>
    outsideGate.wakes(subject(running('holdfast step')), facts({ watch: { ...facts().watch, isStrict } }))
  expect([wakes(true), wakes(false)]).toEqual([true, false])
})

test('the refusal names the call that works', () => {
  const next = (command: string) => verdict(command)?.block?.reason.replace(/.* Next: /, '')
  expect(next('holdfast log "a b" | head')).toBe("run holdfast log 'a b'")
  expect(next(`cat $X; ${US} status`)).toBe('run holdfast status')
  expect(next(`${US} log "$X"`)).toBe('run holdfast step')
})

test.each(['query "select 1"', 'rpc fs.files.read @x', 'skill show flow', 'doctor', '--help'])(
  '%s is for the user at locked, and the refusal does not ask for another form',
  (words) => {
    for (const command of [`${US} ${words}`, `cd sub && ${US} ${words} | head`]) {
      const reason = verdict(command)?.block?.reason ?? ''
      expect(reason).toContain(`${FOR_USER} Next: ask the user to run holdfast ${words.split(' ')[0]}`)
      expect(reason).not.toContain(ONLY_PLAIN)
    }
    expect(verdict(`${US} ${words}`, 'strict')).toBeUndefined()
  },
)

test('a command that does not name us wakes nothing', () => {
  expect(outsideGate.wakes(subject(running('npm test')), facts({ level: DEFAULT_LEVEL }))).toBe(false)
})
