import { describe, expect, test } from 'vitest'
import { familyPlan } from '../methods/family.contract.ts'
import { putWorkflow } from '../methods/workflow.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { clientIn, contextOf, reasonOf } from './client.contract.ts'
import { surveyAt } from './survey.contract.ts'

/** The main thread, in the place of a sub-agent. */
const MAIN = 'main'

/** A session at a step that two sub-agents do, with their commands. */
async function atSplit(world: World, dispatch: object = {}, writes?: readonly string[]) {
  const it = await surveyAt(world)
  const plan = familyPlan(dispatch)
  const steps = plan.steps.map((step) =>
    step.id === 'tell' && writes !== undefined ? { ...step, writes } : step,
  )
  const skill = await putWorkflow(world, { ...plan, steps }, { project: it.project })
  const native_id = it.session
  const params = { topic: 'a hidden word', place: 'cellar' }
  const { effort_id } = await world.call('step.start', { skill, cwd: it.project, native_id, params })
  const call = (method: string, said: object = {}): Promise<Answer> =>
    world.call(method, { effort_id, native_id, ...said })
  const { view } = await call('step.enter')
  const bash = (agent: string, command: string) => ({
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: `${agent}-${command.length}`,
    ...(agent !== MAIN && it.inAgent(agent)),
  })
  /** Runs a command in the shell of a sub-agent. */
  const run = async (agent: string, command: string, work: () => Promise<Answer>): Promise<Answer> => {
    await it.fire('PreToolUse', bash(agent, command))
    const answer = await work()
    await it.fire('PostToolUse', { ...bash(agent, command), tool_response: {} })
    return answer
  }
  return {
    ...it,
    skill,
    id: Number(effort_id),
    call,
    bash,
    run,
    /** The first command of a sub-agent. */
    begin: async (agent: string, child: number): Promise<Answer> =>
      await run(agent, view.dispatch?.children[child - 1]?.command ?? '', () =>
        call('step.child', { workflow: 'check', child }),
      ),
    finish: async (agent: string, id: number) => {
      await run(agent, 'holdfast step', () => call('step.enter', { effort_id: id }))
      for (const [step, set] of [
        ['look', {}],
        ['say', { result: 'pass' }],
      ] as const)
        await run(agent, `holdfast step done ${step} --effort ${id}`, () =>
          call('step.leave', { effort_id: id, step, visit: 1, set }),
        )
    },
  }
}

