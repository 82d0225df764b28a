import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { STARTED, tracking } from '../../rules/told/words.ts'
import type { Answer, World } from '../world.contract.ts'
import { clientIn, contextOf, silence } from './client.contract.ts'
import { STEPS, surveyAt } from './survey.contract.ts'

/** Sub-agents that run a skill with a plan, each in a scope of its own. */
export function scopeContract(world: () => World): void {
  const begun = () => surveyAt(world())

  describe('the scope of a sub-agent', () => {
    test('opens when it calls a skill with a plan itself, and only then', async () => {
      const it = await begun()
      await it.prompt('/flow the house')
      const plain = await it.callIn('a1', 'plain')
      expect([plain.reply, await it.scope('a1').windows()]).toEqual([undefined, []])
      const called = await it.callIn('a1', 'flow', 'the shed')
      const [, shed] = await it.efforts()
      expect(shed.request).toBe('the shed')
      expect(contextOf(called)).toContain(inOurVoice(tracking(shed.id, 'flow')))
      // Its shell would move the main thread.
      expect(contextOf(called)).not.toContain('session continue')
      expect((await it.read(it.flow('steps/think.md'), it.inAgent('a1'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/think.md'), it.inAgent('a2'))).decision).toBe('allow')
      expect((await it.read(it.flow('steps/look.md'))).decision).toBe('allow')
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
      expect((await it.read(it.flow('steps/think.md'), it.inAgent('a1'))).decision).toBe('block')
    })

    test.each([
      ['stops well', 'SubagentStop', ['look', 'think']],
      ['fails', 'StopFailure', ['look']],
    ])('counts a step given to a background sub-agent once that %s', async (_, event, visits) => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.readIn('a1', 'look')
      await it.handOver('a1', 'b1', it.survey('steps/think.md'))
      const [survey] = await it.efforts()
      await it.stop('other')
      expect((await it.readIn('a1', 'do')).decision).toBe('block')
      expect(await it.visits(survey.id)).toEqual(['look'])
      await it.fire(event, { ...it.inAgent('b1'), stop_hook_active: false, error: 'rate_limit' })
      expect(await it.visits(survey.id)).toEqual(visits)
      expect((await it.readIn('a1', 'do')).decision).toBe(visits.includes('think') ? 'allow' : 'block')
      expect(await it.spans()).toEqual([])
    })

    test('counts such a step even if its own sub-agent has stopped before', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.handOver('a1', 'b1', it.survey('steps/look.md'))
      await it.readIn('b1', 'look')
      await it.stop('a1')
      await it.stop('b1')
      const [survey] = await it.efforts()
      expect(await it.visits(survey.id)).toEqual(['look'])
      expect(await it.scope('a1').windows()).toMatchObject([{ ended_reason: 'finished' }])
      await it.startAgent('a1', 'p2')
      expect((await it.readIn('a1', 'think')).decision).toBe('allow')
    })

    test('survives a restart, and the sub-agent finds it again when the client continues it', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.readIn('a1', 'look')
      await world().store.flush()
      world().store.volatile.openWindows.invalidate()
      expect((await it.readIn('a1', 'do')).decision).toBe('block')
      expect((await it.readIn('a1', 'think')).decision).toBe('allow')
      await it.stop('a1')
      const again = await it.startAgent('a1', 'p2')
      expect(contextOf(again)).toContain(`${STARTED}: think`)
      expect((await it.readIn('a1', 'do')).decision).toBe('allow')
      const [survey, ...others] = await it.efforts()
      expect([await it.visits(survey.id), others]).toEqual([[...STEPS], []])
      await it.stop('a1')
      expect(await it.efforts()).toMatchObject([{ lifecycle: 'finished' }])
      // Nothing is left to go on with.
      expect((await it.readIn('a1', 'do')).decision).toBe('allow')
      expect(await it.scope('a1').windows()).toHaveLength(2)
    })

    test('is found again by a tool call, if nothing reports that the sub-agent is back', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.readIn('a1', 'look')
      await it.stop('a1')
      const back = await it.readIn('a1', 'do')
      expect(back.decision).toBe('block')
      expect(contextOf(back)).toContain(`${STARTED}: look`)
    })

    test('ends with its client, and its effort waits', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.readIn('a1', 'look')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await it.scope('a1').windows()).toMatchObject([{ ended_reason: 'finished' }])
      expect(await it.scope('a1').spans()).toEqual(['survey completed look'])
      expect(await it.efforts()).toMatchObject([{ lifecycle: 'active' }])
      const [survey] = await it.efforts()
      expect(await it.rows(`select author from dehydrations where effort_id = ${survey.id}`)).toEqual([
        { author: 'engine' },
      ])
    })

    test('finishes with its sub-agent what needs no more, such as the last phase', async () => {
      const it = await begun()
      await it.add('tour', {
        'SKILL.md': '---\nname: tour\ndescription: Tours.\ncontext: fork\n---\n\nGo.\n',
        'holdfast.yaml': 'phases: [{label: "1", name: Look}, {label: "2", name: Act}]\n',
      })
      await it.start()
      await it.slash('/tour the attic', 'p1')
      await it.startAgent('a1', 'p1')
      const [tour] = await it.efforts()
      const lifecycle = async () => (await it.efforts()).map((one) => one.lifecycle)
      await world().call('step.enter', { effort_id: tour.id, step: '1' })
      await it.stop('a1')
      expect(await lifecycle()).toEqual(['active'])
      await it.startAgent('a1', 'p2')
      await world().call('step.enter', { effort_id: tour.id, step: '2' })
      await it.stop('a1')
      expect(await lifecycle()).toEqual(['finished'])
    })

    test('stays open while its client is compacted, and holds its effort', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.fire('PreCompact', { trigger: 'auto' })
      const recap = await it.start('compact')
      expect(contextOf(recap)).not.toContain('Tracking')
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/survey --continue')
      await other.fire('SubagentStart', it.inAgent('b1'))
      const beside = clientIn(world(), it.project, `${other.session}/b1`)
      expect((await beside.windows())[0].effort_id).toBe((await it.efforts())[1].id)
      expect((await it.readIn('a1', 'look')).decision).toBe('allow')
      silence(world())
      await clientIn(world(), it.project).start()
      expect(await it.scope('a1').windows()).toMatchObject([{ ended_reason: 'orphaned' }])
    })

    test('keeps the messages of the sub-agent apart from those of the main thread', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.readIn('a1', 'look')
      await it.stop('a1')
      await world().store.flush()
      const said = async (windows: Answer[]) =>
        (
          await it.rows(
            `select role from messages where session_id in (${windows.map(({ id }) => id).join(', ')}) order by id`,
          )
        ).map(({ role }) => role)
      expect(await said(await it.scope('a1').windows())).toEqual(['tool', 'assistant'])
      expect(await said(await it.windows())).toEqual(['user'])
    })

    test('costs other sub-agents nothing', async () => {
      const it = await begun()
      await it.prompt('/flow')
      await it.use('Bash', { command: 'ls' }, it.inAgent('a1'))
      world().watch.asked.length = 0
      await it.use('Bash', { command: 'ls' }, it.inAgent('a1'))
      await it.read(it.flow('steps/do.md'), it.inAgent('a1'))
      const { asked } = world().watch
      const isRead = asked.map(({ statements }) => statements.every((sql) => sql.startsWith('select ')))
      // Other processes could open a scope in the other database, so it is asked.
      const events = world().store.database.kind === 'sqlite' ? 0 : 4
      expect(asked.length).toBeLessThanOrEqual(2 * events)
      expect(isRead).not.toContain(false)
    })
  })
}
