import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { effortOf, givenToSubagent, noLogEntry, tracking } from '../../rules/told/words.ts'
import { failure, type World, writeFiles } from '../world.contract.ts'
import { clientIn, contextOf, FLOW, reasonOf } from './client.contract.ts'
import { STEPS, surveyAt } from './survey.contract.ts'

/** Skills that the client gives to a sub-agent. */
export function forkContract(world: () => World): void {
  const begun = () => surveyAt(world())
  const ledgerOf = async (seq: number) =>
    (await world().since(seq)).map(({ event_type, skill }) => `${event_type} ${skill ?? ''}`.trim())

  describe('a skill that forks', () => {
    test('gives its plan to the sub-agent of the call, and leaves the main thread alone', async () => {
      const it = await begun()
      await it.prompt('/flow the house')
      const [flow] = await it.efforts()
      const told = await it.slash('/survey the attic', 'p1')
      expect(contextOf(told[0])).toBe('')
      expect(contextOf(told[1])).toBe(inOurVoice(givenToSubagent('survey')))
      expect(await it.spans()).toEqual(['flow active'])
      const started = await it.startAgent('a1', 'p1')
      const efforts = await it.efforts()
      const survey = efforts[1]
      expect(efforts).toMatchObject([{ skill: 'flow' }, { skill: 'survey', request: 'the attic' }])
      expect(contextOf(started)).toContain(inOurVoice(tracking(survey.id, 'survey')))
      expect(contextOf(started)).not.toContain(effortOf(flow.id, 'flow'))
      expect(await it.scope('a1').spans()).toEqual(['survey active'])
      const early = await it.readIn('a1', 'do')
      expect([early.decision, reasonOf(early)]).toEqual(['block', expect.stringContaining('step "look"')])
      for (const step of STEPS) expect((await it.readIn('a1', step)).decision).toBe('allow')
      expect(await it.visits(survey.id)).toEqual([...STEPS])
      expect(await it.visits(flow.id)).toEqual([])
      expect(await it.spans()).toEqual(['flow active'])
      expect((await it.windows()).map(({ effort_id }) => effort_id)).toEqual([flow.id])
      const stopped = await it.stop('a1')
      expect([stopped.decision, stopped.reply]).toEqual(['allow', undefined])
      expect(await it.efforts()).toMatchObject([{ lifecycle: 'active' }, { lifecycle: 'finished' }])
      expect(await it.scope('a1').windows()).toMatchObject([
        { ended_reason: 'finished', scope_of: it.session, task_id: flow.task_id },
      ])
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
    })

    describe('after the work of its session is finished', () => {
      const finished = async () => {
        const it = await begun()
        await it.prompt('/flow the house')
        await it.use('Write', { file_path: `${it.project}/house.ts`, content: '' })
        const [flow] = await it.efforts()
        await world().call('db.effort.finish', { effort_id: flow.id, abandon: 'Enough.' })
        return { ...it, flow: flow as { id: number; task_id: string } }
      }

      test.each([
        ['other words', '/survey the attic', 'the attic', 'survey-the-attic', 1],
        ['its words', '/survey the house', 'the house', 'flow-the-house', 2],
        ['no words', '/survey', '', 'flow-the-house', 2],
      ])('begins work of its own, called by the user with %s', async (_, text, request, folder, ordinal) => {
        const it = await finished()
        await it.slash(text, 'p1')
        const told = contextOf(await it.startAgent('a1', 'p1'))
        const survey = (await it.efforts())[1]
        expect(survey).toMatchObject({ skill: 'survey', request, ordinal, lifecycle: 'active' })
        expect(survey.task_id).toMatch(new RegExp(`/\\d{4}-\\d\\d-\\d\\d-${folder}$`, 'u'))
        expect(told).toContain(inOurVoice(tracking(survey.id, 'survey')))
        expect(told).not.toContain('house.ts')
        expect(told).not.toContain(effortOf(it.flow.id, 'flow'))
        expect(await it.scope('a1').windows()).toMatchObject([{ task_id: survey.task_id }])
      })

      test('is the next effort of the same task, called by the agent', async () => {
        const it = await finished()
        await it.tool('c1', 'the attic', 'p1')
        const told = contextOf(await it.startAgent('a1', 'p1'))
        expect((await it.efforts())[1]).toMatchObject({
          request: 'the attic',
          task_id: it.flow.task_id,
          ordinal: 2,
        })
        expect(told).not.toContain('house.ts')
      })
    })

    test('is not told to its own session as the work of another', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      const beside = clientIn(world(), it.project)
      expect(contextOf(await beside.start())).toContain('of survey, "the attic"')
      expect(contextOf(await it.start('compact'))).not.toContain('in use by')
      expect(contextOf(await it.slash('/flow the house', 'p2').then(([first]) => first))).not.toContain(
        'in use',
      )
    })

    test('is one call, however often the client reports it', async () => {
      const it = await begun()
      const seq = await world().lastSeq()
      await it.slash('/survey the attic', 'p1')
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.startAgent('a1', 'p1')
      expect(contextOf(await it.startAgent('a2', 'p1'))).toBe('')
      expect(await it.efforts()).toHaveLength(1)
      expect((await ledgerOf(seq)).filter((line) => line.startsWith('skill.forked'))).toHaveLength(1)
      await it.stop('a1')
      expect((await ledgerOf(seq)).filter((line) => line.startsWith('delegation'))).toEqual([
        'delegation.ended survey',
      ])
    })

    test('works for two sub-agents at once, each on its own effort and count of calls', async () => {
      const it = await begun()
      await it.add('survey', { 'holdfast.yaml': 'heartbeat: 3\n' })
      await it.tool('c1', 'the attic', 'p1')
      await it.tool('c2', 'the cellar', 'p1')
      await it.startAgent('a1', 'p1')
      await it.startAgent('a2', 'p1')
      const [attic, cellar] = await it.efforts()
      expect([attic.request, cellar.request]).toEqual(['the attic', 'the cellar'])
      await it.readIn('a1', 'look')
      expect((await it.readIn('a2', 'think')).decision).toBe('block')
      expect((await it.readIn('a1', 'think')).decision).toBe('allow')
      await it.use('Bash', { command: 'ls' }, it.inAgent('a1'))
      const silent = await it.use('Bash', { command: 'ls' }, it.inAgent('a1'))
      expect(reasonOf(silent)).toContain(noLogEntry(3))
      // Its shell acts for the main thread, so the command names the effort.
      expect(reasonOf(silent)).toContain(`--effort ${attic.id}`)
      expect((await it.use('Bash', { command: 'ls' }, it.inAgent('a2'))).decision).toBe('allow')
      expect((await it.use('Bash', { command: 'ls' })).decision).toBe('allow')
      // The command comes with the session of the main thread.
      const log = { effort_id: attic.id, native_id: it.session, text: 'Went on.' }
      await world().call('commands.log.append', log)
      expect((await it.use('Bash', { command: 'ls' }, it.inAgent('a1'))).decision).toBe('allow')
      expect(await it.visits(attic.id)).toEqual(['look', 'think'])
      expect(await it.visits(cellar.id)).toEqual([])
      expect(await it.spans()).toEqual([])
    })

    test('is gated also if it asks to go on with work that another sub-agent does', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      await it.slash('/survey --continue', 'p2')
      expect(contextOf(await it.startAgent('a2', 'p2'))).not.toContain('session continue')
      expect((await it.readIn('a2', 'do')).decision).toBe('block')
    })

    test('is not given to the sub-agent of another prompt, nor after the call was refused or failed', async () => {
      const it = await begun()
      await it.tool('c1', 'the attic', 'p1')
      await it.fire('PostToolUseFailure', {
        tool_name: 'Skill',
        tool_input: { skill: 'survey', args: 'the attic' },
        tool_use_id: 'c1',
        error: 'It broke.',
      })
      expect((await it.startAgent('a1', 'p1')).reply).toBeUndefined()
      await it.tool('c2', 'the attic', 'p2')
      expect((await it.startAgent('a2', 'p3')).reply).toBeUndefined()
      expect(await it.efforts()).toEqual([])
      await it.add('watched', { ...FLOW, 'holdfast.yaml': 'heartbeat: 1\n' })
      await it.prompt('/watched')
      await it.use('Bash', { command: 'ls' })
      expect((await it.tool('c3', 'the attic', 'p4')).decision).toBe('block')
      expect((await it.startAgent('a3', 'p4')).reply).toBeUndefined()
      expect(await it.efforts()).toHaveLength(1)
    })

    test.each([
      ['before', ['agent', 'skill']],
      ['after', ['skill', 'agent']],
    ])('is not given to a plain sub-agent that the same message starts %s it', async (_, order) => {
      const it = await begun()
      const agent = {
        tool_name: 'Agent',
        tool_input: { prompt: 'Do it.' },
        tool_use_id: 'c1',
        prompt_id: 'p1',
      }
      for (const one of order) {
        await (one === 'skill' ? it.tool('c2', 'the attic', 'p1') : it.fire('PreToolUse', agent))
        await it.startAgent(one, 'p1')
        const tool_response = { isAsync: true, status: 'async_launched', agentId: 'agent' }
        if (one === 'agent') await it.fire('PostToolUse', { ...agent, tool_response })
      }
      expect((await it.readIn('agent', 'do')).decision).toBe('allow')
      expect((await it.readIn('skill', 'do')).decision).toBe('block')
      expect(await it.scope('agent').windows()).toEqual([])
    })

    test('keeps its effort open if the sub-agent fails or stops early', async () => {
      const it = await begun()
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      for (const step of STEPS) await it.readIn('a1', step)
      await it.fire('StopFailure', { ...it.inAgent('a1'), error: 'rate_limit' })
      await it.slash('/survey the cellar', 'p2')
      await it.startAgent('a2', 'p2')
      await it.readIn('a2', 'look')
      await it.stop('a2')
      expect(await it.efforts()).toMatchObject([{ lifecycle: 'active' }, { lifecycle: 'active' }])
      expect(await it.scope('a1').spans()).toEqual(['survey completed look,think,do'])
      expect(await it.scope('a2').windows()).toMatchObject([{ ended_reason: 'finished' }])
    })

    test('that a sub-agent calls is given to the next one', async () => {
      const it = await begun()
      await it.callIn('a1', 'survey', 'the attic')
      expect(await it.scope('a1').windows()).toEqual([])
      await it.callIn('a2', 'flow')
      const told = await it.callIn('a2', 'survey', 'the cellar')
      expect(contextOf(told)).toBe(inOurVoice(givenToSubagent('survey')))
      for (const agent of ['a3', 'a4', 'a5']) await it.startAgent(agent)
      expect((await it.efforts()).map(({ request }) => request)).toEqual(['', 'the attic', 'the cellar'])
      expect(await it.scope('a2').spans()).toEqual(['flow active'])
      expect(await it.scope('a3').spans()).toEqual(['survey active'])
      expect(await it.scope('a4').spans()).toEqual(['survey active'])
      expect(await it.scope('a5').windows()).toEqual([])
    })

    test('gets a task of its own, apart from a folder that a lost database left behind', async () => {
      const it = await begun()
      const day = new Date(world().context.clock.now()).toISOString().slice(0, 10)
      const name = `.holdfast/tasks/${day}-survey-the-attic`
      await writeFiles({ [`${name}/SURVEY_LOG.md`]: 'Old.\n' }, it.project)
      await it.slash('/survey the attic', 'p1')
      await it.startAgent('a1', 'p1')
      expect(await it.efforts()).toMatchObject([{ task_id: `${it.project}/${name}-02` }])
    })

    test('gets its own folder for work', async () => {
      const it = await begun()
      await it.add('survey', { 'holdfast.yaml': 'uses_skill_run: true\n' })
      const told = await it.slash('/survey the attic', 'p1')
      expect(contextOf(told[1])).not.toContain('.holdfast/runs')
      expect(contextOf(await it.startAgent('a1', 'p1'))).toContain('.holdfast/runs')
    })

    test.each(['fork', 'call of a sub-agent'])(
      'is what a step of a pipeline has called, by a %s, once it is finished',
      async (how) => {
        const it = await begun()
        const yaml = 'pipeline:\n  - {id: one, skill: survey}\n  - {id: two, prompt: Tell it.}\n'
        await it.add('line', { 'SKILL.md': '---\nname: line\ndescription: x\n---\n', 'holdfast.yaml': yaml })
        const name = how === 'fork' ? 'survey' : 'flow'
        if (name === 'flow') await it.add('line', { 'holdfast.yaml': yaml.replace('survey', 'flow') })
        await it.prompt('/line the house')
        const [line] = await it.efforts()
        const who = { effort_id: line.id, native_id: it.session }
        await world().call('step.enter', { ...who, step: 'one' })
        const done = () => world().call('step.leave', { ...who, step: 'one' })
        expect((await failure(done())).message).toContain('nobody has called it yet')
        if (how === 'fork') await it.tool('c1', 'the attic', 'p1')
        await it.startAgent('a1', 'p1')
        if (how !== 'fork') await it.callIn('a1', 'flow', 'the attic')
        const called = (await it.efforts())[1]
        expect((await failure(done())).message).toContain(`effort ${called.id} is not finished`)
        const file = (step: string) => join(it.project, '.claude/skills', name, `steps/${step}.md`)
        for (const step of STEPS) await it.read(file(step), it.inAgent('a1'))
        await it.stop('a1')
        expect(await done()).toMatchObject({ current: ['two'] })
      },
    )
  })
}
