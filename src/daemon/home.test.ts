import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkPrivate, findHome, preparePrivateFolders } from './home.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('the paths of a home', () => {
  test.each<[string, Record<string, string>, string]>([
    ['HOLDFAST_HOME sets the folder', { HOLDFAST_HOME: '/a/b', XDG_STATE_HOME: '/x' }, '/a/b'],
    ['a relative HOLDFAST_HOME is resolved', { HOLDFAST_HOME: 'a' }, resolve('a')],
    ['XDG_STATE_HOME comes second', { XDG_STATE_HOME: '/x', HOME: '/h' }, '/x/holdfast'],
    ['HOME comes third', { HOME: '/h' }, '/h/.local/state/holdfast'],
    ['the home of the account comes last', {}, join(homedir(), '.local/state/holdfast')],
    [
      'empty variables count as missing',
      { HOLDFAST_HOME: '', XDG_STATE_HOME: '', HOME: '/h' },
      '/h/.local/state/holdfast',
    ],
  ])('%s', (_, env, folder) => {
    expect(findHome(env)).toEqual({
      folder,
      socket: join(folder, 'engine.sock'),
      lock: join(folder, 'lock.db'),
      turn: join(folder, 'turn.db'),
      log: join(folder, 'daemon.log'),
      about: join(folder, 'daemon.json'),
      backups: join(folder, 'backups'),
      ballast: join(folder, 'ballast.bin'),
      machine: join(folder, 'machine-id'),
      pause: join(folder, 'pause.json'),
      forgetting: join(folder, 'forgetting.json'),
      config: join(env['HOME'] ?? homedir(), '.config', 'holdfast', 'config.yaml'),
      overlays: join(env['HOME'] ?? homedir(), '.config', 'holdfast', 'skills'),
      keys: join(env['HOME'] ?? homedir(), '.config', 'holdfast', 'keys'),
      programs: join(env['HOME'] ?? homedir(), '.local/share/holdfast'),
      cache: join(env['HOME'] ?? homedir(), '.cache/holdfast'),
      launcher: join(folder, 'bin', 'holdfast'),
      hookKey: join(folder, 'hook.json'),
      fullKey: join(folder, 'http.json'),
      opensHttp: true,
      database: join(folder, 'engine.db'),
      isPostgres: false,
      staleAfterSeconds: 300,
      backsUp: true,
      keepBackups: 7,
      keepDays: 30,
      keepMegabytes: 1024,
      memoryMilliseconds: 500,
      questionMilliseconds: 1500,
      user: {
        home: env['HOME'] ?? homedir(),
        clients: new Map([['claude-code', join(env['HOME'] ?? homedir(), '.claude')]]),
      },
    })
  })

  test('files outside of projects are in the folder that the client names', () => {
    const folderIn = (given: string) =>
      findHome({ HOME: '/h', CLAUDE_CONFIG_DIR: given }).user.clients.get('claude-code')
    expect(folderIn('/c')).toBe('/c')
    expect(folderIn('')).toBe('/h/.claude')
    expect(folderIn('below')).toBe(join(process.cwd(), 'below'))
  })

  test('a shared database is at its URL', () => {
    const env = { HOLDFAST_HOME: '/a', HOLDFAST_DATABASE_URL: 'postgres://u@h/d' }
    expect(findHome(env)).toMatchObject({
      database: 'postgres://u@h/d',
      isPostgres: true,
      lock: '/a/lock.db',
    })
    expect(findHome({ ...env, HOLDFAST_DATABASE_URL: '' })).toMatchObject({ isPostgres: false })
  })

  test.each([
    ['fits', '/' + 'x'.repeat(87), true],
    ['is one byte too long', '/' + 'x'.repeat(88), false],
    ['is too long in bytes, not in characters', '/' + 'ä'.repeat(44), false],
  ])('a socket path that %s', (_, folder, isInside) => {
    const { socket } = findHome({ HOLDFAST_HOME: folder })
    expect(socket.startsWith(`${folder}/`)).toBe(isInside)
    expect(socket.startsWith(`/tmp/holdfast-${userInfo().uid}/`)).toBe(!isInside)
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100)
  })

  test('two deep homes do not share a socket', () => {
    const socket = (name: string) => findHome({ HOLDFAST_HOME: `/${'x'.repeat(200)}/${name}` }).socket
    expect(socket('a')).toBe(socket('a'))
    expect(socket('a')).not.toBe(socket('b'))
  })

  test('a deep home has the same socket in any environment', () => {
    const home = { HOLDFAST_HOME: `/${'x'.repeat(200)}` }
    const others = { TMPDIR: '/elsewhere', XDG_RUNTIME_DIR: '/run/user/1' }
    expect(findHome({ ...home, ...others }).socket).toBe(findHome(home).socket)
  })
})

describe('privacy', () => {
  test('folders are created private, with all their parents, whatever the umask', () => {
    const folder = temporary()
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const home = findHome({ HOLDFAST_HOME: join(folder, 'a/b'), HOME: folder })
    preparePrivateFolders(home)
    for (const made of [home.folder, dirname(home.folder)]) expect(statSync(made).mode & 0o777).toBe(0o700)
    expect(() => preparePrivateFolders(home)).not.toThrow()
  })

  test.each<[string, (path: string) => void, RegExp, string | undefined]>([
    [
      'is open to a group',
      (path) => makeFolder(path, 0o750),
      /is accessible to other users/,
      'chmod go-rwx PATH',
    ],
    [
      'is open to all',
      (path) => makeFolder(path, 0o701),
      /is accessible to other users/,
      'chmod go-rwx PATH',
    ],
    [
      'is a link',
      (path) => symlinkSync(tmpdir(), path),
      /is a symbolic link, so it is not trusted/,
      undefined,
    ],
    [
      'is a file',
      (path) => writeFileSync(path, ''),
      /cannot be created: a file with that name exists/,
      undefined,
    ],
  ])('a home that %s is refused', (_, make, why, hint) => {
    const path = join(temporary(), 'home')
    make(path)
    const error = caught(() => preparePrivateFolders(findHome({ HOLDFAST_HOME: path })))
    expect(error).toMatchObject({ message: expect.stringMatching(why) })
    expect(error).toMatchObject({
      hint: hint?.replace('PATH', path) ?? 'Set HOLDFAST_HOME to a folder that you own.',
    })
  })

  test('checking a missing path is an error', () => {
    expect(() => checkPrivate(join(temporary(), 'nothing'))).toThrow('ENOENT')
  })
})

function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}

function caught(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}
