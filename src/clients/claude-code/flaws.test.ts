import { describe, expect, test } from 'vitest'
import type { Wiring } from '../../model/client-settings.ts'
import { canaries } from './canaries.ts'
import { settings } from './install.ts'

const wiring: Wiring = {
  scope: 'user',
  failsClosed: false,
  allowsHoldfast: false,
  statusLine: false,
  home: '/home/user/.local/state/holdfast',
  launcher: '/home/user/.local/state/holdfast/bin/holdfast',
}

const all = canaries('one')

interface Written {
  hooks: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>
}

const whole = (more: Partial<Wiring> = {}) => settings.wire(undefined, { ...wiring, ...more })

/** The settings that we write, after a change by the user. */
function changed(change: (hooks: Written['hooks']) => void): string {
  const value = JSON.parse(whole()) as Written
  change(value.hooks)
  return JSON.stringify(value)
}

const set = (event: string, fields: object) => (hooks: Written['hooks']) =>
  void Object.assign(hooks[event]?.[0]?.hooks[0] ?? {}, fields)

const match = (event: string, matcher: string) => (hooks: Written['hooks']) =>
  void Object.assign(hooks[event]?.[0] ?? {}, { matcher })

describe('the settings that we write', () => {
  test.each([{}, { failsClosed: true }, { scope: 'local' as const }, { scope: 'project' as const }])(
    'have no flaw: %j',
    (more) => expect(settings.flaws(whole(more))).toEqual([]),
  )

  test('call us once for every canary', () => {
    for (const more of [{}, { scope: 'project' as const }])
      expect(all.map((canary) => settings.called(whole(more), canary).length)).toEqual(all.map(() => 1))
  })

  test('call the guard before every action in strict mode, and otherwise never', () => {
    const guarded = (failsClosed: boolean) =>
      all.filter((canary) =>
        settings
          .called(whole({ failsClosed }), canary)
          .some(({ way }) => way.kind === 'command' && way.command.includes('strict mode is on')),
      )
    const events = new Set(guarded(true).map(({ event }) => event))
    expect(events).toEqual(new Set(['UserPromptExpansion', 'PreToolUse']))
    expect(guarded(false)).toEqual([])
  })

  test.each(['', '{}', '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "lint"}]}]}}'])(
    'have no flaw without our hooks: %s',
    (text) => expect(settings.flaws(text)).toEqual([]),
  )
})

describe('a flaw is found:', () => {
  test.each<[string, (hooks: Written['hooks']) => void, string]>([
    ['hook-missing', (hooks) => void delete hooks['Stop'], 'Stop'],
    ['hook-matcher', match('PreToolUse', 'read'), 'Read'],
    ['hook-matcher', match('PreToolUse', 'Read|Bash'), 'Write'],
    ['hook-matcher', match('PreToolUse', '('), 'Read'],
    ['hook-matcher', match('SessionStart', 'startup,resume'), 'compact'],
    ['hook-condition', set('PreToolUse', { if: 'Bash(git *)' }), 'Bash(git *)'],
    ['hook-type', set('SessionStart', { type: 'http', url: 'http://127.0.0.1:1/hook/claude-code' }), 'never'],
    ['hook-async', set('UserPromptSubmit', { async: true }), 'background'],
    ['hook-async', set('UserPromptSubmit', { asyncRewake: true }), 'background'],
    ['hook-timeout', set('PreToolUse', { timeout: 6000 }), 'looks like milliseconds'],
    ['hook-timeout', set('PreToolUse', { timeout: 0.006 }), '0.006 seconds'],
    [
      'hook-timeout',
      set('SessionStart', {
        command: '[ -x /n ]&&[ -f /h ]&&HOLDFAST_HOME=/h /n /h hook claude-code --limit 5;exit 0',
      }),
      'looks like seconds',
    ],
  ])('%s', (code, change, says) => {
    expect(settings.flaws(changed(change))).toEqual([{ code, detail: expect.stringContaining(says) }])
  })

  test('unknown events, and events that Holdfast does not handle', () => {
    const text = changed((hooks) => {
      hooks['pretooluse'] = structuredClone(hooks['PreToolUse'] ?? [])
      hooks['WorktreeCreate'] = structuredClone(hooks['Stop'] ?? [])
    })
    expect(settings.flaws(text)).toEqual([
      { code: 'hook-event', detail: 'There is no event pretooluse; did you mean PreToolUse?' },
      { code: 'hook-event', detail: 'Holdfast does not handle WorktreeCreate.' },
    ])
  })

  test('hooks under a repeated key, for all events or one', () => {
    const text = whole()
    const none = text.replace(/\}\s*$/, ', "hooks": {}}')
    expect(settings.flaws(none).map(({ code }) => code)).toEqual(['hook-shadowed'])
    const one = text.replace('"UserPromptSubmit"', '"SessionStart": [], "UserPromptSubmit"')
    expect(settings.flaws(one)).toEqual([
      { code: 'hook-shadowed', detail: expect.stringMatching(/: SessionStart\.$/) },
    ])
  })
})

test('a conditional hook, and an http hook of a commands-only event, are not called', () => {
  const [start] = all
  const text = changed(set('SessionStart', { type: 'http', url: 'http://127.0.0.1:1/hook/claude-code' }))
  expect(start && settings.called(text, start)).toEqual([])
})

test('enabling removes the setting that disables hooks, and keeps the rest', () => {
  const text = '{\n  "disableAllHooks": true,\n  "allowedHttpHookUrls": ["https://x/*"],\n  "a": 1\n}\n'
  const after = settings.enable(text)
  expect(after).toBe('{\n  "allowedHttpHookUrls": ["https://x/*"],\n  "a": 1\n}\n')
  expect(settings.enable(after)).toBe(after)
  expect(settings.read(after)).toMatchObject({ off: undefined, obstacles: [] })
})
