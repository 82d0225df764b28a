import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  begunAt,
  byUser,
  clientAt,
  type ClientAt,
  contextOf,
  reasonOf,
  skillOf,
} from '../hook/client.contract.ts'
import { openStore } from '../../store/store.ts'
import { call } from '../call/call.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

const FREE = '---\nconsumes: [user-request]\nproduces: [result]\n---\n'
const STEPS = {
  look: 'consumes: [user-request]\nproduces: [view]',
  think: 'consumes: [view]\nproduces: [idea]',
  do: 'consumes: [idea]\nproduces: [result]',
}
const FREE_STEPS = { ...STEPS, do: 'consumes: [user-request]\nproduces: [result]' }

type Act = () => Promise<unknown>

/** What an edit of a skill does to an effort in progress. */
export function planEditsContract(world: () => World): void {
  let calls = 0
  /** A tool call of an agent during which something happens. */
  async function tool(it: ClientAt, act: Act, [name, input]: readonly [string, object], more: object = {}) {
    const call = { tool_name: name, tool_input: input, tool_use_id: `edit-${++calls}`, ...more }
    const before = await it.fire('PreToolUse', call)
    await act()
    await it.fire('PostToolUse', { ...call, tool_response: {} })
    return before
  }
  const bash = (it: ClientAt, command: string, act: Act) => tool(it, act, ['Bash', { command }])

  async function at(it: ClientAt, level = 'enforce') {
    await world().call('db.project.setLevel', { path: it.project, level })
    const [project] = await it.rows(`select id from projects where path = '${it.project}'`)
    const sync = () => world().call('agent.skills.list', { project_id: project.id })
    const [effort] = await it.efforts()
    const { id } = effort
    const entries = async () =>
      (
        await it.rows(`select event_type, payload from life_event where effort_id = ${id}
        and event_type like 'plan.%' order by seq`)
      ).map((row) => ({ ...row, payload: JSON.parse(row.payload === '' ? '{}' : row.payload) }))
    const accept = () => world().call('db.effort.accept', { effort_id: id })
    const shown = () => world().call('db.effort.get', { effort_id: id })
    const isGated = async (path = it.flow('steps/do.md')) => (await it.read(path)).decision === 'block'
    return { it, id, sync, entries, accept, shown, isGated }
  }
  const begun = async (level?: string) => await at(await begunAt(world()), level)

  /** A session whose effort follows a skill of this name, with its first step read. */
  async function following(name: string, folder: (it: ClientAt) => string, level?: string) {
    const it = await clientAt(world())
    await writeFiles(skillOf(name, STEPS), folder(it))
    await it.start()
    await it.prompt(`/${name}`)
    await it.read(join(folder(it), 'steps/look.md'))
    return await at(it, level)
  }

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
        expect(await entries()).toMatchObject([
          { event_type: 'plan.edited', payload: { by: expect.any(String) } },
        ])
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

    test('applies to new efforts', async () => {
      const { it, sync, isGated } = await begun()
      await tool(it, free(it), ['Write', { file_path: it.flow('steps/do.md') }])
      await sync()
      expect(await isGated()).toBe(true)
      await it.prompt('/flow something else')
      expect(await isGated()).toBe(false)
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

  describe('an accepted edit', () => {
    test('keeps the progress of steps that still exist, and says what it changes', async () => {
      const { it, id, sync, accept, entries, shown } = await begun('strict')
      await it.read(it.flow('steps/think.md'))
      await rm(it.flow('steps/think.md'))
      await writeFile(it.flow('steps/do.md'), '---\nconsumes: [view]\nproduces: [result]\n---\n')
      await writeFile(it.flow('steps/tell.md'), '---\nconsumes: [result]\nproduces: [word]\n---\n')
      await sync()
      expect(await accept()).toMatchObject({
        effort_id: id,
        added: ['tell'],
        removed: ['think'],
        changed: ['do'],
        steps_kept: ['look'],
        steps_dropped: ['think'],
        next: [`read ${it.flow('steps/do.md')}`],
      })
      const [edited, accepted] = await entries()
      expect(accepted).toMatchObject({
        event_type: 'plan.accepted',
        payload: { by: 'user', from: edited?.payload.from, to: edited?.payload.to },
      })
      expect(edited?.payload.from).not.toBe(edited?.payload.to)
      expect((await shown()).plan_edit).toBeNull()
      expect((await it.read(it.flow('steps/tell.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
    })

    test('is read from the files when it is accepted', async () => {
      for (const level of ['enforce', 'strict']) {
        const { it, accept, isGated } = await begun(level)
        await byUser(it.project, () => writeFile(it.flow('steps/do.md'), FREE))
        expect(await accept()).toMatchObject({ changed: ['do'] })
        expect(await isGated()).toBe(false)
      }
    })

    test('must have a step that the effort has done', async () => {
      const { it, sync, accept } = await begun('strict')
      await rm(it.flow('steps'), { recursive: true })
      await writeFiles({ 'steps/new.md': FREE }, it.flow('.'))
      await sync()
      await expect(accept()).rejects.toMatchObject({
        message: expect.stringContaining('none of the steps that effort'),
        hint: expect.stringContaining('holdfast effort start'),
      })
    })
  })

  test('an effort of an older version keeps the plan that was stored before the next edit', async () => {
    const { it, id, sync, isGated, entries } = await begun('strict')
    const sql = `update efforts set plan_digest = null where id = ${id}`
    await world().store.transact((tx) => tx.execute({ sql, parameters: [] }))
    await writeFile(it.flow('steps/do.md'), FREE)
    await sync()
    expect(await isGated()).toBe(true)
    expect(await entries()).toMatchObject([{ event_type: 'plan.edited' }])
  })

  test('two daemons on one database agree on the plan, and one accept counts for both', async () => {
    const { it, id, isGated } = await begun('strict')
    const { context, opened } = world()
    const other = await openStore(opened.database, { clock: context.clock })
    const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
    const second = (method: string, params: object) =>
      call({ ...context, store: other }, method, params, caller) as Promise<Answer>
    const [project] = await it.rows(`select id from projects where path = '${it.project}'`)
    await writeFile(it.flow('steps/do.md'), FREE)
    await second('agent.skills.list', { project_id: project.id })
    const shown = await Promise.all(
      [second, world().call].map((ask) => ask('db.effort.get', { effort_id: id })),
    )
    expect(shown.map(({ plan_edit }) => plan_edit)).toEqual(
      shown.map(() => expect.stringContaining(`holdfast effort accept ${id}`)),
    )
    expect(await isGated()).toBe(true)
    await second('db.effort.accept', { effort_id: id })
    expect(await isGated()).toBe(false)
  })

  test('a refusal names the steps of the plan that the effort keeps', async () => {
    const { it, sync } = await begun()
    await bash(it, 'rm', () => rm(it.flow('steps/think.md')))
    await sync()
    expect(reasonOf(await it.read(it.flow('steps/do.md')))).toContain(it.flow('steps/think.md'))
  })

  test('a folder that was removed gates nothing that others read', async () => {
    const { it, sync } = await begun()
    await mkdir(join(it.project, 'docs'), { recursive: true })
    await bash(it, 'rm', () => rm(it.flow('.'), { recursive: true }))
    await sync()
    expect((await it.read(join(it.project, 'docs/a.md'))).decision).toBe('allow')
  })
}
