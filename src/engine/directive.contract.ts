import { execFileSync } from 'node:child_process'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type Answer, type World } from './world.contract.ts'

/** What `agent.directives.*` promise. */
export function directiveContract(world: () => World): void {
  /** A folder of its own in the project, with these files; a text that begins with `->` is a link. */
  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(world().project, world().name('work'))
    await mkdir(folder)
    for (const [name, text] of Object.entries(files)) await put(join(folder, name), text)
    return folder
  }
  const discover = (path: string, more: object = {}): Promise<Answer> =>
    world().call('agent.directives.discover', { path, ...more })
  const dereference = (path: string, more: object = {}): Promise<Answer> =>
    world().call('agent.directives.dereference', { path, ...more })
  const resolve = (name: string, path: string): Promise<Answer> =>
    world().call('agent.directives.resolve', { name, path })
  const command = (name: string) => `.directives/commands/${name}.md`
  const own = (name: string) => join(world().context.user.claude, command(name))

  describe('the directives in force', () => {
    const below = (folder: string, found: Answer) =>
      (found as { type: string; path: string; folder: string }[])
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .map(({ type, path, folder: of }) => [
          type,
          path.slice(folder.length + 1),
          of.slice(folder.length + 1),
        ])

    test('are those of the folder and of all above it, nearest first', async () => {
      const folder = await folderWith({
        'AGENTS.md': 'top',
        'a/.directives/AGENTS.md': 'middle',
        'a/.directives/INVARIANTS.md': 'middle',
        'a/b/COMMANDS.md': 'near',
        'a/other/AGENTS.md': 'elsewhere',
      })
      const inForce = [
        ['COMMANDS', 'a/b/COMMANDS.md', 'a/b'],
        ['AGENTS', 'a/.directives/AGENTS.md', 'a'],
        ['INVARIANTS', 'a/.directives/INVARIANTS.md', 'a'],
        ['AGENTS', 'AGENTS.md', ''],
      ]
      for (const path of ['a/b', 'a/b/new.ts', 'a/b/COMMANDS.md'])
        expect(below(folder, await discover(join(folder, path)))).toEqual(inForce)
      expect(below(folder, await discover(join(folder, 'a/b/not/yet/there.ts')))).toEqual(inForce)
      expect(await discover(join(folder, 'a/b'))).toContainEqual({
        type: 'COMMANDS',
        path: join(folder, 'a/b/COMMANDS.md'),
        folder: join(folder, 'a/b'),
        kind: 'soft',
      })
    })

    test('reach up to the root of the project and no further', async () => {
      const folder = await folderWith({ 'AGENTS.md': 'outer', 'inner/AGENTS.md': 'inner', 'inner/x/y': '' })
      await world().call('db.project.upsert', { path: join(folder, 'inner') })
      expect(below(folder, await discover(join(folder, 'inner/x')))).toEqual([
        ['AGENTS', 'inner/AGENTS.md', 'inner'],
      ])
    })

    test('are taken from .directives where a folder has both', async () => {
      const folder = await folderWith({
        'AGENTS.md': 'flat',
        '.directives/AGENTS.md': 'kept',
        'COMMANDS.md': '',
      })
      const found = [
        ['AGENTS', '.directives/AGENTS.md', ''],
        ['COMMANDS', 'COMMANDS.md', ''],
      ]
      expect(below(folder, await discover(folder))).toEqual(found)
      expect(below(folder, await discover(join(folder, '.directives/AGENTS.md')))).toEqual(found)
    })

    test('are of the core types, and of those that are asked for or that the skill declares', async () => {
      const folder = await folderWith({
        'AGENTS.md': '',
        'TESTING.md': '',
        'PITFALLS.md': '',
        'Eigenes.md': '',
      })
      const skill = world().name('skill')
      const project_id = world().projectId
      const directives = ['TESTING.md', '../secret.md', 'Eigenes', '']
      await world().call('db.skills.upsert', { name: skill, project_id, directives })
      const typesOf = async (more: object) =>
        below(folder, await discover(folder, more)).map(([type]) => type)
      expect(await typesOf({})).toEqual(['AGENTS'])
      expect(await typesOf({ types: ['PITFALLS.md', 'NOT_THERE', 'AGENTS'] })).toEqual(['AGENTS', 'PITFALLS'])
      expect(await typesOf({ skill })).toEqual(['AGENTS', 'TESTING', 'Eigenes'])
      expect(await typesOf({ skill, types: ['PITFALLS'] })).toEqual([
        'AGENTS',
        'PITFALLS',
        'TESTING',
        'Eigenes',
      ])
    })

    test('of a skill that is not stored are refused with what was meant', async () => {
      const skill = world().name('implementation')
      await world().call('db.skills.upsert', { name: skill, project_id: world().projectId })
      expect(await failure(discover(world().project, { skill: `${skill}s` }))).toMatchObject({
        code: 'not-found',
        field: 'skill',
        message: expect.stringContaining(skill),
      })
    })

    test.each(['', '.', '..', '../AGENTS', 'a/b', '/etc/passwd', '.hidden', 'a\0', 'X'.repeat(150)])(
      'are not of the type %j',
      async (type) => {
        expect(await failure(discover(world().project, { types: ['TESTING', type] }))).toMatchObject({
          code: 'invalid',
          field: 'types.1',
        })
      },
    )

    test('are listed once, by whatever links they are reached', async () => {
      const folder = await folderWith({
        'CLAUDE.md': 'all',
        'AGENTS.md': '->CLAUDE.md',
        'COMMANDS.md': '->AGENTS.md',
        'a/AGENTS.md': '->../CLAUDE.md',
      })
      expect(below(folder, await discover(join(folder, 'a')))).toEqual([['AGENTS', 'CLAUDE.md', 'a']])
      await symlink(join(folder, 'a'), join(folder, 'alias'))
      expect(below(folder, await discover(join(folder, 'alias')))).toEqual([['AGENTS', 'CLAUDE.md', 'a']])
    })

    test('are not what links, folders and pipes lead to', async () => {
      const folder = await folderWith({
        '.directives/AGENTS.md': '->/etc/passwd',
        'AGENTS.md': 'flat',
        '.directives/INVARIANTS.md': '->nowhere.md',
        'ARCHITECTURE.md/x': 'a folder',
        'TESTING.md': '->TESTING.md',
        'PITFALLS.md': `->${join(world().home, 'engine.db')}`,
      })
      await put(join(world().home, 'engine.db'), '')
      execFileSync('mkfifo', [join(folder, 'COMMANDS.md')])
      const found = await discover(folder, { types: ['TESTING', 'PITFALLS'] })
      expect(below(folder, found)).toEqual([['AGENTS', 'AGENTS.md', '']])
      expect(JSON.stringify(found)).not.toMatch(/passwd|engine\.db/)
    })
  })

  describe('following references', () => {
    const named = (found: Answer) =>
      (found as { name: string; depth: number }[]).map((x) => [x.name, x.depth])

    test('reads what is named outside of code, breadth first, each once, in order', async () => {
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
      expect(looked_in).toEqual(
        [folder, world().project, world().context.user.claude].map((at) => join(at, '.directives')),
      )
      expect(named((await dereference(path, { depth: 1 })).found)).toHaveLength(2)
      expect(named((await dereference(path, { depth: 5 })).found)).toEqual([
        ...named(found),
        ['INV_Y', 3],
        ['CMD_D', 3],
      ])
    })

    test('survives circles, also through the file itself', async () => {
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

    test('lists what is missing, with where it was named and looked for', async () => {
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

    test('finds the nearest, and last what the user keeps for all projects', async () => {
      const name = `CMD_OWN_${world().name('x').replace('-', '_').toUpperCase()}`
      await put(own(name), 'of the user: §CMD_LOCAL')
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
      await put(join(folder, 'a', command(name)), 'replaced')
      expect(await contents(join(folder, 'a/b'))).toEqual(['replaced'])
    })

    test('reads nothing that a link or a right keeps away', async () => {
      const folder = await folderWith({
        [command('CMD_OUT')]: '->/etc/passwd',
        [command('CMD_HOME')]: `->${join(world().home, 'engine.db')}`,
        [command('CMD_FOLDER')]: '->..',
        [command('CMD_GONE')]: '->gone.md',
        [command('CMD_CLOSED')]: 'closed',
        [command('CMD_IN')]: '->CMD_REAL.md',
        [command('CMD_REAL')]: 'real',
      })
      await put(join(world().home, 'engine.db'), 'secret')
      await chmod(join(folder, command('CMD_CLOSED')), 0)
      const text = '§CMD_OUT §CMD_HOME §CMD_FOLDER §CMD_GONE §CMD_IN'
      const { found, missing } = await dereference(folder, { text })
      expect(found).toMatchObject([
        { name: 'CMD_IN', path: join(folder, command('CMD_REAL')), content: 'real' },
      ])
      expect(missing).toHaveLength(4)
      // Root may read everything, whatever the file says.
      const closed = await dereference(folder, { text: '§CMD_CLOSED' })
      expect(process.getuid?.() === 0 ? closed.found : closed.missing).toMatchObject([{ name: 'CMD_CLOSED' }])
    })

    test('takes nothing of the user that lies outside of their directives, but those may lie elsewhere', async () => {
      const { claude } = world().context.user
      const elsewhere = await folderWith({ 'kept/commands/CMD_KEPT.md': 'kept', 'secret.md': 'secret' })
      await rm(join(claude, '.directives'), { recursive: true, force: true })
      await mkdir(claude, { recursive: true })
      await symlink(join(elsewhere, 'kept'), join(claude, '.directives'))
      await symlink(join(elsewhere, 'secret.md'), join(elsewhere, 'kept/commands/CMD_SECRET.md'))
      const { found, missing } = await dereference(await folderWith({}), { text: '§CMD_KEPT §CMD_SECRET' })
      expect([named(found), named(missing)]).toEqual([[['CMD_KEPT', 1]], [['CMD_SECRET', 1]]])
      await rm(join(claude, '.directives'))
      await symlink('nowhere', join(claude, '.directives'))
      expect(named((await dereference(await folderWith({}), { text: '§CMD_KEPT' })).missing)).toHaveLength(1)
      await rm(join(claude, '.directives'))
    })

    test('says where it was cut short', async () => {
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

    test('reads only so much and so many', async () => {
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

    test('begins with a file that can be read', async () => {
      const folder = await folderWith({})
      const gone = await failure(dereference(join(folder, 'gone.md')))
      expect(gone).toMatchObject({ code: 'not-found', field: 'path' })
      expect(await failure(dereference(folder))).toMatchObject({ code: 'forbidden', field: 'path' })
      const text = { text: '', depth: 6 }
      expect(await failure(dereference(folder, text))).toMatchObject({ code: 'invalid', field: 'depth' })
    })
  })

  describe('resolving a reference', () => {
    test('says where it leads, with and without the sign', async () => {
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

    test('says where it looked, and where to write what is missing', async () => {
      const folder = await folderWith({ 'a/b.md': '' })
      const { project } = world()
      const refused = await failure(resolve('§CMD_NONE', join(folder, 'a/b.md')))
      expect(refused).toMatchObject({
        code: 'not-found',
        field: 'name',
        hint: `Write it to ${join(project, command('CMD_NONE'))}`,
      })
      for (const at of [join(folder, 'a'), folder, project, world().context.user.claude])
        expect(refused.message).toContain(join(at, command('CMD_NONE')))
      const deep = join(folder, 'deep/'.repeat(500))
      expect((await failure(resolve('CMD_NONE', deep))).message.length).toBeLessThan(20_000)
    })

    test.each(['', 'X', '§', '§TAG_X', 'CMD_', 'CMD_x', 'CMD_X/../Y', '../CMD_X', `CMD_${'X'.repeat(300)}`])(
      'refuses %j, which is none',
      async (name) => {
        expect(await failure(resolve(name, world().project))).toMatchObject({
          code: 'invalid',
          field: 'name',
        })
      },
    )
  })

  // INV_FILES_OWN_FS
  test.each<[string, (project: string) => string]>([
    ['outside of all projects', () => '/etc'],
    ['with ..', (project) => `${project}/../x`],
    ['in the home of the daemon', (project) => `${project}/.home/x`],
    ['that only begins like a project', (project) => `${project}-else`],
  ])('a path %s is refused', async (_, path) => {
    const at = path(world().project)
    expect(await failure(discover(at))).toMatchObject({ code: 'forbidden', field: 'path' })
    expect(await failure(resolve('CMD_X', at))).toMatchObject({ code: 'forbidden', field: 'path' })
    for (const more of [{}, { text: '' }])
      expect(await failure(dereference(at, more))).toMatchObject({ code: 'forbidden', field: 'path' })
  })
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await (text.startsWith('->') ? symlink(text.slice(2), path) : writeFile(path, text))
}