/** Sub-agents of a workflow's step, as the hooks of their client report them. */
export function childScopeContract(world: () => World): void {
  const begun = (dispatch: object = {}, writes?: readonly string[]) => atSplit(world(), dispatch, writes)

  describe('a sub-agent that begins the work of a step', () => {
    test('has a scope of its own, and leaves the main thread where it is', async () => {
      const it = await begun()
      const [one, two] = [await it.begin('a1', 1), await it.begin('a2', 2)]
      expect(await it.scope('a1').spans()).toEqual([`${it.skill}/check active`])
      expect(await it.scope('a1').windows()).toMatchObject([
        { effort_id: one.effort_id, scope_of: it.session },
      ])
      expect(await it.scope('a2').windows()).toMatchObject([{ effort_id: two.effort_id }])
      expect(await it.spans()).toEqual([`${it.skill} active`])
      expect((await it.windows()).map(({ effort_id }) => effort_id)).toEqual([it.id])
      await it.finish('a1', one.effort_id)
      await it.stop('a1')
      expect(await it.scope('a1').windows()).toMatchObject([{ ended_reason: 'finished' }])
      await it.finish('a2', two.effort_id)
      expect(await it.call('step.show')).toMatchObject({ entry: 'tell', held: null })
      expect((await it.call('step.enter')).view).toMatchObject({ step: 'tell' })
    })

    test('cannot move the effort of its caller, nor that of another sub-agent', async () => {
      const it = await begun()
      await it.begin('a1', 1)
      const two = await it.begin('a2', 2)
      for (const effort_id of [it.id, two.effort_id]) {
        const refused = await it.run('a1', 'holdfast step', () =>
          failure(it.call('step.leave', { effort_id, outcome: 'fail', reason: 'no' })),
        )
        expect(refused).toMatchObject({ code: 'conflict', field: 'effort_id' })
      }
    })

    test('is needed: the main thread can neither begin its work nor move it, and hears what to do', async () => {
      const it = await begun()
      const refused = {
        code: 'refused',
        field: 'child',
        hint: `holdfast step --effort ${it.id}`,
        message: expect.stringContaining('Sub-agent 1 of step "Split up"') as string,
      }
      expect(await failure(it.begin(MAIN, 1))).toMatchObject(refused)
      const { effort_id } = await it.begin('a1', 1)
      await it.stop('a1')
      const take = `holdfast step --effort ${effort_id}`
      expect(await it.run(MAIN, take, () => failure(it.call('step.enter', { effort_id })))).toMatchObject(
        refused,
      )
      // What the main thread runs meanwhile hides nobody.
      await it.fire('PreToolUse', it.bash(MAIN, 'npm test'))
      expect(await it.run('a2', take, () => it.call('step.enter', { effort_id }))).toMatchObject({
        current: ['look'],
      })
      const done = `holdfast step done look --effort ${effort_id}`
      expect(
        await it.run(MAIN, done, () => failure(it.call('step.leave', { effort_id, step: 'look' }))),
      ).toMatchObject(refused)
      const fail = `holdfast step fail split --child 1 --visit 1 --reason lost --effort ${it.id}`
      await it.run(MAIN, fail, () =>
        it.call('step.leave', { step: 'split', visit: 1, child: 1, outcome: 'fail', reason: 'lost' }),
      )
      expect(await it.call('step.show')).toMatchObject({ entry: 'split' })
    })

    test.each([
      ['more white space', (id: number) => `holdfast step done look --effort  ${id}`],
      ['zeros', (id: number) => `holdfast step done look --effort 0${id}`],
      ['quotes', (id: number) => `holdfast step done look --eff""ort "${id}"`],
      ['a variable', (id: number) => `E=${id}; holdfast step done look --effort $E`],
      ['parameters', (id: number) => `holdfast rpc step.leave '{"effort_id":${id}}'`],
      ['a script', () => 'sh done.sh'],
      ['a tool that nobody knows', () => undefined],
    ])('is needed, also if the main thread hides what it means by %s', async (_, command) => {
      const it = await begun()
      const { effort_id } = await it.begin('a1', 1)
      const leave = () => it.call('step.leave', { effort_id, step: 'look' })
      const typed = command(Number(effort_id))
      const call =
        typed === undefined
          ? { tool_name: 'mcp__shell__run', tool_input: { line: 'x' }, tool_use_id: 'other' }
          : it.bash(MAIN, typed)
      await it.run('a1', `holdfast step --effort ${effort_id}`, () => it.call('step.enter', { effort_id }))
      await it.fire('PreToolUse', call)
      expect(await failure(leave())).toMatchObject({ code: 'refused', field: 'child' })
      await it.fire('PostToolUse', { ...call, tool_response: {} })
      const done = 'sh done.sh'
      await it.run(MAIN, 'npm run watch', async () => {
        expect(await it.run('a1', done, leave)).toMatchObject({ current: ['say'] })
        return {}
      })
    })

    test('may be unknown: without a hook of its call, the user or a sub-agent moves it', async () => {
      const it = await begun()
      const begin = { workflow: 'check', child: 1 }
      const { effort_id } = await it.call('step.child', begin)
      expect(await it.call('step.enter', { effort_id })).toMatchObject({ current: ['look'] })
      expect(await it.call('step.leave', { effort_id, step: 'look' })).toMatchObject({ current: ['say'] })
    })

    test('learns nothing of the work of its caller but what the step gives to it', async () => {
      const it = await begun({ vars: { topic: 'the {{place}}' } })
      await it.call('artifact.put', { name: 'notes' })
      await it.call('commands.log.append', { text: 'Looked into it with care.' })
      const { effort_id } = await it.begin('a1', 1)
      const recap = await world().call('db.effort.recap', { effort_id, native_id: it.session })
      const text = JSON.stringify(recap)
      expect(text).toContain(`${it.skill}/check`)
      expect(text).not.toContain('a hidden word')
      expect(text).not.toContain('SKILL.md')
      expect(text).not.toContain(`effort ${it.id} `)
      expect(text).not.toContain('session continue')
      expect(text).not.toContain('notes')
    })

    test('may not change what the plan of its caller holds back', async () => {
      const it = await begun({}, ['src/**'])
      await it.begin('a1', 1)
      const write = (name: string) => {
        const input = { file_path: `${it.project}/${name}`, content: '' }
        return it.fire('PreToolUse', { tool_name: 'Write', tool_input: input, ...it.inAgent('a1') })
      }
      expect(reasonOf(await write('src/app.ts'))).toContain('src/app.ts may be changed only from')
      expect((await write('notes.md')).decision).toBe('allow')
    })

    test('that stops early leaves its work to be taken up, by the same command and another sub-agent', async () => {
      const it = await begun()
      const { effort_id } = await it.begin('a1', 1)
      await it.stop('a1')
      expect((await it.call('step.show')).view.dispatch.children[0]).toMatchObject({ state: 'running' })
      expect(await it.begin('a2', 1)).toMatchObject({ effort_id, state: 'running' })
      expect(await it.scope('a2').windows()).toMatchObject([{ effort_id, ended_at: null }])
      await it.finish('a2', effort_id)
      expect((await it.call('step.show')).view.dispatch.children[0]).toMatchObject({ state: 'ok' })
    })

    test('is no open work of its own: whoever finds the work finds the effort of its caller', async () => {
      const it = await begun()
      await it.begin('a1', 1)
      const beside = clientIn(world(), it.project)
      const told = contextOf(await beside.start())
      expect(told).toContain(it.skill)
      expect(told).not.toContain(`${it.skill}/check`)
      expect(contextOf(await it.start('compact'))).not.toContain(`${it.skill}/check`)
      expect(await world().call('commands.effort.meant', { cwd: it.project })).toMatchObject({ id: it.id })
    })
  })

  describe('a sub-agent that works freely', () => {
    test('counts once it has stopped well, as one of those that have not reported', async () => {
      const it = await begun({ workflow: undefined, vars: {}, returns: [] })
      const agent = (call: string, id: string) => ({
        tool_name: 'Agent',
        tool_input: { prompt: 'Split up: do your part.' },
        tool_use_id: call,
        tool_response: { agentId: id, status: 'completed' },
      })
      await it.fire('PreToolUse', agent('c1', 'b1'))
      await it.fire('PostToolUse', agent('c1', 'b1'))
      expect((await it.call('step.show')).view.dispatch.children).toMatchObject([
        { state: 'ok' },
        { state: 'waiting' },
      ])
      // The main thread reports it by hand as well.
      await it.call('step.leave', { step: 'split', visit: 1, child: 1 })
      expect((await it.call('step.show')).view.step).toBe('split')
      await it.call('step.leave', { step: 'split', visit: 1, child: 2 })
      expect(await it.call('step.show')).toMatchObject({ entry: 'tell' })
    })
  })
}
