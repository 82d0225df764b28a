import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { SCOPES, type Wiring } from '../model/client-settings.ts'
import type { Client } from '../model/client.ts'
import { SKILL_FILES } from '../skills/find.ts'
import type { Subject } from './subject.contract.ts'

const FOLDERS = { user: '/home/user/own', project: '/home/user/project' }
const WIRING: Omit<Wiring, 'scope'> = {
  failsClosed: false,
  allowsHoldfast: false,
  statusLine: false,
  home: '/home/user/.local/state/holdfast',
  launcher: '/home/user/.local/state/holdfast/bin/holdfast',
}

/** Wiring and unwiring change only our hooks in the settings of a client. */
export function settingsContract({ client, voice }: Subject): void {
  const { settings } = client

  test('of a user are in the folder of the client, others in the project', () => {
    const [user, local, project] = SCOPES.map((scope) => settings.path(scope, FOLDERS))
    expect(user).toMatch(/^\/home\/user\/own\//)
    expect(local).toMatch(/^\/home\/user\/project\//)
    expect(project).toMatch(/^\/home\/user\/project\//)
    expect(new Set([user, local, project]).size).toBe(3)
  })

  describe.each(SCOPES)('of scope %s', (scope) => {
    const wiring = { ...WIRING, scope }

    test.each([undefined, voice.settings])('are wired so that every canary calls us: %j', (text) => {
      const wired = settings.wire(text, wiring)
      expect(settings.wire(wired, wiring)).toBe(wired)
      const { ways, failsClosed, allowsHoldfast, obstacles } = settings.read(wired)
      expect(ways.length).toBeGreaterThan(0)
      expect({ failsClosed, allowsHoldfast, obstacles }).toEqual({
        failsClosed: false,
        allowsHoldfast: false,
        obstacles: [],
      })
      expect(settings.flaws(wired)).toEqual([])
      for (const canary of client.canaries('one')) expect(settings.called(wired, canary)).not.toEqual([])
    })

    test('are restored exactly by unwiring', () => {
      const wired = settings.wire(voice.settings, wiring)
      expect(settings.unwire(wired, voice.settings)).toBe(voice.settings)
      expect(settings.read(settings.unwire(wired, undefined)).ways).toEqual([])
    })

    test('contain local paths only if they are not shared', () => {
      const wired = settings.wire(undefined, wiring)
      const isPrivate = [WIRING.home, WIRING.launcher].some((text) => wired.includes(text))
      expect(isPrivate).toBe(scope !== 'project')
    })
  })

  test('without our hooks have no ways, flaws or calls', () => {
    for (const text of ['', voice.settings]) {
      expect(settings.read(text)).toMatchObject({ ways: [], failsClosed: false, obstacles: [] })
      expect(settings.flaws(text)).toEqual([])
      for (const canary of client.canaries('one')) expect(settings.called(text, canary)).toEqual([])
    }
  })
}

/** The names, folders and variables of a client. */
export function surroundingsContract({ client, voice }: Subject): void {
  test('its name is valid in a URL', () => {
    expect(client.name).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/)
  })

  test('its folder is in the home of the user, and has its own name in a project', () => {
    expect(client.folders.user('/home/user', {})).toMatch(/^\/home\/user\/./)
    expect(client.folders.project).toMatch(/^\.[^/]+$/)
  })

  test('its sessions are identified by its own variables and can be resumed', () => {
    const env = voice.environment('one')
    expect(client.sessionIn(env)).toBe('one')
    expect(client.sessionIn({})).toBeUndefined()
    for (const name of Object.keys(env)) expect(name.startsWith(client.variables)).toBe(true)
    expect(client.resume('one')).toContain('one')
  })

  test('its transcript can be any text', () => {
    fc.assert(
      fc.property(anyString(), (text) => {
        expect(client.transcript(text).messages).toBeInstanceOf(Array)
      }),
    )
  })

  test('its instruction files have relative names', () => {
    for (const name of [...client.instructions.names, ...client.instructions.otherwise])
      expect(name).toMatch(/^[^/].*\.md$/)
  })

  if (client.plugins !== undefined) pluginsContract(client.plugins)
}

function pluginsContract(plugins: NonNullable<Client['plugins']>): void {
  test('the search for skills finds its plugins', () => {
    expect(plugins.manifest).toMatch(SKILL_FILES)
    expect(plugins.list).toMatch(/^[^/]/)
  })

  test('any list and settings give plugins with absolute folders, or none', () => {
    const text = fc.option(fc.oneof(fc.string(), fc.json()), { nil: undefined })
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (list, settings) => {
        for (const { folder } of plugins.installed(list, settings, '/p')) expect(folder).toMatch(/^\//)
      }),
    )
    expect(plugins.installed(undefined, [], '/p')).toEqual([])
  })

  test('its commands name the plugin', () => {
    expect(plugins.update('a@b')).toContain('a@b')
    expect(plugins.disable('a@b')).toContain('a@b')
  })
}
