import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATEGORIES, FAILURES } from '../../model/runbook/failure.ts'
import { clientIn, contextOf, skillOf } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { AUTH, compiledRunbook as runbookAt, runbookOf } from './runbook.contract.ts'

/** What an orchestrator of a runbook may rely on, on any database. */
export function runbookContract(world: () => World): void {
  const made = (text?: string) => runbookAt(world(), text === undefined ? {} : { text })
  /** Hands out the next step and reports it as done. */
  const doNext = async (it: Awaited<ReturnType<typeof made>>) => {
    const { step } = await it.next()
    return await it.done(step)
  }

  describe('the next step of a runbook', () => {
    test('is told whole, and says nothing of the other steps', async () => {
      const it = await made()
      const hand = await it.next()
      const effort = Number(hand.effort)
      expect(hand).toMatchObject({
        status: 'running',
        step: 'step-1-1',
        title: 'Do part 1.1',
        agent: `${it.name}-task`,
        model: 'haiku',
        max_turns: 30,
        report_path: `plans/${it.name}/reports/step-1-1.md`,
        command_done: `holdfast runbook report step-1-1 done --visit 1 --effort ${effort}`,
        command_error: expect.stringContaining(
          `holdfast runbook report step-1-1 error --visit 1 --effort ${effort} --category CATEGORY`,
        ),
        attempt: 1,
        limit: 3,
        resumed: false,
      })
      expect(hand.prompt).toContain(`Work in ${it.root}`)
      expect(hand.prompt).toContain(`Read plans/${it.name}/steps/step-1-1.md`)
      expect(hand.prompt).not.toMatch(/step-1-2|Do part|s1\.1/)
      for (const category of CATEGORIES) expect(hand.prompt).toContain(category)
    })

    test('is the same until it is reported, and asking is no try', async () => {
      const it = await made()
      const first = await it.next()
      for (let time = 0; time < 3; time++)
        expect(await it.next()).toEqual({ ...first, resumed: true, notes: [], prompt: expect.any(String) })
      expect((await it.status()).steps[0]).toMatchObject({ attempts: 1, state: 'started' })
      await it.done('step-1-1')
      expect(await it.next()).toMatchObject({ step: 'step-1-2', model: 'sonnet', attempt: 1, limit: 2 })
    })

    test('begins one effort on the folder of the runbook, whoever asks first', async () => {
      const it = await made()
      const both = await Promise.all([it.next(), it.next()])
      expect(new Set(both.map(({ effort }) => effort)).size).toBe(1)
      const { effort } = both[0]
      expect(await world().call('db.effort.get', { effort_id: effort })).toMatchObject({
        skill: 'orchestrate',
        task_id: it.folder,
        request: it.name,
        lifecycle: 'active',
      })
      expect((await world().call('runbook.next', { effort_id: effort })).step).toBe('step-1-1')
      expect((await it.next({ runbook: join(it.folder, 'runbook.md') })).effort).toBe(effort)
    })

    test('is told of two runbooks apart', async () => {
      const it = await made()
      const other = await runbookAt(world(), { project: it.root, text: runbookOf({ '1': 'opus' }) })
      expect((await it.next()).step).toBe('step-1-1')
      expect((await other.next()).step).toBe('step-1')
      await it.done('step-1-1')
      expect(await other.states()).toEqual([
        'step-1 started',
        'fix-final-review waiting',
        'final-review waiting',
      ])
      expect(await failure(world().call('runbook.status', { cwd: it.root }))).toMatchObject({
        code: 'conflict',
      })
    })
  })

  describe('a report', () => {
    test('may come twice, and late', async () => {
      const it = await made()
      await it.next()
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: true })
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: false })
      await it.next()
      // The reply to the first report was lost, and the second try runs already.
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: false })
      expect(await it.next()).toMatchObject({ step: 'step-1-1', attempt: 2 })
      expect(await it.done('step-1-1', { visit: 2 })).toMatchObject({ moved: true })
      expect(await it.done('step-1-1', { visit: 2 })).toMatchObject({ moved: false })
      expect(await it.done('step-1-1')).toMatchObject({ moved: false })
      expect(await it.next()).toMatchObject({ step: 'step-1-2', attempt: 1 })
    })

    test.each([
      ['of a step that was not handed out', 'step-1-2', 'done', {}, 'conflict'],
      ['of a try that was not made', 'step-1-1', 'done', { visit: 2 }, 'conflict'],
      ['of a step that does not exist', 'step-9', 'done', {}, 'not-found'],
      ['with an unknown category', 'step-1-1', 'error', { category: 'mood' }, 'invalid'],
      ['with findings of no review', 'step-1-1', 'error', { category: 'findings' }, 'invalid'],
    ] as const)('%s is refused and changes nothing', async (_, step, outcome, more, code) => {
      const it = await made()
      await it.next()
      const refused = await failure(it.report(step, outcome, more))
      expect(refused).toMatchObject({ code, hint: expect.stringContaining('holdfast ') })
      expect((await it.states())[0]).toBe('step-1-1 started')
    })

    test('that contradicts an earlier one is refused', async () => {
      const it = await made()
      await doNext(it)
      expect(await failure(it.error('step-1-1', 'execution'))).toMatchObject({ code: 'conflict' })
    })

    test('reads the category from the answer where nobody named it', async () => {
      const it = await made()
      await it.next()
      const told = await it.report('step-1-1', 'error', { reason: 'error: ambiguity: two names fit' })
      expect(told).toMatchObject({
        status: 'parked',
        failures: [expect.stringContaining('ambiguity: two names fit')],
      })
    })

    test('without any word counts as a failure that a stronger model may settle', async () => {
      const it = await made()
      await it.next()
      expect(await it.report('step-1-1', 'error')).toMatchObject({ status: 'running' })
      expect(await it.next()).toMatchObject({
        model: 'sonnet',
        prompt: expect.stringContaining('no reason was given'),
      })
    })
  })

  describe('a failed step', () => {
    test('goes up one model for each failure, then to the user, who may let it go on', async () => {
      const it = await made()
      for (const [at, model] of ['haiku', 'sonnet', 'opus'].entries()) {
        expect(await it.next()).toMatchObject({ step: 'step-1-1', model, attempt: at + 1 })
        await it.error('step-1-1', 'execution', { visit: at + 1 })
      }
      const parked = await it.next()
      expect(parked).toMatchObject({
        status: 'parked',
        step: null,
        next: [expect.stringContaining(`holdfast effort approve ${parked.effort} step-1-1`)],
      })
      await it.approve('step-1-1')
      expect(await it.next()).toMatchObject({ step: 'step-1-1', model: 'opus', attempt: 4, limit: 3 })
      await it.error('step-1-1', 'unexpected')
      expect(await it.next()).toMatchObject({ status: 'parked' })
      await it.approve('step-1-2')
      expect(await it.next()).toMatchObject({ step: 'step-1-2', model: 'sonnet' })
      expect((await it.states())[0]).toBe('step-1-1 waived')
    })

    test.each(CATEGORIES)('of category %s goes where the table says', async (category) => {
      const it = await made()
      await it.next()
      const seq = await world().lastSeq()
      const told = await it.error('step-1-1', category)
      const isUsers = FAILURES[category].then === 'user'
      expect(told).toMatchObject({ status: isUsers ? 'parked' : 'running' })
      expect(await it.next()).toMatchObject(isUsers ? { step: null } : { model: 'sonnet', attempt: 2 })
      const [entry] = (await world().since(seq)).filter(({ event_type }) => event_type === 'step.failed')
      expect(entry?.payload).toMatchObject({ category, reason: `${category}: it broke` })
    })

    test('tells the next model why it failed before', async () => {
      const it = await made()
      await it.next()
      await it.error('step-1-1', 'execution')
      expect((await it.next()).prompt).toContain('An earlier try failed: execution: it broke')
    })

    test('of the orchestrator itself is for the user at once', async () => {
      const it = await made(
        '---\nmodel: haiku\n---\n\n### Phase 1: Notes (type: inline)\n\nWrite the notes.\n',
      )
      const own = await it.next()
      expect(own).toMatchObject({ step: 'inline-1', agent: null, model: null, limit: 1 })
      expect(own.prompt).toContain('Write the notes.')
      expect(await it.error('inline-1', 'execution')).toMatchObject({ status: 'parked' })
    })
  })

  describe('a review', () => {
    const reviewed = async () => {
      const it = await made(runbookOf({ '1': 'opus' }))
      await doNext(it)
      return it
    }

    test('leads to a fix and back, until nothing is found or the user decides', async () => {
      const it = await reviewed()
      expect(await it.next()).toMatchObject({ step: 'final-review', agent: 'vet' })
      expect(await it.error('final-review', 'findings')).toMatchObject({ status: 'running' })
      const fix = await it.next()
      expect(fix).toMatchObject({ step: 'fix-final-review', agent: 'refactor', model: 'sonnet' })
      expect(fix.prompt).toContain(`plans/${it.name}/reports/final-review.md`)
      await it.done('fix-final-review')
      expect(await it.next()).toMatchObject({ step: 'final-review', attempt: 2 })
      await it.error('final-review', 'findings')
      expect(await it.next()).toMatchObject({ step: 'fix-final-review', model: 'opus' })
      await it.done('fix-final-review')
      await it.next()
      expect(await it.error('final-review', 'findings')).toMatchObject({ status: 'parked' })
    })

    test('that could not be done is done again, and one that must ask stops', async () => {
      const it = await reviewed()
      await it.next()
      await it.error('final-review', 'execution')
      expect(await it.next()).toMatchObject({ step: 'final-review', attempt: 2 })
      expect(await it.error('final-review', 'ambiguity')).toMatchObject({ status: 'parked' })
    })

    test('names the files of its phase, and asks for no commit', async () => {
      const it = await made()
      for (let step = 0; step < 3; step++) await doNext(it)
      const review = await it.next()
      expect(review).toMatchObject({ step: 'checkpoint-1', agent: 'vet', model: 'sonnet' })
      expect(review.prompt).toContain(`plans/${it.name}/steps/step-1-2.md`)
      expect(review.prompt).not.toContain('step-2-1')
      expect(review.prompt).not.toContain('Commit what you changed')
      expect(review.prompt).toContain('findings')
    })
  })

  describe('a runbook that is carried out', () => {
    test('is finished with its last review, and begins anew only if somebody says so', async () => {
      const it = await made(runbookOf({ '1': 'opus' }))
      await doNext(it)
      const { effort } = await it.next()
      expect(await it.done('final-review')).toMatchObject({ status: 'finished', moved: true, next: [] })
      expect(await it.done('final-review')).toMatchObject({ status: 'finished', moved: false })
      expect(await it.next()).toMatchObject({ effort, status: 'finished', step: null })
      expect(await world().call('runbook.next', { effort_id: effort })).toMatchObject({ status: 'finished' })
      const again = await it.next({ again: true })
      expect(again).toMatchObject({ step: 'step-1', attempt: 1 })
      expect(again.effort).not.toBe(effort)
      expect((await it.next({ again: true })).effort).toBe(again.effort)
    })
  })

  describe('what must be in order before', () => {
    test.each([
      ['a folder without a runbook', 'There', undefined],
      ['a runbook with errors', '# No steps\n', 'holdfast runbook check'],
    ])('%s begins nothing', async (_, text, hint) => {
      const it = await made()
      await (hint === undefined ? it.remove('runbook.md') : it.write(text))
      expect(await failure(it.next())).toMatchObject({
        hint: expect.stringContaining('holdfast runbook check'),
      })
      expect(await failure(it.status())).toMatchObject({ code: 'not-found' })
    })

    test('a runbook that is not compiled names the command', async () => {
      const it = await made()
      await it.write(AUTH.replace('Do part 1.1', 'Do it'))
      const outdated = { code: 'conflict', hint: `holdfast runbook compile ${it.folder}` }
      expect(await failure(it.next())).toMatchObject({
        ...outdated,
        message: expect.stringContaining('edited since'),
      })
      await it.remove('compiled')
      expect(await failure(it.next())).toMatchObject({
        ...outdated,
        message: expect.stringContaining('not compiled'),
      })
      await it.compile()
      expect(await it.next()).toMatchObject({ step: 'step-1-1', title: 'Do it' })
    })

    test('a step whose file is gone is not handed out', async () => {
      const it = await made()
      await it.next()
      await it.remove('steps')
      expect(await failure(it.next())).toMatchObject({
        code: 'refused',
        hint: expect.stringContaining('runbook compile'),
      })
    })

    test('what the step before left uncommitted is refused with its files, and only that', async () => {
      const it = await made()
      const tree = (...changed: readonly string[]) => ({ tree: { top: it.root, changed } })
      expect(await it.next(tree('src/a.ts'))).toMatchObject({ step: 'step-1-1', notes: [] })
      expect(await it.next(tree('src/a.ts'))).toMatchObject({ step: 'step-1-1' })
      await it.error('step-1-1', 'execution')
      expect(await it.next(tree('src/a.ts'))).toMatchObject({ model: 'sonnet' })
      await it.done('step-1-1')
      const refused = await failure(it.next(tree('src/a.ts', 'b c.ts')))
      expect(refused).toMatchObject({ code: 'refused', message: expect.stringContaining('src/a.ts, b c.ts') })
      expect(refused?.hint).toBe(
        `git -C ${it.root} add -- src/a.ts 'b c.ts' && git -C ${it.root} commit -m 'step-1-1: Do part 1.1'`,
      )
      expect((await it.states()).slice(0, 2)).toEqual(['step-1-1 completed', 'step-1-2 ready'])
      const reports = [`plans/${it.name}/reports/step-1-1.md`, '.holdfast/runs/x']
      expect(await it.next(tree(...reports))).toMatchObject({ step: 'step-1-2' })
    })

    test('outside of git nothing is checked, and that is said once', async () => {
      const it = await made()
      expect((await it.next()).notes).toEqual([expect.stringContaining('not in a git repository')])
      await it.done('step-1-1')
      expect((await it.next()).notes).toEqual([])
    })
  })

  describe('an edited runbook', () => {
    const edit = async (it: Awaited<ReturnType<typeof made>>, text: string) => {
      await it.write(text)
      await it.compile()
    }
    const MORE = runbookOf({ '1.1': 'haiku', '1.2': 'opus', '1.3': 'opus', '1.4': 'haiku', '2.1': 'haiku' })

    test('changes a running effort only once the user accepts it, with its progress', async () => {
      const it = await made()
      await doNext(it)
      await it.next()
      await it.error('step-1-2', 'execution')
      await edit(it, MORE)
      const kept = await it.next()
      expect(kept).toMatchObject({ step: 'step-1-2', model: 'opus', attempt: 2 })
      expect(kept.notes).toEqual([expect.stringContaining(`holdfast effort accept ${kept.effort}`)])
      expect(await it.states()).not.toContain('step-1-4 waiting')
      const accepted = await world().call('db.effort.accept', { effort_id: kept.effort })
      expect(accepted).toMatchObject({
        added: ['step-1-4'],
        changed: expect.arrayContaining(['step-1-2']),
        steps_kept: ['step-1-1', 'step-1-2'],
        next: [`holdfast runbook next --effort ${kept.effort}`],
      })
      const now = await it.next()
      expect(now).toMatchObject({
        effort: kept.effort,
        step: 'step-1-2',
        attempt: 2,
        resumed: true,
        notes: [],
      })
      await it.done('step-1-2')
      expect((await it.states()).slice(0, 4)).toEqual([
        'step-1-1 completed',
        'step-1-2 completed',
        'step-1-3 ready',
        'step-1-4 waiting',
      ])
      expect(await failure(world().call('db.effort.accept', { effort_id: now.effort }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('that has only new words changes nothing that anybody must accept', async () => {
      const it = await made()
      await it.next()
      await edit(it, AUTH.replace('The secret of 1.1', 'The word of 1.1'))
      expect(await it.next()).toMatchObject({ step: 'step-1-1', notes: [] })
    })

    test('with errors leaves the effort as it is, and cannot be accepted', async () => {
      const it = await made()
      const { effort } = await it.next()
      await it.write('# Nothing\n')
      const told = await it.next()
      expect(told).toMatchObject({
        step: 'step-1-1',
        notes: [expect.stringContaining('holdfast runbook check')],
      })
      expect(await failure(world().call('db.effort.accept', { effort_id: effort }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('and an edited skill of the same name do not touch it', async () => {
      const it = await made()
      const client = clientIn(world(), it.root)
      await client.add('orchestrate', skillOf('orchestrate', { look: 'produces: [view]' }))
      await client.start()
      const { effort } = await it.next()
      await client.add('orchestrate', skillOf('orchestrate', { other: 'produces: [idea]' }))
      const projects: readonly Answer[] = await world().call('db.project.list')
      const project_id = projects.find(({ path }) => path === it.root)?.id
      await world().call('agent.skills.list', { project_id })
      expect(await it.next()).toMatchObject({ effort, step: 'step-1-1' })
      expect((await world().call('step.show', { effort_id: effort })).plan_edit).toBeNull()
    })
  })

  describe('the effort of a runbook in a session', () => {
    const inSession = async (text?: string) => {
      const it = await made(text)
      const client = clientIn(world(), it.root)
      const who = { native_id: client.session, cwd: it.root }
      const next = (more: object = {}) => it.next({ ...who, client: 'claude-code', ...more })
      return { ...it, client, who, next }
    }

    test('is served by the session that asks, and nobody else moves it', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      expect((await it.client.windows()).at(-1)).toMatchObject({ effort_id: effort })
      const other = clientIn(world(), it.root)
      await other.start()
      expect(await failure(it.next({ native_id: other.session }))).toMatchObject({ code: 'conflict' })
      const mine = { cwd: it.root, native_id: it.client.session }
      expect(await world().call('runbook.status', mine)).toMatchObject({ effort })
      expect(
        await world().call('runbook.report', { ...mine, step: 'step-1-1', outcome: 'done' }),
      ).toMatchObject({
        effort,
        moved: true,
      })
    })

    test('survives a compaction and the end of its client', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      await it.client.fire('PreCompact', { trigger: 'auto' })
      const back = await it.client.start('compact')
      expect(contextOf(back)).toContain(`holdfast runbook next --effort ${effort}`)
      expect(contextOf(back)).not.toContain('step-1-2')
      expect(await it.next()).toMatchObject({ effort, step: 'step-1-1', attempt: 1 })
      await it.client.fire('SessionEnd', { reason: 'other' })
      const later = clientIn(world(), it.root)
      await later.start()
      const taken = await it.next({ native_id: later.session })
      expect(taken).toMatchObject({ effort, step: 'step-1-1', attempt: 1, resumed: true })
      expect((await later.windows()).at(-1)).toMatchObject({ effort_id: effort })
    })

    test('is the frame of the chain that called its skill, and the chain goes on behind it', async () => {
      const it = await inSession(runbookOf({ '1': 'opus' }))
      for (const name of ['orchestrate', 'commit']) await it.client.add(name, skillOf(name))
      await it.client.start()
      await it.client.prompt(`/orchestrate ${it.name} and /commit`)
      const { effort } = await it.next()
      const frames = async () => {
        const [chain] = await world().call('continuation.list', { cwd: it.root, ended: true })
        return chain.frames.map(({ skill, status, effort_id }: Answer) =>
          `${skill} ${status} ${effort_id ?? ''}`.trim(),
        )
      }
      expect(await frames()).toEqual([`orchestrate running ${effort}`, 'commit waiting'])
      await it.done('step-1', it.who)
      await it.next()
      await it.done('final-review', it.who)
      expect(await frames()).toEqual([`orchestrate completed ${effort}`, 'commit waiting'])
    })

    test('does not end its turn while steps are left, unless it waits for the user', async () => {
      const it = await inSession()
      await it.client.start()
      await it.client.prompt('go')
      const { effort } = await it.next()
      const stop = () => it.client.fire('Stop', { stop_hook_active: false, background_tasks: [] })
      expect((await stop()).reply).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining(`holdfast runbook next --effort ${effort}`),
      })
      await it.client.prompt('go on')
      await it.error('step-1-1', 'ambiguity', it.who)
      expect((await stop()).reply ?? {}).not.toMatchObject({ decision: 'block' })
    })

    test('counts what the orchestrator reports, and not the end of a sub-agent', async () => {
      const it = await inSession()
      await it.client.start()
      const hand = await it.next()
      const call = {
        tool_name: 'Agent',
        tool_use_id: 'c1',
        tool_input: { prompt: hand.prompt, subagent_type: hand.agent },
      }
      await it.client.fire('PreToolUse', call)
      await it.client.fire('SubagentStart', { agent_id: 'a1', agent_type: hand.agent })
      await it.client.fire('PostToolUse', { ...call, tool_response: { status: 'completed', agentId: 'a1' } })
      await it.client.fire('SubagentStop', {
        agent_id: 'a1',
        agent_type: hand.agent,
        stop_hook_active: false,
      })
      expect((await it.states())[0]).toBe('step-1-1 started')
      await it.error('step-1-1', 'execution', { ...it.who, visit: 1 })
      await it.client.fire('SubagentStop', {
        agent_id: 'a1',
        agent_type: hand.agent,
        stop_hook_active: false,
      })
      expect((await it.status()).steps[0]).toMatchObject({ attempts: 1, outcome: 'fail' })
    })

    test('is told in the words of every other effort', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      const command = `holdfast runbook next --effort ${effort}`
      expect(await world().call('step.show', { effort_id: effort })).toMatchObject({
        notation: 'runbook',
        status: 'running',
        current: ['step-1-1'],
        next: [command],
      })
      const shown = await world().call('db.effort.get', { effort_id: effort })
      expect(shown.next_actions ?? [command]).toEqual([command])
      const line = await world().call('statusline.show', {
        client: 'claude-code',
        payload: { session_id: it.client.session, cwd: it.root },
      })
      expect(JSON.stringify(line)).toContain('orchestrate:step-1-1')
    })

    test('moves by the steps of any plan too, but starts nothing past its next step', async () => {
      const it = await inSession()
      const { effort } = await it.next({ native_id: undefined })
      const effort_id = effort
      expect(await failure(world().call('step.enter', { effort_id, step: 'step-1-2' }))).toMatchObject({
        code: 'refused',
      })
      expect((await it.states())[0]).toBe('step-1-1 started')
      await world().call('step.leave', { effort_id, step: 'step-1-1', outcome: 'fail', reason: 'it broke' })
      expect(await world().call('runbook.next', { effort_id })).toMatchObject({ model: 'sonnet', attempt: 2 })
      await world().call('step.leave', { effort_id, step: 'step-1-1' })
      expect((await it.states()).slice(0, 2)).toEqual(['step-1-1 completed', 'step-1-2 ready'])
    })
  })

  test('an effort of another plan is no runbook', async () => {
    const { id } = await world().effort()
    for (const method of ['next', 'status'])
      expect(await failure(world().call(`runbook.${method}`, { effort_id: id }))).toMatchObject({
        code: 'conflict',
      })
  })
}
