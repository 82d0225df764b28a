import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf, skillOf } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'
import { inOurVoice } from '../../model/text/voice.ts'
import { TODOS, todosLacking } from '../../rules/told/words.ts'

const ASKING = {
  ...skillOf('asking', { one: 'consumes: [user-request]\nproduces: [a]' }),
  'SKILL.md':
    '---\nname: asking\ndescription: Asks.\nrequired_todos: [gather-context, Write it, Ship]\n---\n\nDo it.\n',
}

/** The todos that a skill requires, compared with the client's own list. */
export function todoContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    await it.add('asking', ASKING)
    await it.start()
    await it.prompt('/asking')
    const id = (await it.efforts())[0]?.id as number
    const shown = async () =>
      (await world().call('db.effort.get', { effort_id: id })).todos.map(
        ({ text, listed, done }: Record<string, unknown>) => [text, listed, done],
      )
    const write = (...todos: readonly (readonly [string, string])[]) =>
      it.use('TodoWrite', {
        todos: todos.map(([content, status]) => ({ content, status, activeForm: content })),
      })
    const told = () =>
      it.rows(
        `select event_type, payload from life_event where event_type like 'todo.%' and effort_id = '${id}' order by seq`,
      )
    return { ...it, id, shown, write, told }
  }

  test('a phase that quick mode leaves out is no required todo', async () => {
    const it = await clientAt(world())
    await it.add('staged', {
      'SKILL.md': '---\nname: staged\ndescription: Works.\n---\n\nDo it.\n',
      'holdfast.yaml': 'phases:\n  - {label: "1", name: Look}\n  - {label: "2", name: Deepen, only: full}\n',
    })
    await it.start()
    const todos = [{ content: 'Look', status: 'pending', activeForm: 'Looking' }]
    await it.prompt('/staged - a thing')
    expect(reasonOf(await it.use('TodoWrite', { todos }))).toBe('')
    await it.prompt('/staged another thing')
    expect(reasonOf(await it.use('TodoWrite', { todos }))).toContain('Deepen')
  })

  describe('the todos that a skill requires', () => {
    test('keep its effort from being finished, unless that is given up', async () => {
      const it = await begun()
      await world().call('step.enter', { effort_id: it.id, step: 'one' })
      await world().call('db.effort.tick', { effort_id: it.id, item: 'Write it' })
      expect(await failure(world().call('db.effort.finish', { effort_id: it.id }))).toMatchObject({
        code: 'refused',
        message: `Effort ${it.id} has open todos: gather-context, Ship. The user can give it up, with --abandon and a reason.`,
        hint: `holdfast effort tick ${it.id} gather-context`,
      })
      for (const item of ['gather-context', 'Ship'])
        await world().call('db.effort.tick', { effort_id: it.id, item })
      expect(await world().call('db.effort.finish', { effort_id: it.id })).toMatchObject({
        lifecycle: 'finished',
      })
    })

    test('become a checklist when the skill is called, and appear in the recap', async () => {
      const it = await begun()
      expect(await it.shown()).toEqual([
        ['gather-context', false, false],
        ['Write it', false, false],
        ['Ship', false, false],
      ])
      await world().call('db.effort.tick', { effort_id: it.id, item: 'Ship' })
      const { text } = await world().call('db.effort.recap', { effort_id: it.id })
      expect(text).toContain(`${TODOS}: gather-context, Write it, Ship (done).`)
      expect(text).toContain(`holdfast effort tick ${it.id} gather-context`)
      expect(contextOf(await it.start('compact'))).toContain('Ship (done)')
    })

    test('must be on the first list that is written, and are ticked when completed', async () => {
      const it = await begun()
      const refused = await it.write(['Gather the context', 'pending'], ['ship', 'pending'])
      expect([refused.decision, reasonOf(refused)]).toEqual([
        'block',
        expect.stringContaining(inOurVoice(todosLacking('asking', 'Write it'))),
      ])
      expect(await it.told()).toEqual([])
      const all = [
        ['Gather the context', 'completed'],
        ['Write it', 'in_progress'],
        ['Ship!', 'pending'],
      ] as const
      expect((await it.write(...all)).decision).toBe('allow')
      await it.write(...all)
      expect(await it.shown()).toEqual([
        ['gather-context', true, true],
        ['Write it', true, false],
        ['Ship', true, false],
      ])
      expect((await it.told()).map(({ event_type: kind }) => kind)).toEqual([
        'todo.done',
        'todo.listed',
        'todo.listed',
      ])
      const call = { tool_name: 'TodoWrite', tool_input: { todos: [] }, tool_use_id: 'later' }
      const later = await it.fire('PreToolUse', call)
      expect([later.decision, contextOf(later)]).toEqual(['allow', expect.stringContaining('Write it, Ship')])
    })

    test('are ticked by task events of a client, but not by its sub-agents', async () => {
      const it = await begun()
      await it.fire('TaskCreated', { task_id: '1', task_subject: 'Write it' })
      expect((await it.shown())[1]).toEqual(['Write it', true, false])
      await it.fire('TaskCompleted', { task_id: '1', task_subject: 'Ship', agent_id: 'sub', agent_type: 'x' })
      await it.fire('TaskCompleted', { task_id: '1', task_subject: 'Write it all' })
      expect(await it.shown()).toEqual([
        ['gather-context', false, false],
        ['Write it', true, true],
        ['Ship', false, false],
      ])
    })

    test('are kept even for a skill without anything else', async () => {
      const it = await clientAt(world())
      await it.add('bare', { ...skillOf('bare'), 'holdfast.yaml': 'required_todos: [Look, Ship]\n' })
      await it.start()
      expect(contextOf(await it.prompt('/bare'))).toContain(`${TODOS}: Look, Ship.`)
      const [{ id }] = (await it.efforts()) as [{ id: number }]
      await it.fire('TaskCompleted', { task_id: '1', task_subject: 'Look around' })
      expect(contextOf(await it.start('compact'))).toContain(`${TODOS}: Look (done), Ship.`)
      await it.prompt('/bare')
      expect((await it.efforts()).map((effort) => [effort.id, effort.lifecycle])).toEqual([[id, 'active']])
      await world().call('db.effort.tick', { effort_id: id, item: 'Ship' })
      await it.fire('SessionEnd', { reason: 'other' })
      await it.start('resume')
      expect(await it.spans()).toEqual(['bare completed', 'bare active'])
      await it.prompt('/bare once more')
      expect((await it.efforts()).map(({ lifecycle }) => lifecycle)).toEqual(['finished', 'active'])
      expect(contextOf(await it.start('compact'))).toContain(`${TODOS}: Look, Ship.`)
    })

    test('are ticked by hand only if the skill requires them', async () => {
      const it = await begun()
      const unknown = await failure(world().call('db.effort.tick', { effort_id: it.id, item: 'sleep' }))
      expect(unknown).toMatchObject({ code: 'not-found', field: 'item' })
      expect(unknown.message).toContain('gather-context, Write it, Ship')
      const { id } = await world().effort()
      const nothing = await failure(world().call('db.effort.tick', { effort_id: id, item: 'x' }))
      expect(nothing.message).toContain('has no todos')
    })
  })
}
