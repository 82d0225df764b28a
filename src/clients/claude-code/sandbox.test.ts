import { describe, expect, test } from 'vitest'
import type { Wiring } from '../../model/client-settings.ts'
import type { Lock } from '../../model/lock.ts'
import { settings } from './install.ts'

const launcher = '/home/u/state/bin/holdfast'
const LOCK: Lock = {
  launcher,
  unread: ['/p/skills/a/steps'],
  unwritten: ['/p/skills', '/home/u/state'],
  fixed: [],
}
const WIRING: Wiring = {
  scope: 'local',
  failsClosed: true,
  allowsHoldfast: false,
  statusLine: false,
  home: '/home/u/state',
  launcher,
}
const OWN = `{
  // mine
  "sandbox": { "enabled": false, "excludedCommands": ["docker *"], "filesystem": { "denyRead": ["~/.ssh"] } },
  "permissions": { "deny": ["Edit(//p/skills)"] },
  "model": "opus"
}
`
const lockIn = (text: string | undefined) => settings.wire(text, { ...WIRING, lock: LOCK })
const plain = (text: string | undefined) => settings.wire(text, WIRING)

test('the hooks of a locked project use no URL, because the sandbox of a terminal refuses loopback', () => {
  const { hooks } = JSON.parse(lockIn(undefined)) as { hooks: Record<string, { hooks: object[] }[]> }
  const handlers = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) => group.hooks.map((handler) => ({ event, ...handler }))),
  )
  expect(handlers).toHaveLength(Object.keys(hooks).length)
  expect(new Set(handlers.map((handler) => 'type' in handler && handler.type))).toEqual(new Set(['command']))
  const closing = handlers.filter((handler) => 'onFailure' in handler).map(({ event }) => event)
  expect(closing).toEqual(['UserPromptExpansion', 'PreToolUse'])
})

test('a lock turns on the sandbox without a way out, and excludes only commands for agents', () => {
  const { sandbox, permissions, claudeMdExcludes } = JSON.parse(lockIn(undefined))
  expect(sandbox).toMatchObject({ enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false })
  expect(sandbox.filesystem).toEqual({ denyRead: LOCK.unread, denyWrite: LOCK.unwritten })
  expect(claudeMdExcludes).toEqual(['/p/skills/a/steps', '/p/skills/a/steps/**'])
  expect(permissions.deny).toEqual(['Edit(//p/skills)', 'Edit(//home/u/state)'])
  expect(sandbox.excludedCommands).toContain(`${launcher} step *`)
  for (const door of [
    'pause',
    'init',
    'enforce',
    'uninstall',
    'rpc',
    'hook',
    'query',
    'config',
    'effort approve',
  ])
    expect(sandbox.excludedCommands).not.toContain(`${launcher} ${door} *`)
})

describe.each([undefined, '{}', '{"model":"opus"}', OWN])('settings %j', (before) => {
  test('get a lock once', () => {
    const locked = lockIn(before)
    const again = { ...WIRING, lock: LOCK, locked: { lock: LOCK, original: before ?? '' } }
    expect(settings.wire(locked, again)).toBe(locked)
  })

  test('lose it at a lower level and by uninstalling', () => {
    const locked = { lock: LOCK, original: before ?? '{}' }
    expect(settings.wire(lockIn(before), { ...WIRING, locked })).toBe(plain(before))
    expect(settings.unwire(lockIn(before), before, LOCK)).toBe(settings.unwire(plain(before), before))
  })

  test('follow a lock that changes', () => {
    const next = { ...LOCK, unread: ['/p/skills/b/steps'] }
    const locked = { lock: LOCK, original: before ?? '{}' }
    const text = settings.wire(lockIn(before), { ...WIRING, lock: next, locked })
    expect(settings.read(text).lock?.unread).toEqual(
      settings.read(settings.wire(before, { ...WIRING, lock: next })).lock?.unread,
    )
  })
})

test('a lock is read back, with what opens it', () => {
  expect(settings.read(lockIn(undefined))).toMatchObject({
    lock: LOCK,
    unlocked: { switches: [], commands: [] },
  })
  expect(settings.read(lockIn(OWN)).unlocked).toEqual({
    switches: [],
    commands: ['sandbox.excludedCommands: docker *'],
  })
  const open = lockIn(undefined).replace('"failIfUnavailable": true', '"failIfUnavailable": false')
  expect(settings.read(open).unlocked).toEqual({
    switches: ['sandbox.failIfUnavailable'],
    commands: [],
  })
  expect(settings.read(plain(OWN)).lock).toBeUndefined()
})

test.each(['{"sandbox":1}', '{"sandbox":{"filesystem":[]}}', '{"permissions":{"deny":"x"}}'])(
  '%s is not understood, so nothing is written',
  (text) => {
    expect(() => lockIn(text)).toThrow(/is not an? /)
  },
)
