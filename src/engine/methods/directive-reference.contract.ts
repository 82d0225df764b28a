import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderOf } from './directive.contract.ts'
import { failure, type Answer, type World, writeFiles } from '../world.contract.ts'

/** What following and resolving references promise. */
export function referenceContract(world: () => World): void {
  const folderWith = (files: Readonly<Record<string, string>>) => folderOf(world(), files)
  const dereference = (path: string, more: object = {}): Promise<Answer> =>
    world().call('agent.directives.dereference', { path, ...more })
  const resolve = (name: string, path: string): Promise<Answer> =>
    world().call('agent.directives.resolve', { name, path })
  const command = (name: string) => `.directives/commands/${name}.md`
  const own = (name: string) => join(world().own, command(name))

  describe('following references', () => {
    const named = (found: Answer) =>
      (found as { name: string; depth: number }[]).map((x) => [x.name, x.depth])

    test('reads named files outside of code, breadth first, each once, in order', async () => {
      const folder = await folderWith({
        'SKILL.md': 'Do §CMD_B and §CMD_A, then §CMD_B again.\n```\n§CMD_D\n```\nNot `§CMD_D`.',
        [command('CMD_A')]: 'A needs §CMD_C.',
        [command('CMD_B')]: 'B needs §FMT_X and §CMD_A.',
        [command('CMD_C')]: 'C needs §CMD_D.',
        [command('CMD_D')]: 'D',
        '.directives/formats/FMT_X.md': 'X keeps §INV_Y.',
        '.directives/invariants/INV_Y.md': 'Y',
      })
      const path = join(folder, 'SKILL.md')
      const { found, missing, truncated, looked_in } = await dereference(path)
      expect(named(found)).toEqual([
        ['CMD_B', 1],
        ['CMD_A', 1],
        ['FMT_X', 2],
        ['CMD_C', 2],
      ])
      expect(found[2]).toEqual({
        name: 'FMT_X',
        kind: 'format',
        path: join(folder, '.directives/formats/FMT_X.md'),
        content: 'X keeps §INV_Y.',
        truncated: false,
        depth: 2,
        from: join(folder, command('CMD_B')),
      })
      expect(found[0].from).toBe(path)
      expect([missing, truncated]).toEqual([[], false])
      const { packaged } = world().context
      const folders = [folder, world().project, world().own, packaged]
      expect(looked_in).toEqual(folders.map((at) => join(at, '.directives')))
      expect(named((await dereference(path, { depth: 1 })).found)).toHaveLength(2)
      expect(named((await dereference(path, { depth: 5 })).found)).toEqual([
        ...named(found),
        ['INV_Y', 3],
        ['CMD_D', 3],
      ])
    })

    test('survives cycles, even through the first file', async () => {
      const folder = await folderWith({
        [command('CMD_A')]: '# §CMD_A\n§CMD_B',
        [command('CMD_B')]: '§CMD_B §CMD_A §CMD_C',
        [command('CMD_C')]: '§CMD_A',
      })
      const { found, missing } = await dereference(join(folder, command('CMD_A')), { depth: 5 })
      expect(named(found)).toEqual([
        ['CMD_B', 1],
        ['CMD_C', 2],
      ])
      expect(missing).toEqual([])
      const outside = await dereference(folder, { text: '§CMD_C', depth: 5 })
      expect(named(outside.found)).toEqual([
        ['CMD_C', 1],
        ['CMD_A', 2],
        ['CMD_B', 3],
      ])
    })

    test('lists missing references, with where they were named and searched', async () => {
      const folder = await folderWith({ [command('CMD_A')]: '§INV_GONE', 'a/b': '' })
      const path = join(folder, 'a')
      const answer = await dereference(path, { text: '§CMD_A §CMD_GONE §INV_GONE' })
      expect(named(answer.found)).toEqual([['CMD_A', 1]])
      expect(answer.missing).toEqual([
        { name: 'CMD_GONE', kind: 'command', from: path, depth: 1 },
        { name: 'INV_GONE', kind: 'invariant', from: path, depth: 1 },
      ])
      expect(answer.looked_in.slice(0, 2)).toEqual([join(path, '.directives'), join(folder, '.directives')])
    })

    test('finds the nearest one, and the user’s own directives last', async () => {
      const name = `CMD_OWN_${world().name('x').replace('-', '_').toUpperCase()}`
      await writeFiles({ [own(name)]: 'of the user: §CMD_LOCAL' })
      const folder = await folderWith({
        [command('CMD_LOCAL')]: 'far',
        [`a/${command('CMD_LOCAL')}`]: 'near',
        'a/b/c': '',
      })
      const text = `§${name}`
      const contents = async (path: string) =>
        (await dereference(path, { text })).found.map((one: { content: string }) => one.content)
      expect(await contents(join(folder, 'a/b'))).toEqual(['of the user: §CMD_LOCAL', 'near'])
      expect(await contents(folder)).toEqual(['of the user: §CMD_LOCAL', 'far'])
      await writeFiles({ [join(folder, 'a', command(name))]: 'replaced' })
      expect(await contents(join(folder, 'a/b'))).toEqual(['replaced'])
    })

    test('reads nothing behind a link or without permission', async () => {
      const folder = await folderWith({
        [command('CMD_OUT')]: '->/etc/passwd',
        [command('CMD_HOME')]: `->${join(world().home, 'engine.db')}`,
        [command('CMD_FOLDER')]: '->..',
        [command('CMD_GONE')]: '->gone.md',
        [command('CMD_CLOSED')]: 'closed',
        [command('CMD_IN')]: '->CMD_REAL.md',
        [command('CMD_REAL')]: 'real',
      })
      await writeFiles({ [join(world().home, 'engine.db')]: 'secret' })
      await chmod(join(folder, command('CMD_CLOSED')), 0)
      const text = '§CMD_OUT §CMD_HOME §CMD_FOLDER §CMD_GONE §CMD_IN'
      const { found, missing } = await dereference(folder, { text })
      expect(found).toMatchObject([
        { name: 'CMD_IN', path: join(folder, command('CMD_REAL')), content: 'real' },
      ])
      expect(missing).toHaveLength(4)
      // Root may read every file, whatever its mode.
      const closed = await dereference(folder, { text: '§CMD_CLOSED' })
      expect(process.getuid?.() === 0 ? closed.found : closed.missing).toMatchObject([{ name: 'CMD_CLOSED' }])
    })

    test('reads nothing of the user outside of their directives, which may be anywhere', async () => {
      const { own: folderOfUser } = world()
      const elsewhere = await folderWith({ 'kept/commands/CMD_KEPT.md': 'kept', 'secret.md': 'secret' })
      await rm(join(folderOfUser, '.directives'), { recursive: true, force: true })
      await mkdir(folderOfUser, { recursive: true })
      await symlink(join(elsewhere, 'kept'), join(folderOfUser, '.directives'))
      await symlink(join(elsewhere, 'secret.md'), join(elsewhere, 'kept/commands/CMD_SECRET.md'))
      const { found, missing } = await dereference(await folderWith({}), { text: '§CMD_KEPT §CMD_SECRET' })
      expect([named(found), named(missing)]).toEqual([[['CMD_KEPT', 1]], [['CMD_SECRET', 1]]])
      await rm(join(folderOfUser, '.directives'))
      await symlink('nowhere', join(folderOfUser, '.directives'))
      expect(named((await dereference(await folderWith({}), { text: '§CMD_KEPT' })).missing)).toHaveLength(1)
      await rm(join(folderOfUser, '.directives'))
    })

    test('reports where it was cut short', async () => {
      const folder = await folderWith({
        [command('CMD_LONG')]: `${'ä'.repeat(40_000)}§CMD_UNSEEN`,
        [command('CMD_SHORT')]: 'short',
        'SKILL.md': `§CMD_SHORT ${'x'.repeat(300_000)} §CMD_LONG`,
      })
      const long = await dereference(folder, { text: '§CMD_LONG §CMD_SHORT' })
      expect(long).toMatchObject({ truncated: true, missing: [] })
      expect(long.found).toMatchObject([{ truncated: true }, { truncated: false, content: 'short' }])
      expect(Buffer.byteLength(long.found[0].content)).toBe(65_536)
      const source = await dereference(join(folder, 'SKILL.md'))
      expect(source).toMatchObject({ truncated: true, found: [{ name: 'CMD_SHORT', truncated: false }] })
    })

    test('limits the size and the number of files', async () => {
      const many = Array.from({ length: 6 }, (_, index) => `CMD_${index}`)
      const folder = await folderWith(
        Object.fromEntries(many.map((name) => [command(name), 'y'.repeat(60_000)])),
      )
      const large = await dereference(folder, { text: many.map((name) => `§${name}`).join(' ') })
      const lengths = large.found.map((one: { content: string }) => one.content.length)
      expect(lengths).toEqual([60_000, 60_000, 60_000, 60_000, 22_144, 0])
      expect(large.truncated).toBe(true)
      const text = Array.from({ length: 251 }, (_, index) => `§CMD_NONE_${index}`).join(' ')
      const countless = await dereference(folder, { text })
      expect([countless.missing.length, countless.truncated]).toEqual([250, true])
    })

    test('requires a readable first file', async () => {
      const folder = await folderWith({})
      const gone = await failure(dereference(join(folder, 'gone.md')))
      expect(gone).toMatchObject({ code: 'not-found', field: 'path' })
      expect(await failure(dereference(folder))).toMatchObject({ code: 'forbidden', field: 'path' })
      const text = { text: '', depth: 6 }
      expect(await failure(dereference(folder, text))).toMatchObject({ code: 'invalid', field: 'depth' })
    })
  })

  describe('resolving a reference', () => {
    test('returns its target, with and without the sign', async () => {
      const folder = await folderWith({
        [command('CMD_X')]: '',
        'a/b.md': '',
        '.directives/formats/FMT_X.md': '',
      })
      const answer = { name: 'CMD_X', kind: 'command', path: join(folder, command('CMD_X')), folder }
      for (const name of ['§CMD_X', 'CMD_X'])
        for (const path of ['a/b.md', 'a', '.', 'not/there', '.directives/commands'])
          expect(await resolve(name, join(folder, path))).toEqual(answer)
      expect(await resolve('FMT_X', folder)).toMatchObject({ kind: 'format' })
    })

    test('returns the searched places, and where to write a missing file', async () => {
      const folder = await folderWith({ 'a/b.md': '' })
      const { project } = world()
      const refused = await failure(resolve('§CMD_NONE', join(folder, 'a/b.md')))
      expect(refused).toMatchObject({
        code: 'not-found',
        field: 'name',
        hint: expect.stringContaining(join(project, command('CMD_NONE'))),
      })
      for (const at of [join(folder, 'a'), folder, project, world().own])
        expect(refused.message).toContain(join(at, command('CMD_NONE')))
      const deep = join(folder, 'deep/'.repeat(500))
      expect((await failure(resolve('CMD_NONE', deep))).message.length).toBeLessThan(20_000)
    })

    test.each(['', 'X', '§', '§TAG_X', 'CMD_', 'CMD_x', 'CMD_X/../Y', '../CMD_X', `CMD_${'X'.repeat(300)}`])(
      'refuses %j, which is not a reference',
      async (name) => {
        expect(await failure(resolve(name, world().project))).toMatchObject({
          code: 'invalid',
          field: 'name',
        })
      },
    )
  })
}

/** A new command among the directives of the project; returns how it is called. */
export async function commandFile({ project, name }: World): Promise<string> {
  const folder = join(project, '.directives', 'commands')
  await mkdir(folder, { recursive: true })
  const reference = `CMD_${name('sample').toUpperCase().replace('-', '_')}`
  await writeFile(join(folder, `${reference}.md`), 'Do it.\n')
  return reference
}
