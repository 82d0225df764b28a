import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { begunAt, type ClientAt, clientAt, contextOf, reasonOf, skillOf } from './client.contract.ts'
import type { Answer, World } from '../world.contract.ts'
import { inOurVoice } from '../../model/text/voice.ts'
import { tracking } from '../../rules/told/words.ts'

/** How hooks find and guard a skill, and what they do when it changes. */
export function hookSkillContract(world: () => World): void {
  const begun = () => begunAt(world())

  describe('a skill that is called', () => {
    test('guards its steps from the first read, and names the first step', async () => {
      const it = await clientAt(world())
      await it.start()
      const called = await it.prompt('/flow make it so')
      expect(contextOf(called)).toContain(it.flow('steps/look.md'))
      const early = await it.read(it.flow('steps/think.md'))
      expect(early.decision).toBe('block')
      expect(reasonOf(early)).toContain('view')
      expect(reasonOf(early)).toContain(it.flow('steps/look.md'))
      for (const step of ['look', 'think', 'do'])
        expect((await it.read(it.flow(`steps/${step}.md`))).decision).toBe('allow')
      expect(await it.spans()).toEqual(['flow active look,think,do'])
      const [effort] = await it.rows(
        `select * from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      expect(effort).toMatchObject({ skill: 'flow', ordinal: 1, mode: 'full' })
      const visits = await it.rows(
        `select step, outcome from step_visits where effort_id = ${effort.id} order by id`,
      )
      expect(visits).toEqual([
        { step: 'look', outcome: 'ok' },
        { step: 'think', outcome: 'ok' },
        { step: 'do', outcome: null },
      ])
    })

    test.each<[string, (it: ClientAt) => Promise<Answer>]>([
      ['cat', (it) => it.use('Bash', { command: `cat ${it.flow('steps/do.md')}` })],
      ['a pattern', (it) => it.use('Bash', { command: `cd ${it.flow('steps')} && head -5 d*.md` })],
      ['a pipe', (it) => it.use('Bash', { command: `true && < "${it.flow('steps/do.md')}" sort | tee x` })],
      ['an MCP tool', (it) => it.use('mcp__fs__read_file', { path: it.flow('steps/do.md') })],
      ['a relative path', (it) => it.read('.claude/skills/flow/steps/do.md')],
    ])('guards its steps against %s too', async (_, read) => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      expect((await read(it)).decision).toBe('block')
    })

    test('guards its steps behind a link', async () => {
      const it = await clientAt(world())
      await symlink(it.flow('.'), join(it.project, 'elsewhere'))
      await it.start()
      await it.prompt('/flow')
      expect((await it.read(join(it.project, 'elsewhere/steps/do.md'))).decision).toBe('block')
    })

    test('guards its steps behind a link to the folder of a process, whose folder is above the current one', async () => {
      const it = await clientAt(world())
      const step = '.claude/skills/flow/steps/do.md'
      const links = [join(it.project, 'here'), join(it.project, 'plain.txt')] as const
      await symlink('/proc/self/cwd', links[0])
      await symlink(`/proc/thread-self/cwd/${step}`, links[1])
      await it.start()
      await it.prompt('/flow')
      for (const path of [join(links[0], step), links[1]])
        expect((await it.read(path)).decision).toBe('block')
      const below = { cwd: join(it.project, 'src/deep') }
      expect((await it.use('Read', { file_path: `/proc/self/cwd/${step}` }, below)).decision).toBe('block')
      expect((await it.use('Read', { file_path: '/proc/self/cwd/README.md' }, below)).decision).toBe('allow')
    })

    test('by the Skill tool works the same way', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.use('Skill', { skill: 'flow', args: 'now' })
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
    })

    test('is not shown by a command in the text of another skill, which the client runs by itself', async () => {
      const it = await begun()
      for (const [name, text] of [
        ['one', `Look: !\`cat ${it.flow('steps/do.md')}\``],
        ['two', '```!\ncat $ARGUMENTS\n```'],
        ['three', 'State: !`git status`'],
      ] as const) {
        await mkdir(join(it.project, `.claude/skills/${name}`), { recursive: true })
        await writeFile(
          join(it.project, `.claude/skills/${name}/SKILL.md`),
          `---\nname: ${name}\n---\n${text}\n`,
        )
      }
      const call = async (skill: string, args = '') => (await it.use('Skill', { skill, args })).decision
      expect(await call('one')).toBe('block')
      expect(await call('two', it.flow('steps/do.md'))).toBe('block')
      expect(await call('two', 'README.md')).toBe('allow')
      expect(await call('three')).toBe('allow')
    })

    test('ignores listings, edits and reads of files that are not steps', async () => {
      const it = await clientAt(world())
      await it.start()
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
      await it.prompt('/flow')
      const edit = { file_path: it.flow('steps/do.md'), old_string: 'a', new_string: 'b' }
      expect((await it.use('Edit', edit)).decision).toBe('allow')
      expect((await it.use('Bash', { command: 'ls -la' })).decision).toBe('allow')
      expect((await it.read(join(it.project, 'README.md'))).decision).toBe('allow')
      expect(await it.spans()).toEqual(['flow active'])
    })

    test('that is unknown or has no plan refuses nothing', async () => {
      const it = await clientAt(world())
      await it.start()
      expect(await it.prompt('/nothing here')).toEqual({ decision: 'allow' })
      expect(await it.prompt('/plain --flag')).toEqual({ decision: 'allow' })
      expect(await it.spans()).toEqual(['plain active'])
      expect(
        await it.rows(`select * from efforts where task_id like '${it.project}%' and ordinal > 0`),
      ).toEqual([])
    })

    test('uses quick mode only for a lone hyphen', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow - fast')
      const modes = await it.rows(
        `select mode from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      expect(modes).toEqual([{ mode: 'quick' }])
    })

    test('again, after its plan was completed, starts a new effort', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.prompt('/flow')
      for (const step of ['look', 'think', 'do']) await it.read(it.flow(`steps/${step}.md`))
      await it.prompt('/flow')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect(
        await it.rows(
          `select ordinal, lifecycle from efforts where task_id like '${it.project}%' and ordinal > 0 order by ordinal`,
        ),
      ).toEqual([
        { ordinal: 1, lifecycle: 'finished' },
        { ordinal: 2, lifecycle: 'active' },
      ])
    })
  })

  describe('a skill that changes while an agent uses it', () => {
    test('keeps the visits that still fit', async () => {
      const it = await begun()
      await it.read(it.flow('steps/think.md'))
      await it.add('flow', { 'steps/check.md': '---\nconsumes: [idea]\nproduces: [check]\n---\n' })
      await it.add('flow', { 'steps/do.md': '---\nconsumes: [check]\nproduces: [result]\n---\n' })
      await it.start('compact')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/check.md'))).decision).toBe('allow')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
    })

    test('and was deleted stays in force, and the next session gets its effort in the recap', async () => {
      const it = await begun()
      await rm(it.flow('.'), { recursive: true })
      const told = contextOf(await it.start('compact'))
      const [effort] = await it.efforts()
      expect(told).toContain(inOurVoice(tracking(effort.id, 'flow')))
      expect(told).toContain(it.flow('steps/think.md'))
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect(await it.spans()).toEqual(['flow active look'])
    })
  })

  describe('a skill', () => {
    test('is found behind a link to its folder, its steps folder or a step', async () => {
      const it = await clientAt(world())
      const shared = join(it.project, 'shared')
      await mkdir(join(shared, 'steps'), { recursive: true })
      for (const [name, fields] of [
        ['a', 'produces: [x]'],
        ['b', 'consumes: [x]'],
      ])
        await writeFile(join(shared, 'steps', `${name}.md`), `---\n${fields}\n---\n`)
      const folders = await it.add('folders', skillOf('folders'))
      await symlink(join(shared, 'steps'), folders('steps'))
      const files = await it.add('files', skillOf('files', { a: 'produces: [x]' }))
      await symlink(join(shared, 'steps/b.md'), files('steps/b.md'))
      await it.start()
      await it.prompt('/folders')
      expect((await it.read(folders('steps/b.md'))).decision).toBe('block')
      await it.prompt('/files')
      expect((await it.read(files('steps/b.md'))).decision).toBe('block')
      expect((await it.use('Bash', { command: `cat ${files('steps/b*')}` })).decision).toBe('block')
    })

    test('is found in the user’s own folder, even if that is a link', async () => {
      const it = await clientAt(world())
      const real = join(it.project, 'elsewhere')
      for (const [path, text] of Object.entries(
        skillOf('mine', { a: 'produces: [x]', b: 'consumes: [x]' }),
      )) {
        await mkdir(join(real, 'steps'), { recursive: true })
        await writeFile(join(real, path), text)
      }
      const name = world().name('mine')
      const own = join(world().own, 'skills')
      await mkdir(own, { recursive: true })
      await symlink(real, join(own, name))
      try {
        await it.start()
        await it.prompt(`/${name}`)
        expect((await it.read(join(own, name, 'steps/b.md'))).decision).toBe('block')
        expect((await it.read(join(real, 'steps/b.md'))).decision).toBe('block')
        expect((await it.read(join(own, name, 'steps/a.md'))).decision).toBe('allow')
        expect((await it.read(join(real, 'steps/b.md'))).decision).toBe('allow')
      } finally {
        await rm(join(own, name))
      }
    })

    test('is found by its folder, not by the name in its file, except in a plugin', async () => {
      const it = await clientAt(world())
      const folder = await it.add('by-folder', {
        ...skillOf('by-name', { a: 'produces: [x]', b: 'consumes: [x]' }),
      })
      const plugins = join(world().own, 'plugins')
      const plugin = join(it.project, 'tools')
      for (const [path, text] of Object.entries(
        skillOf('titled', { a: 'produces: [x]', b: 'consumes: [x]' }),
      )) {
        await mkdir(join(plugin, 'skills/lies-here/steps'), { recursive: true })
        await writeFile(join(plugin, 'skills/lies-here', path), text)
      }
      await mkdir(plugins, { recursive: true })
      const installed = { plugins: { 'tools@market': [{ installPath: plugin }] } }
      await writeFile(join(plugins, 'installed_plugins.json'), JSON.stringify(installed))
      try {
        await it.start()
        await it.prompt('/by-name')
        expect(await it.spans()).toEqual([])
        await it.prompt('/by-folder')
        expect((await it.read(folder('steps/b.md'))).decision).toBe('block')
        await it.use('Skill', { skill: 'tools:titled' })
        expect((await it.read(join(plugin, 'skills/lies-here/steps/b.md'))).decision).toBe('block')
        expect(await it.spans()).toEqual(['by-folder suspended', 'tools:lies-here active'])
      } finally {
        await rm(join(plugins, 'installed_plugins.json'))
      }
    })

    test('is found in a project that is unknown until the call', async () => {
      const it = await clientAt(world())
      await it.prompt('/flow')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
    })

    test('is found by a session whose first event had no folder', async () => {
      const it = await clientAt(world())
      await it.fire('Notification', { cwd: undefined })
      await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'true' } })
      expect(await it.windows()).toHaveLength(1)
    })
  })
}
