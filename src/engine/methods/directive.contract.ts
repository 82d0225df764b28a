import { execFileSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type Answer, type World, writeFiles } from '../world.contract.ts'

/** What `agent.directives.*` promise. */
export function directiveContract(world: () => World): void {
  const folderWith = (files: Readonly<Record<string, string>>) => folderOf(world(), files)
  const discover = (path: string, more: object = {}): Promise<Answer> =>
    world().call('agent.directives.discover', { path, ...more })
  const dereference = (path: string, more: object = {}): Promise<Answer> =>
    world().call('agent.directives.dereference', { path, ...more })
  const resolve = (name: string, path: string): Promise<Answer> =>
    world().call('agent.directives.resolve', { name, path })

  describe('the directives in force', () => {
    const below = (folder: string, found: Answer) =>
      (found as { type: string; path: string; folder: string }[])
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .map(({ type, path, folder: of }) => [
          type,
          path.slice(folder.length + 1),
          of.slice(folder.length + 1),
        ])

    test('are those of the folder and of all its parents, nearest first', async () => {
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

    test('stop at the root of the project', async () => {
      const folder = await folderWith({ 'AGENTS.md': 'outer', 'inner/AGENTS.md': 'inner', 'inner/x/y': '' })
      await world().call('db.project.upsert', { path: join(folder, 'inner') })
      expect(below(folder, await discover(join(folder, 'inner/x')))).toEqual([
        ['AGENTS', 'inner/AGENTS.md', 'inner'],
      ])
    })

    test('are taken from .directives if a folder has both', async () => {
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

    test('are of the core types, the requested types and the types that the skill declares', async () => {
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

    test('of an unknown skill are refused with a similar name', async () => {
      const skill = world().name('implementation')
      await world().call('db.skills.upsert', { name: skill, project_id: world().projectId })
      expect(await failure(discover(world().project, { skill: `${skill}s` }))).toMatchObject({
        code: 'not-found',
        field: 'skill',
        message: expect.stringContaining(skill),
      })
    })

    test.each(['', '.', '..', '../AGENTS', 'a/b', '/etc/passwd', '.hidden', 'a\0', 'X'.repeat(150)])(
      'do not include the type %j',
      async (type) => {
        expect(await failure(discover(world().project, { types: ['TESTING', type] }))).toMatchObject({
          code: 'invalid',
          field: 'types.1',
        })
      },
    )

    test('are listed once, whatever links lead to them', async () => {
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

    test('do not include links, folders and pipes', async () => {
      const folder = await folderWith({
        '.directives/AGENTS.md': '->/etc/passwd',
        'AGENTS.md': 'flat',
        '.directives/INVARIANTS.md': '->nowhere.md',
        'ARCHITECTURE.md/x': 'a folder',
        'TESTING.md': '->TESTING.md',
        'PITFALLS.md': `->${join(world().home, 'engine.db')}`,
      })
      await writeFiles({ [join(world().home, 'engine.db')]: '' })
      execFileSync('mkfifo', [join(folder, 'COMMANDS.md')])
      const found = await discover(folder, { types: ['TESTING', 'PITFALLS'] })
      expect(below(folder, found)).toEqual([['AGENTS', 'AGENTS.md', '']])
      expect(JSON.stringify(found)).not.toMatch(/passwd|engine\.db/)
    })
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

/** A separate folder in the project, with these files; a text that begins with `->` is a link. */
export async function folderOf(world: World, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(world.project, world.name('work'))
  await mkdir(folder)
  await writeFiles(files, folder)
  return folder
}
