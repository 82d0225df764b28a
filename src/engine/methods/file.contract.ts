import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { appendFile, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import type { Files } from '../../model/files.ts'
import { call } from '../call/call.ts'
import { failure, type World } from '../world.contract.ts'

/** What `fs.*` promises. INV_FILES_OWN_FS */
export function fileContract(world: () => World): void {
  const fresh = () => join(world().project, world().name('file'))
  const read = (path: string, more: object = {}) => world().call('fs.files.read', { path, ...more })
  const append = (path: string, content: string, more: object = {}) =>
    world().call('fs.files.append', { path, content, ...more })

  describe('reading a file', () => {
    test('returns its text and its real path', async () => {
      const path = fresh()
      await writeFile(path, 'hällo\n')
      expect(await read(path)).toEqual({ path, content: 'hällo\n', size: 7, next_offset: null })
      expect(await world().call('fs.paths.resolve', { path })).toEqual({
        path,
        project: world().project,
        project_id: world().projectId,
        kind: 'file',
      })
    })

    test('in parts never cuts a character in two', async () => {
      const path = fresh()
      const text = 'aä€🦀'.repeat(50)
      await writeFile(path, text)
      for (const limit of [4, 5, 6, 7, 64]) {
        let [found, offset]: [string, number | null] = ['', 0]
        while (offset !== null) {
          const part = await read(path, { offset, limit })
          found += part.content
          offset = part.next_offset
        }
        expect(found).toBe(text)
      }
    })

    test('that is not text, or beyond the end, does not fail', async () => {
      const path = fresh()
      await writeFile(path, Buffer.alloc(100, 0xff))
      expect(await read(path, { limit: 50 })).toMatchObject({ size: 100 })
      expect(await read(path, { offset: 1000 })).toMatchObject({ content: '', next_offset: null })
      expect(await read(path, { offset: Number.MAX_SAFE_INTEGER })).toMatchObject({ content: '' })
    })

    test('follows a link that stays in the project', async () => {
      const [path, link] = [fresh(), fresh()]
      await writeFile(path, 'inside')
      await symlink(path, link)
      expect(await read(link)).toMatchObject({ path, content: 'inside' })
      await append(link, '!')
      expect(await readFile(path, 'utf8')).toBe('inside!')
    })
  })

  describe('a path', () => {
    test.each<[string, (project: string) => Promise<string> | string, string]>([
      ['that is relative', () => 'file', 'invalid'],
      ['with a NUL', (project) => `${project}/a\0b`, 'invalid'],
      ['that is empty', () => '', 'invalid'],
      ['that is too long', (project) => `${project}/${'x'.repeat(5000)}`, 'invalid'],
      ['with a part that is too long', (project) => `${project}/${'x'.repeat(300)}`, 'not-found'],
      ['with ..', (project) => `${project}/x/../../secret`, 'forbidden'],
      ['with .. that stays in the project', (project) => `${project}/x/../y`, 'forbidden'],
      ['outside of all projects', () => '/etc/passwd', 'forbidden'],
      ['that only begins like a project', (project) => `${project}-else`, 'forbidden'],
      ['in the home of the daemon', (project) => `${project}/.home/engine.db`, 'forbidden'],
      ['of the home of the daemon', (project) => `${project}/.home`, 'forbidden'],
      ['of a link out of the project', (project) => linked(project, '/etc/passwd'), 'forbidden'],
      ['of a broken link', (project) => linked(project, '/no/where'), 'forbidden'],
      ['of a link to itself', (project) => linked(project), 'forbidden'],
      ['of a link to the home', (project) => linked(project, join(project, '.home', 'x')), 'forbidden'],
      ['through a linked folder', async (p) => join(await linked(p, '/etc'), 'passwd'), 'forbidden'],
      ['of a device by a link', (project) => linked(project, '/dev/zero'), 'forbidden'],
      ['of a pipe', pipe, 'forbidden'],
      ['of a socket', socket, 'forbidden'],
      ['of a folder', (project) => project, 'forbidden'],
    ])('%s is neither read nor written', async (_, make, code) => {
      const path = await make(world().project)
      const was = await stat('/etc/passwd')
      expect(await failure(read(path))).toMatchObject({ code, field: 'path' })
      const seq = await world().lastSeq()
      expect(await failure(append(path, 'x'))).toMatchObject({ code, field: 'path' })
      expect(await world().since(seq)).toEqual([])
      expect((await stat('/etc/passwd')).size).toBe(was.size)
      await rm(join(world().project, 'strange'), { force: true })
    })

    test('whose file becomes a link meanwhile is refused', async () => {
      const path = fresh()
      await writeFile(path, 'mine')
      expect(await read(path)).toMatchObject({ content: 'mine' })
      await rename(path, `${path}.old`)
      await symlink('/etc/passwd', path)
      expect(await failure(read(path))).toMatchObject({ code: 'forbidden' })
      expect(await failure(append(path, 'x'))).toMatchObject({ code: 'forbidden' })
    })

    test('of a missing file is reported as missing, and can be resolved', async () => {
      const path = fresh()
      expect(await failure(read(path))).toMatchObject({ code: 'not-found', field: 'path' })
      expect(await world().call('fs.paths.resolve', { path })).toMatchObject({ path, kind: 'missing' })
      expect(await failure(append(join(path, 'deep'), 'x'))).toMatchObject({ code: 'not-found' })
    })
  })

  describe('appending to a file', () => {
    test('creates it, adds to it and writes to the ledger', async () => {
      const path = fresh()
      const seq = await world().lastSeq()
      expect(await append(path, 'ä\n')).toEqual({ path, offset: 0, size: 3 })
      expect(await append(path, 'b\n')).toEqual({ path, offset: 3, size: 5 })
      expect(await readFile(path, 'utf8')).toBe('ä\nb\n')
      expect(await world().since(seq)).toMatchObject([
        {
          event_type: 'file.appended',
          project_id: world().projectId,
          payload: { path, offset: 0, bytes: 3 },
        },
        { event_type: 'file.appended', payload: { path, offset: 3, bytes: 2 } },
      ])
    })

    test('never mixes the texts of concurrent calls', async () => {
      const path = fresh()
      const texts = Array.from({ length: 16 }, (_, index) => `${index.toString(16).repeat(100_000)}\n`)
      const keyed = texts.map((text, index) =>
        append(path, text, index % 2 === 0 ? {} : { idempotency_key: world().name('key') }),
      )
      await Promise.all(keyed)
      const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
      expect(lines.map((line) => `${line}\n`).toSorted()).toEqual(texts.toSorted())
    })

    test('never overwrites a concurrent append', async () => {
      const path = fresh()
      await writeFile(path, '')
      const done = new AbortController()
      let foreign = 0
      const others = (async () => {
        while (!done.signal.aborted) {
          appendFileSync(path, 'theirs\n')
          foreign++
          await turn()
        }
      })()
      for (let count = 0; count < 60; count++) await append(path, 'ours\n')
      done.abort()
      await others
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
      expect(lines.filter((line) => line === 'ours')).toHaveLength(60)
      expect(lines.filter((line) => line === 'theirs')).toHaveLength(foreign)
    })
  })

  describe('appending with a key', () => {
    const crashes: Readonly<Record<string, Files['append']>> = {
      'before anything was written': () => Promise.reject(new Error('crash')),
      'in the middle of the write': async ({ path, content }) => {
        await appendFile(path, content.slice(0, 4))
        throw new Error('crash')
      },
      'in the middle of a character': async ({ path, content }) => {
        await appendFile(path, Buffer.from(content).subarray(0, 6))
        throw new Error('crash')
      },
      'after the write': async (request) => {
        await nodeFiles.append(request)
        throw new Error('crash')
      },
    }
    const never = () => Promise.reject(new Error('crash'))
    const crashed = (append_: Files['append'], params: object) =>
      call({ ...world().context, files: { ...nodeFiles, append: append_ } }, 'fs.files.append', params, {
        notify: () => Promise.resolve(),
        gone: new AbortController().signal,
      })

    test.each(Object.entries(crashes))('happens once even if the process died %s', async (_, crash) => {
      const path = fresh()
      await writeFile(path, 'before\n')
      const params = { path, content: 'line ä\n', idempotency_key: world().name('key') }
      await expect(crashed(crash, params)).rejects.toThrow('crash')
      const seq = await world().lastSeq()
      const answer = { path, offset: 7, size: 15 }
      expect(await world().call('fs.files.append', params)).toEqual(answer)
      expect(await world().call('fs.files.append', params)).toEqual(answer)
      expect(await readFile(path, 'utf8')).toBe('before\nline ä\n')
      expect(await world().since(seq)).toMatchObject([{ event_type: 'file.appended' }])
    })

    test.each(Object.entries(crashes))(
      'that died %s still happens once after other writes',
      async (when, crash) => {
        const path = fresh()
        const params = { path, content: 'line ä\n', idempotency_key: world().name('key') }
        await expect(crashed(crash, params)).rejects.toThrow('crash')
        // The same text, so that one could be mistaken for the other.
        await append(path, 'line ä\n')
        await world().call('fs.files.append', params)
        await world().call('fs.files.append', params)
        // A partial append before other writes cannot be completed, only repeated.
        const rest = when.startsWith('in the middle') ? '.{4,6}' : ''
        expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${rest}line ä\nline ä\n$`))
      },
    )

    test('happens once even if the process died twice, with other writes in between', async () => {
      const path = fresh()
      const params = { path, content: 'ours\n', idempotency_key: world().name('key') }
      await expect(crashed(() => Promise.reject(new Error('crash')), params)).rejects.toThrow('crash')
      await append(path, 'theirs\n')
      const afterTheWrite = crashes['after the write']
      await expect(
        crashed(afterTheWrite ?? ((request) => nodeFiles.append(request)), params),
      ).rejects.toThrow('crash')
      await append(path, 'theirs\n')
      await world().call('fs.files.append', params)
      expect(await readFile(path, 'utf8')).toBe('theirs\nours\ntheirs\n')
    })

    test('keeps two crashed appends of the same text apart', async () => {
      const path = fresh()
      const params = (key: string) => ({ path, content: 'same\n', idempotency_key: key })
      const [first, second] = [world().name('key'), world().name('key')]
      const before = () => Promise.reject(new Error('crash'))
      await expect(crashed(before, params(first))).rejects.toThrow('crash')
      await expect(crashed(crashes['after the write'] ?? before, params(second))).rejects.toThrow('crash')
      await world().call('fs.files.append', params(first))
      await world().call('fs.files.append', params(second))
      expect(await readFile(path, 'utf8')).toBe('same\nsame\n')
    })

    test('finds two appends that died after their write, each at its offset', async () => {
      const path = fresh()
      const params = (text: string) => ({ path, content: text, idempotency_key: world().name('key') })
      const [first, second] = [params('first\n'), params('second\n')]
      for (const one of [first, second])
        await expect(crashed(crashes['after the write'] ?? never, one)).rejects.toThrow('crash')
      // The ledger gets the first only now, after the start of the second.
      for (const one of [first, second]) await world().call('fs.files.append', one)
      expect(await readFile(path, 'utf8')).toBe('first\nsecond\n')
    })

    test('writes two appends with the same offset once each, even if one dies again', async () => {
      const path = fresh()
      const params = (text: string) => ({ path, content: text, idempotency_key: world().name('key') })
      const [first, second] = [params('first\n'), params('second\n')]
      for (const one of [first, second]) await expect(crashed(never, one)).rejects.toThrow('crash')
      await expect(crashed(crashes['after the write'] ?? never, first)).rejects.toThrow('crash')
      for (const one of [first, second]) await world().call('fs.files.append', one)
      expect(await readFile(path, 'utf8')).toBe('first\nsecond\n')
    })

    test('refuses the key for another text or another file', async () => {
      const path = fresh()
      const idempotency_key = world().name('key')
      await append(path, 'a', { idempotency_key })
      for (const work of [
        () => append(path, 'b', { idempotency_key }),
        () => append(fresh(), 'a', { idempotency_key }),
      ])
        expect(await failure(work())).toMatchObject({ code: 'conflict', field: 'idempotency_key' })
      expect(await readFile(path, 'utf8')).toBe('a')
    })
  })
}

/** A link in the project, by default to itself. */
async function linked(project: string, to = join(project, 'strange')): Promise<string> {
  const path = join(project, 'strange')
  await symlink(to, path)
  return path
}

async function pipe(project: string): Promise<string> {
  const path = join(project, 'strange')
  execFileSync('mkfifo', [path])
  return path
}

async function socket(project: string): Promise<string> {
  const folder = join(project, 's')
  await mkdir(folder, { recursive: true })
  const path = join(folder, 's')
  await rm(path, { force: true })
  const server = createServer().unref()
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  // Renamed, so that closing does not remove it.
  await rename(path, join(project, 'strange'))
  await new Promise((resolve) => void server.close(resolve))
  return join(project, 'strange')
}
