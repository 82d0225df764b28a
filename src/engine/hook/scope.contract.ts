import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { effortOf, givenToSubagent, noLogEntry, STARTED, tracking } from '../../rules/told/words.ts'
import type { Answer, World } from '../world.contract.ts'
import { type ClientAt, clientAt, clientIn, contextOf, FLOW, reasonOf, silence } from './client.contract.ts'

const FORK = {
  ...FLOW,
  'SKILL.md': '---\nname: survey\ndescription: Surveys.\ncontext: fork\n---\n\nRead the steps.\n',
}
const STEPS = ['look', 'think', 'do'] as const

/** Sub-agents that run a skill with a plan, each in a scope of its own. */
export function scopeContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    const survey = await it.add('survey', FORK)
    await it.start()
    return { ...it, survey, ...ways(it, survey) }
  }
  /** The events of sub-agents and of calls that fork. */
  const ways = (it: ClientAt, survey: (path: string) => string) => {
    const inAgent = (agent: string) => ({ agent_id: agent, agent_type: 'general-purpose' })
    const skillCall = (id: string, skill: string, args: string) => ({
      tool_name: 'Skill',
      tool_input: { skill, args },
      tool_use_id: id,
    })
    const slash = async (text: string, prompt_id: string) => {
      const [, command_name = '', command_args = ''] = /^\/(\S+) ?(.*)$/.exec(text) ?? []
      const expansion = { prompt: text, command_name, command_args, prompt_id }
      return [
        await it.fire('UserPromptExpansion', expansion),
        await it.fire('UserPromptSubmit', { prompt: text, prompt_id }),
      ]
    }
    const stop = (agent: string) =>
      it.fire('SubagentStop', { ...inAgent(agent), stop_hook_active: false, last_assistant_message: 'Bye.' })
    const scope = (agent: string) => clientIn(world(), it.project, `${it.session}/${agent}`)
    return {
      inAgent,
      slash,
      stop,
      scope,
      tool: (id: string, args: string, prompt_id?: string) =>
        it.fire('PreToolUse', { ...skillCall(id, 'survey', args), prompt_id }),
      callIn: (agent: string, skill: string, args = '') =>
        it.fire('PreToolUse', { ...skillCall(`${agent}-call`, skill, args), ...inAgent(agent) }),
      startAgent: (agent: string, prompt_id?: string) =>
        it.fire('SubagentStart', { ...inAgent(agent), prompt_id }),
      readIn: (agent: string, step: string) => it.read(survey(`steps/${step}.md`), inAgent(agent)),
      visits: async (effort: number) =>
        (await it.rows(`select step from step_visits where effort_id = ${effort} order by id`)).map(
          ({ step }) => step,
        ),
    }
  }
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

    test('gets its own folder for work', async () => {
      const it = await begun()
      await it.add('survey', { 'holdfast.yaml': 'uses_skill_run: true\n' })
      const told = await it.slash('/survey the attic', 'p1')
      expect(contextOf(told[1])).not.toContain('.holdfast/runs')
      expect(contextOf(await it.startAgent('a1', 'p1'))).toContain('.holdfast/runs')
    })
  })

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
