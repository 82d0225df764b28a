import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { stillOpen } from '../../rules/told/words.ts'
import type { Answer, World } from '../world.contract.ts'
import { clientAt, silence, skillOf } from './client.contract.ts'

const STOP = { stop_hook_active: false, background_tasks: [] }
const SUB = { agent_id: 'sub', agent_type: 'helper' }
const HELD = 'hold: stop\n'

const reasonFor = (answer: Answer): string => answer.reply?.reason ?? ''

/** What the gate at the end of a turn promises, on any database. */
export function stopGateContract(world: () => World): void {
  describe('the end of a turn', () => {
    const begun = async ({ sidecar = HELD, level = 'enforce' } = {}) => {
      const it = await clientAt(world())
      await it.add('flow', { 'holdfast.yaml': sidecar })
      await it.start()
      await world().call('db.project.setLevel', { path: it.project, level })
      const stop = (more: object = {}) => it.fire('Stop', { ...STOP, ...more })
      const step = (name: string) => it.read(it.flow(`steps/${name}.md`))
      return { ...it, stop, step }
    }
    const called = async (given: Parameters<typeof begun>[0] = {}) => {
      const it = await begun(given)
      await it.prompt('/flow')
      return { ...it, id: (await it.efforts()).at(-1)?.id }
    }

    test('is refused once while steps are open, with what is open and what to do', async () => {
      const it = await called()
      await it.step('look')
      const refused = await it.stop()
      expect(refused.decision).toBe('block')
      expect(refused.reply).toMatchObject({ decision: 'block' })
      expect(reasonFor(refused)).toBe(
        `${inOurVoice(stillOpen(it.id, 'flow', '"think", "do"'))} Next: read ${it.flow('steps/think.md')}`,
      )
      expect((await it.stop({ stop_hook_active: true })).decision).toBe('allow')
      // A client that does not say so is not refused twice either.
      expect((await it.stop()).decision).toBe('allow')
      await it.prompt('go on')
      await it.step('think')
      expect((await it.stop()).decision).toBe('block')
    })

    test('is refused again after a prompt of the same millisecond', async () => {
      const it = await called()
      await it.step('look')
      world().holdTime(true)
      expect((await it.stop()).decision).toBe('block')
      await it.prompt('go on')
      await it.step('think')
      expect((await it.stop()).decision).toBe('block')
      world().holdTime(false)
    })

    test('is refused for the plan that called another skill, once that is carried out', async () => {
      const it = await called()
      await it.step('look')
      const other = await it.add('other', skillOf('other', { one: 'produces: [a]' }))
      await it.use('Skill', { skill: 'other' })
      await it.read(other('steps/one.md'))
      const refused = await it.stop()
      expect(reasonFor(refused)).toContain(stillOpen(it.id, 'flow', '"think", "do"').slice(1))
      expect((await it.stop()).decision).toBe('allow')
      // The user turned to the other skill.
      await it.prompt('/other')
      await it.read(other('steps/one.md'))
      expect((await it.stop()).decision).toBe('allow')
    })

    test('is free once the plan is carried out', async () => {
      const it = await called()
      for (const step of ['look', 'think', 'do']) await it.step(step)
      expect((await it.stop()).decision).toBe('allow')
    })

    test('is free at enforce where the plan does not ask for it, and held at strict', async () => {
      const free = await called({ sidecar: 'gate: visited\n' })
      expect((await free.stop()).decision).toBe('allow')
      const strict = await called({ sidecar: 'gate: visited\n', level: 'strict' })
      expect((await strict.stop()).decision).toBe('block')
    })

    test('is only recorded at observe, once per turn', async () => {
      const it = await called({ level: 'observe' })
      const seq = await world().lastSeq()
      expect((await it.stop()).decision).toBe('allow')
      expect((await it.stop()).decision).toBe('allow')
      const said = (await world().since(seq)).filter(({ event_type }) => event_type === 'turn.refused')
      expect(said).toMatchObject([
        { effort_id: it.id, skill: 'flow', payload: { rule: 'stop-gate', observed: true } },
      ])
    })

    test('is free for a question, and for a user who called no plan', async () => {
      const it = await called()
      await it.step('look')
      await it.stop()
      await it.prompt('What does this function do?')
      await it.use('Bash', { command: 'cat a.ts' })
      expect((await it.stop()).decision).toBe('allow')
      const other = await begun()
      await other.prompt('Hello')
      expect((await other.stop()).decision).toBe('allow')
    })

    test('is free while work runs in the background, and in plan mode', async () => {
      const it = await called()
      const running = [{ id: 'b1', type: 'shell', status: 'running', description: 'x' }]
      expect((await it.stop({ background_tasks: running })).decision).toBe('allow')
      expect((await it.stop({ permission_mode: 'plan' })).decision).toBe('allow')
      await it.fire('PreToolUse', {
        tool_name: 'Agent',
        tool_input: { prompt: `Do ${it.flow('steps/look.md')}`, subagent_type: 'x' },
        tool_use_id: 'agent',
      })
      expect((await it.stop()).decision).toBe('allow')
      await it.fire('PostToolUseFailure', {
        tool_name: 'Agent',
        tool_input: { prompt: `Do ${it.flow('steps/look.md')}`, subagent_type: 'x' },
        tool_use_id: 'agent',
        error: 'It broke.',
      })
      expect((await it.stop()).decision).toBe('block')
    })

    test('is held in the window that follows too, whoever ended the one before', async () => {
      const ended = await called()
      await ended.step('look')
      await world().call('db.effort.dehydrate', { effort_id: ended.id, end_session: true })
      await ended.use('Bash', { command: 'ls' })
      expect(await ended.windows()).toHaveLength(2)
      expect((await ended.stop()).decision).toBe('block')
      const compacted = await called()
      await compacted.step('look')
      await compacted.start('compact')
      expect(await compacted.windows()).toHaveLength(2)
      expect((await compacted.stop()).decision).toBe('block')
      expect((await compacted.stop()).decision).toBe('allow')
      await compacted.prompt('What does this function do?')
      expect((await compacted.stop()).decision).toBe('allow')
    })

    test('is held again once a sub-agent that never reported has been silent for too long', async () => {
      const it = await called()
      const call = {
        tool_name: 'Agent',
        tool_input: { prompt: `Do ${it.flow('steps/look.md')}`, subagent_type: 'x' },
        tool_use_id: 'agent',
      }
      await it.fire('PreToolUse', call)
      await it.fire('PostToolUse', { ...call, tool_response: { status: 'async_launched', agentId: 'sub' } })
      expect((await it.stop()).decision).toBe('allow')
      // A sub-agent with a scope of its own is heard there.
      await it.fire('PreToolUse', {
        tool_name: 'Skill',
        tool_input: { skill: 'flow' },
        tool_use_id: 's',
        ...SUB,
      })
      silence(world())
      await it.use('Bash', { command: 'ls' }, SUB)
      expect((await it.stop()).decision).toBe('allow')
      silence(world())
      expect((await it.stop()).decision).toBe('block')
    })

    test('waits for the proof of the last phase', async () => {
      const it = await begun()
      const phases =
        '\nphases:\n  - {label: "1", name: Make}\n  - {label: "2", name: Check, proof: [checked]}\n'
      await it.add('phased', { ...skillOf('phased'), 'holdfast.yaml': `${HELD}${phases}` })
      await it.prompt('/phased')
      const effort_id = (await it.efforts()).at(-1)?.id
      await world().call('step.enter', { effort_id, step: '1' })
      await world().call('step.enter', { effort_id, step: '2' })
      const reason = reasonFor(await it.stop())
      expect(reason).toContain(inOurVoice(stillOpen(effort_id, 'phased', '"2: Check" (owes "checked")')))
      expect(reason).toContain(`Next: run holdfast step done 2 --effort ${effort_id} --proof`)
      await it.prompt('go on')
      await world().call('step.leave', { effort_id, proof: { checked: 'yes' } })
      expect((await it.stop()).decision).toBe('allow')
    })

    test('waits for the report of a pipeline, but not for a parked one', async () => {
      const it = await begun()
      const pipeline = 'pipeline:\n  - {id: build, command: make, limit: 1}\n'
      await it.add('piped', { ...skillOf('piped'), 'holdfast.yaml': `${HELD}${pipeline}` })
      await it.prompt('/piped')
      const effort_id = (await it.efforts()).at(-1)?.id
      await world().call('step.enter', { effort_id, step: 'build' })
      const reason = reasonFor(await it.stop())
      expect(reason).toContain(inOurVoice(stillOpen(effort_id, 'piped', '"build"')))
      await it.prompt('go on')
      await world().call('step.leave', { effort_id, outcome: 'fail', reason: 'no make here' })
      const { status } = await world().call('step.show', { effort_id })
      expect([status, (await it.stop()).decision]).toEqual(['parked', 'allow'])
    })

    test('of a sub-agent is held by its own plan, once, and nothing of it has ended', async () => {
      const it = await begun()
      await it.use('Skill', { skill: 'flow' }, SUB)
      const stop = () => it.fire('SubagentStop', { ...STOP, ...SUB })
      await it.read(it.flow('steps/look.md'), SUB)
      const refused = await stop()
      expect(refused.decision).toBe('block')
      expect(reasonFor(refused)).toContain(`Next: read ${it.flow('steps/think.md')}`)
      const scopes = () =>
        it.rows(`select ended_at from sessions where scope_of = '${it.session}' order by id`)
      expect(await scopes()).toEqual([{ ended_at: null }])
      expect((await stop()).decision).toBe('allow')
      expect(await scopes()).toEqual([{ ended_at: expect.any(String) as string }])
    })
  })
}
