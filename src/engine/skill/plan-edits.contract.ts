import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { byUser, clientAt, type ClientAt, clientIn, contextOf, skillOf } from '../hook/client.contract.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

import { editsIn, FREE, FREE_STEPS, STEPS } from './edits-in.contract.ts'
/** What an edit of a skill does to an effort in progress. */
export function planEditsContract(world: () => World): void {
  const { tool, bash, at, begun, following } = editsIn(world)

  describe('an edit of a skill by an agent, during an effort,', () => {
    const free = (it: ClientAt) => () => writeFile(it.flow('steps/do.md'), FREE)
    const routes: Record<string, (it: ClientAt) => Promise<unknown>> = {
      'with Write': (it) =>
        tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md'), content: FREE }]),
      'with sed -i': (it) => bash(it, `sed -i s/idea/user-request/ ${it.flow('steps/do.md')}`, free(it)),
      'with a script': (it) => bash(it, './fix.sh', free(it)),
      'with an unknown tool': (it) =>
        tool(it, free(it), ['mcp__disk__put', { path: it.flow('steps/do.md') }]),
      'by a sub-agent': (it) =>
        tool(it, free(it), ['Edit', { file_path: it.flow('steps/do.md') }], {
          agent_id: 'a1',
          agent_type: 'general-purpose',
        }),
      'that breaks its YAML': (it) =>
        bash(it, 'echo', () => writeFile(it.flow('holdfast.yaml'), 'steps: [unclosed')),
      'that removes a step': (it) => bash(it, 'rm think.md', () => rm(it.flow('steps/think.md'))),
      'that removes its plan': (it) =>
        bash(it, 'rm -r steps', () => rm(it.flow('steps'), { recursive: true })),
      'that removes it': (it) => bash(it, 'rm -r flow', () => rm(it.flow('.'), { recursive: true })),
      'that moves it': (it) =>
        bash(it, 'mv', () => rename(it.flow('.'), join(it.project, '.claude/skills/other'))),
    }
    test.each(Object.keys(routes))('%s does not open a step', async (route) => {
      for (const level of ['enforce', 'strict']) {
        const { it, id, sync, entries, shown, isGated } = await begun(level)
        expect(await isGated()).toBe(true)
        await routes[route]?.(it)
        await sync()
        expect(await isGated()).toBe(true)
        expect(await entries()).toMatchObject([{ event_type: 'plan.edited', payload: { by: 'agent' } }])
        expect((await shown()).plan_edit).toContain(`Effort ${id} keeps the plan that it has.`)
      }
    })

    test('by removal of its sidecar does not open a step', async () => {
      const it = await clientAt(world())
      const tied = it.flow('steps/do.md')
      await writeFile(tied, '---\nproduces: [result]\n---\n')
      await writeFile(it.flow('holdfast.yaml'), 'steps:\n  do: {consumes: [idea]}\n')
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      const { sync, isGated, entries } = await at(it)
      expect(await isGated()).toBe(true)
      await bash(it, 'rm holdfast.yaml', () => rm(it.flow('holdfast.yaml')))
      await sync()
      expect(await isGated()).toBe(true)
      expect(await entries()).toMatchObject([{ payload: { by: 'agent', changed: ['do'] } }])
    })

    test('by a skill of the same name that the client prefers opens neither its steps nor those it began with', async () => {
      const mine = (it: ClientAt) => join(it.project, '.claude/skills/mine')
      const { it, sync, isGated, entries } = await following('mine', mine)
      // The client prefers the user's own skill.
      const near = join(world().own, 'skills/mine')
      for (const steps of [STEPS, FREE_STEPS]) {
        await bash(it, 'cp', () => writeFiles(skillOf('mine', steps), near))
        await sync()
        for (const folder of [mine(it), near]) expect(await isGated(join(folder, 'steps/do.md'))).toBe(true)
      }
      expect(await entries()).toMatchObject([{ payload: { by: 'agent', changed: ['do'] } }])
      await rm(near, { recursive: true })
    })

    test('by a link to another folder opens neither its steps nor those it began with', async () => {
      const [one, two] = ['a', 'b'].map((name) => join(world().project, world().name(name))) as [
        string,
        string,
      ]
      await writeFiles(skillOf('linked', FREE_STEPS), two)
      const linked = (it: ClientAt) => join(it.project, '.claude/skills/linked')
      const it = await clientAt(world())
      await writeFiles(skillOf('linked', STEPS), one)
      await symlink(one, linked(it))
      await it.start()
      await it.prompt('/linked')
      await it.read(join(linked(it), 'steps/look.md'))
      const { sync, isGated, entries } = await at(it)
      await bash(it, 'ln -sfn', async () => {
        await rm(linked(it))
        await symlink(two, linked(it))
      })
      await sync()
      for (const folder of [one, two]) expect(await isGated(join(folder, 'steps/do.md'))).toBe(true)
      expect(await entries()).toMatchObject([{ payload: { by: 'agent' } }])
    })

    test('is told once to the agent and its user, with the command of the user', async () => {
      const { it, id, sync } = await begun()
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await sync()
      const line = `he plan of flow was edited: the edit changes do. Effort ${id} keeps the plan that it has. Only the user can put the edit in force: holdfast effort accept ${id}`
      const told = await it.use('Read', { file_path: join(it.project, 'a.txt') })
      expect(contextOf(told)).toContain(line)
      expect(told.reply.systemMessage).toContain(line)
      expect(contextOf(await it.use('Read', { file_path: join(it.project, 'a.txt') }))).not.toContain(
        'edited',
      )
      const standing = await world().call('step.show', { effort_id: id })
      expect(standing.plan_edit).toBe(`T${line}`)
      const { efforts } = await world().call('db.project.status', { path: it.project })
      expect(efforts).toMatchObject([{ id, plan_edit: `T${line}` }])
    })

    test('stays one of the agent until it is accepted, whoever edits the skill next', async () => {
      const { it, sync, isGated, entries } = await begun()
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await sync()
      await byUser(it.project, () => writeFile(it.flow('steps/do.md'), `${FREE}\nBy the user.\n`))
      await sync()
      expect(await isGated()).toBe(true)
      expect(await entries()).toHaveLength(1)
    })

    test('that is undone leaves nothing to accept', async () => {
      const { it, id, sync, accept, entries, shown } = await begun()
      const before = await readFile(it.flow('steps/do.md'), 'utf8')
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await sync()
      await writeFile(it.flow('steps/do.md'), before)
      await sync()
      expect((await shown()).plan_edit).toBeNull()
      expect((await entries()).map(({ event_type }) => event_type)).toEqual(['plan.edited', 'plan.restored'])
      await expect(accept()).rejects.toMatchObject({ code: 'conflict', hint: `holdfast effort show ${id}` })
    })

    const starts: Record<string, (it: ClientAt) => Promise<unknown>> = {
      'a slash': (it) => it.prompt('/flow something else'),
      'effort start': (it) =>
        world().call('commands.effort.start', {
          dir: join(it.project, 'tasks/new'),
          skill: 'flow',
          native_id: it.session,
        }),
    }
    test.each(Object.keys(starts))('does not apply to an effort that %s begins', async (start) => {
      for (const level of ['enforce', 'strict']) {
        const { it, id, isGated } = await begun(level)
        await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
        await starts[start]?.(it)
        const newest = (await it.efforts()).at(-1)?.id as number
        expect(newest).toBeGreaterThan(id)
        expect(await isGated()).toBe(true)
        const { plan_edit } = await world().call('db.effort.get', { effort_id: newest })
        expect(plan_edit).toContain(
          `Only the user can put the edit in force: holdfast effort accept ${newest}`,
        )
        await world().call('db.effort.accept', { effort_id: newest })
        expect(await isGated()).toBe(false)
      }
    })

    test('does not apply to an effort that another session begins with a Skill call', async () => {
      const { it, id } = await begun()
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      const other = clientIn(world(), it.project)
      await other.start()
      await other.use('Skill', { skill: 'flow' })
      expect((await it.efforts()).at(-1)?.id).toBeGreaterThan(id)
      expect((await other.read(it.flow('steps/do.md'))).decision).toBe('block')
    })

    test('does not apply to the effort of a sub-agent', async () => {
      const { it } = await begun()
      const sub = { agent_id: 'a7', agent_type: 'general-purpose' }
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await it.fire('SubagentStart', sub)
      await it.use('Skill', { skill: 'flow' }, sub)
      expect((await it.read(it.flow('steps/do.md'), sub)).decision).toBe('block')
    })

    test('does not apply to new efforts once its effort is over, until the user accepts it', async () => {
      const { it, id, sync, isGated } = await begun()
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await sync()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'The user gave it up.' })
      await it.prompt('/flow again')
      expect(await isGated()).toBe(true)
      const newest = (await it.efforts()).at(-1)?.id as number
      await world().call('db.effort.accept', { effort_id: newest })
      expect(await isGated()).toBe(false)
      await it.prompt('/flow a third time')
      expect((await it.efforts()).at(-1)?.id).toBeGreaterThan(newest)
      expect(await isGated()).toBe(false)
    })

    test('does not apply to an effort that begins while the skill is gone', async () => {
      const { it, sync, isGated } = await begun()
      await bash(it, 'rm -r flow', () => rm(it.flow('.'), { recursive: true }))
      await sync()
      await it.prompt('/flow something else')
      await bash(it, './put.sh', () => writeFiles(skillOf('flow', FREE_STEPS), it.flow('.')))
      await sync()
      await it.prompt('/flow once more')
      expect(await isGated()).toBe(true)
    })

    test('applies to new efforts if no effort of the skill was open, as when a skill is developed', async () => {
      for (const level of ['enforce', 'strict']) {
        const it = await clientAt(world())
        await it.start()
        await it.prompt('Make a skill.')
        await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
        await it.prompt('/flow')
        const { isGated, shown } = await at(it, level)
        expect(await isGated()).toBe(false)
        expect((await shown()).plan_edit).toBeNull()
      }
    })

    test('counts as a read of the gates that follow: phases, finish and the checks', async () => {
      const { it, id, sync } = await begun()
      await bash(it, 'rm', () => rm(it.flow('.'), { recursive: true }))
      await sync()
      expect(await world().call('step.show', { effort_id: id })).toMatchObject({
        steps: [{ step: 'look' }, { step: 'think' }, { step: 'do' }],
      })
      await expect(world().call('db.effort.finish', { effort_id: id })).rejects.toMatchObject({
        code: 'refused',
      })
    })
  })

  describe('an edit of a skill that no agent made, during an effort,', () => {
    const edit = async ({ it, sync }: { it: ClientAt; sync: () => Promise<Answer> }) => {
      await byUser(it.project, () => writeFile(it.flow('steps/do.md'), FREE))
      await sync()
    }

    test('applies at level enforce, and is told in one line', async () => {
      const scene = await begun()
      await edit(scene)
      expect(await scene.entries()).toMatchObject([
        { event_type: 'plan.accepted', payload: { by: 'user', changed: ['do'] } },
      ])
      const told = await scene.it.use('Read', { file_path: join(scene.it.project, 'a.txt') })
      expect(contextOf(told)).toContain(
        `he plan of flow was edited: the edit changes do. It now applies to effort ${scene.id}.`,
      )
      expect(await scene.isGated()).toBe(false)
    })

    test('waits at level strict', async () => {
      const scene = await begun('strict')
      await edit(scene)
      expect(await scene.isGated()).toBe(true)
      expect(await scene.entries()).toMatchObject([{ event_type: 'plan.edited', payload: { by: 'user' } }])
      await scene.accept()
      expect(await scene.isGated()).toBe(false)
    })

    test('applies at level observe without a word, whoever made it', async () => {
      const scene = await begun('observe')
      const { it, sync, entries } = scene
      await tool(it, () => writeFile(it.flow('steps/do.md'), FREE), [
        'Write',
        { file_path: it.flow('steps/do.md') },
      ])
      await sync()
      expect(await entries()).toMatchObject([{ event_type: 'plan.accepted', payload: { by: 'agent' } }])
      expect(contextOf(await it.use('Read', { file_path: '/x' }))).toBe('')
    })

    test('waits if it has errors or if the skill is gone', async () => {
      const { it, sync, isGated, accept, entries, id } = await begun()
      await writeFile(it.flow('holdfast.yaml'), 'steps: [unclosed')
      await sync()
      expect(await isGated()).toBe(true)
      await expect(accept()).rejects.toMatchObject({
        message: expect.stringMatching(/has errors \(HF\d+\)/),
        hint: `holdfast skill check ${it.flow('.').replace(/\/\.$/, '')}`,
      })
      await rm(it.flow('.'), { recursive: true })
      await sync()
      expect(await isGated()).toBe(true)
      await expect(accept()).rejects.toMatchObject({ hint: `holdfast effort finish ${id} --abandon WHY` })
      expect(await entries()).toMatchObject([
        { payload: { obstacle: 'errors' } },
        { payload: { obstacle: 'gone' } },
      ])
    })

    test('changes no plan if only text changes, and the text is what is read', async () => {
      const { it, sync, entries, shown } = await begun('strict')
      await writeFile(
        it.flow('SKILL.md'),
        '---\nname: flow\ndescription: Other words.\n---\n\nLines.\n\nMore.\n',
      )
      await writeFile(
        it.flow('steps/do.md'),
        `---\nconsumes: [idea]\nproduces: [result]\n---\n\n## A title\n\nText.\n`,
      )
      await sync()
      expect(await entries()).toEqual([])
      expect((await shown()).plan_edit).toBeNull()
    })
  })
}
