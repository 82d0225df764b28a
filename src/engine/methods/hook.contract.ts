import { describe, expect, test } from 'vitest'
import { clientAt, contextOf } from '../hook/client.contract.ts'
import type { Answer, World } from '../world.contract.ts'
import { STARTED } from '../../rules/told/words.ts'

/** What hooks promise, on any database. */
export function hookContract(world: () => World): void {
  describe('a step with an approval', () => {
    test('can be read once without its inputs, and the ledger has the reason', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow make it so')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      const [effort] = await it.rows(
        `select id from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      const approval = { effort_id: effort.id, subject: 'do', reason: 'only the last part' }
      expect(await world().call('db.effort.approve', approval)).toMatchObject({ kind: 'step', subject: 'do' })
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('block')
      const seq = await world().lastSeq()
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'step.visited', phase: 'do', payload: { reason: 'only the last part' } },
      ])
      expect(await it.rows(`select step, attempts from step_visits where effort_id = ${effort.id}`)).toEqual([
        { step: 'do', attempts: 1 },
      ])
      const { approvals } = await world().call('db.effort.get', { effort_id: effort.id })
      expect(approvals).toMatchObject([{ used_at: expect.any(String) }])
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('block')
    })
  })

  describe('a pipeline', () => {
    test('returns its steps and the command of the next one, and guards no file', async () => {
      const it = await clientAt(world())
      const ship = await it.add('ship', {
        'SKILL.md': '---\nname: ship\ndescription: Ships.\n---\n',
        'holdfast.yaml': 'pipeline: [{id: a, skill: plain}, {id: b, prompt: do b}]\n',
      })
      await it.start()
      const called = contextOf(await it.prompt('/ship dark mode'))
      const [effort] = await it.rows(
        `select id from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      expect(called).toContain('a (ready), b (waiting)')
      expect(called).toContain(`holdfast step go a --effort ${effort.id}`)
      expect((await it.use('Bash', { command: `cat ${ship('*')}` })).decision).toBe('allow')
      await world().call('pipeline.next', { effort_id: effort.id })
      const again = contextOf(await it.start('compact'))
      expect(again).toContain('a (started), b (waiting)')
    })
  })

  describe('spans', () => {
    test('are suspended by another skill and resumed by their own, with their parent', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      await it.use('Skill', { skill: 'plain' })
      expect(await it.spans()).toEqual(['flow suspended look', 'plain active'])
      await it.read(it.flow('steps/think.md'))
      expect(await it.spans()).toEqual(['flow active look,think', 'plain suspended'])
      const [parent, child] = await it.rows(
        `select span_id, parent_span_id from skill_span where session_id = '${it.session}' order by span_id`,
      )
      expect(child.parent_span_id).toBe(parent.span_id)
      expect(await world().call('span.tree', { session_id: it.session })).toMatchObject([
        { skill: 'flow', children: [{ skill: 'plain', children: [] }] },
      ])
    })

    test('that ended before their plan was carried out say how far it was', async () => {
      const it = await clientAt(world())
      const state = async () => (await world().call('span.tree', { session_id: it.session }))[0]?.state
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      await it.read(it.flow('steps/think.md'))
      expect(await state()).toBe('active')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await state()).toBe('ended (1 of 3 steps done)')
      await it.start('resume')
      await it.read(it.flow('steps/do.md'))
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await state()).toBe('completed')
    })

    test('are listed by project, with or without an effort', async () => {
      const [one, other] = [await clientAt(world()), await clientAt(world())]
      for (const it of [one, other]) {
        await it.start()
        await it.prompt('/flow')
        await it.use('Skill', { skill: 'plain' })
      }
      const projects: Answer[] = await world().call('db.project.list')
      const project_id = projects.find(({ path }) => path === one.project)?.id
      const tree: Answer[] = await world().call('span.tree', { project_id })
      expect(tree).toMatchObject([{ session_id: one.session, skill: 'flow', children: [{ skill: 'plain' }] }])
      const list: Answer[] = await world().call('span.list', { project_id })
      expect(list.map(({ skill }) => skill)).toEqual(['plain', 'flow'])
    })

    test('of a sub-agent are separate', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      const inside = { agent_id: 'a1', agent_type: 'helper' }
      expect((await it.read(it.flow('steps/do.md'), inside)).decision).toBe('allow')
      expect((await it.read(it.flow('steps/look.md'), inside)).decision).toBe('allow')
      await it.fire('SubagentStop', inside)
      expect(await it.spans()).toEqual(['flow active'])
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('block')
    })

    test('change nothing when the same call is reported twice', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      const call = {
        tool_name: 'Read',
        tool_input: { file_path: it.flow('steps/look.md') },
        tool_use_id: 'once',
        tool_response: {},
      }
      await it.fire('PreToolUse', call)
      await it.fire('PostToolUse', call)
      const seq = await world().lastSeq()
      for (const event of ['PreToolUse', 'PostToolUse', 'PostToolUse']) await it.fire(event, call)
      expect(await world().since(seq)).toEqual([])
      expect(await it.spans()).toEqual(['flow active look'])
    })

    test('end with their session, and the effort continues in the next', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await it.spans()).toEqual(['flow completed look'])
      const resumed = await it.start('resume')
      expect(contextOf(resumed)).toContain(`${STARTED}: look`)
      expect(contextOf(resumed)).toContain(it.flow('steps/think.md'))
      expect(await it.spans()).toEqual(['flow completed look', 'flow active'])
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
    })
  })

  describe('a context window', () => {
    test('after a compaction is a new session with the same effort and span', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      const compacted = await it.start('compact')
      expect(contextOf(compacted)).toContain(`${STARTED}: look`)
      expect(await it.spans()).toEqual(['flow active look'])
      const sessions = await it.rows(
        `select id, prev_session_id, effort_id, ended_reason from sessions where native_id = '${it.session}' order by id`,
      )
      expect(sessions).toMatchObject([
        { ended_reason: 'continued' },
        { prev_session_id: sessions[0].id, effort_id: sessions[0].effort_id, ended_reason: null },
      ])
    })

    // Defect 6 of the originals: a sub-agent started a session on its parent's effort and ended the parent's.
    test('is neither ended, moved nor duplicated by its sub-agents, and does not count their calls', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      const seen = () => world().call('db.session.find', { native_id: it.session })
      // A flush in the middle of a read would show the row without the files that it wrote.
      await world().context.store.flush()
      const [before, seq] = [await seen(), await world().lastSeq()]
      for (const agent_id of ['a1', 'a2']) {
        const inside = { agent_id, agent_type: 'helper' }
        await it.fire('SubagentStart', inside)
        await it.use('Bash', { command: 'ls' }, inside)
        await it.fire('SubagentStop', inside)
      }
      expect(await seen()).toEqual([{ ...before[0], last_heartbeat: expect.any(String) }])
      expect(await world().since(seq)).toEqual([])
      const unheard = { session_id: world().name('native') }
      await it.fire('SubagentStart', { ...unheard, agent_id: 'a3', agent_type: 'helper' })
      expect(await world().call('db.session.find', { native_id: unheard.session_id })).toEqual([])
    })

    test('whose start is reported twice is one session', async () => {
      const it = await clientAt(world())
      for (const source of ['startup', 'startup', 'compact', 'compact']) await it.start(source)
      expect(await it.rows(`select id from sessions where native_id = '${it.session}'`)).toHaveLength(2)
    })

    test('lists the tool calls that were open when the client was killed', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.fire('PreToolUse', {
        tool_name: 'Bash',
        tool_input: { command: 'npm publish' },
        tool_use_id: 'lost',
      })
      await it.use('Bash', { command: 'true' })
      const resumed = await it.start('resume')
      expect(contextOf(resumed)).toContain('npm publish')
      expect(contextOf(resumed)).not.toContain('Bash true')
      expect(contextOf(await it.start('compact'))).not.toContain('npm publish')
    })

    test('does not list a refused call, which never started', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect(contextOf(await it.start('resume'))).not.toContain('unknown')
    })

    test('that starts elsewhere lists the waiting efforts, and resumes one if the user says so', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      await it.fire('SessionEnd', { reason: 'clear' })
      const next = { session_id: world().name('native') }
      const begun = await it.start('clear', next)
      expect(contextOf(begun)).toMatch(/^- effort \d+ of flow, /m)
      await it.fire('UserPromptSubmit', { prompt: '/flow --continue', ...next })
      const think = { tool_name: 'Read', tool_input: { file_path: it.flow('steps/think.md') }, ...next }
      expect((await it.fire('PreToolUse', think)).decision).toBe('allow')
      expect(
        await it.rows(`select id from efforts where task_id like '${it.project}%' and ordinal > 0`),
      ).toHaveLength(1)
    })

    test('beside an active session has its own effort', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      const other = { session_id: world().name('native') }
      await it.start('startup', other)
      await it.fire('UserPromptSubmit', { prompt: '/flow', ...other })
      const think = { tool_name: 'Read', tool_input: { file_path: it.flow('steps/think.md') }, ...other }
      expect((await it.fire('PreToolUse', think)).decision).toBe('block')
    })

    test('of a killed client is closed with its spans when the next session starts', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      world().advance(400_000)
      await it.start('startup', { session_id: world().name('native') })
      expect(await it.spans()).toEqual(['flow completed'])
      expect(await it.rows(`select ended_reason from sessions where native_id = '${it.session}'`)).toEqual([
        { ended_reason: 'orphaned' },
      ])
    })
  })

  describe('the level of a project', () => {
    const at = async (level: string) => {
      const it = await clientAt(world())
      await it.start()
      await world().call('db.project.setLevel', { level, path: it.project })
      return it
    }

    test('observe records what it would have refused, and refuses nothing', async () => {
      const it = await at('observe')
      await it.prompt('/flow')
      const seq = await world().lastSeq()
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'step.refused', phase: 'do', payload: { observed: true } },
        { event_type: 'step.visited', phase: 'do', payload: { out_of_order: true } },
      ])
    })

    test('strict gates a step even if its skill was not called', async () => {
      const it = await at('strict')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/look.md'))).decision).toBe('allow')
      expect(await it.spans()).toEqual(['flow active look'])
    })
  })

  test('an unknown event does not open a session', async () => {
    const it = await clientAt(world())
    expect(await it.fire('SomethingNew')).toEqual({ decision: 'allow' })
    expect(await it.windows()).toEqual([])
    await it.start()
    await it.fire('SomethingNew')
    expect(await it.windows()).toHaveLength(1)
  })

  test('invalid hooks get an empty answer', async () => {
    for (const payload of [null, 7, 'x', [], {}, { hook_event_name: 'PreToolUse' }, { session_id: 's' }])
      expect(await world().call('hooks.handle', { payload })).toEqual({ decision: 'allow' })
    expect(await world().call('hooks.preToolUse', { payload: { session_id: 's', cwd: '/nowhere' } })).toEqual(
      {
        decision: 'allow',
      },
    )
  })
}
