import { describe, expect, test } from 'vitest'
import { expectUnchanged, failure, type Answer, IMPLEMENT, type World } from '../world.contract.ts'

/** An effort without files passes their checks. */
const OF_FILES = ['bare-tags', 'checklists', 'requests', 'debrief', 'files-read', 'run-result'].map(
  (check) => ({
    check,
    pass: true,
  }),
)

/** How the efforts of these tests enter phases. */
export function phasesOf(world: () => World) {
  const enter = (effort: Answer, label: string, more: object = {}) =>
    world().call('db.effort.phase', { effort_id: effort.id, label, ...more })
  const get = (effort: Answer) => world().call('db.effort.get', { effort_id: effort.id })
  /** An effort in a phase, with all proof up to it. */
  const effortIn = async (...labels: string[]) => {
    const effort = await world().effort()
    for (const label of labels)
      await enter(effort, label, { proof: { mode: 'tdd', tests_pass: true, blocks: 2 } })
    return effort
  }
  return { enter, get, effortIn }
}

/** What `db.effort.phase` and `db.effort.validate` promise. */
export function phaseContract(world: () => World): void {
  const { enter, get, effortIn } = phasesOf(world)

  describe('phases', () => {
    test('are entered in order, and the answer has the next phase and its proof', async () => {
      const effort = await world().effort()
      expect(await enter(effort, '0')).toMatchObject({
        entered: true,
        current_phase: '0: Setup',
        next_phases: ['1: Planning'],
        proof_to_leave: ['mode'],
      })
      const next = await enter(effort, '1', { proof: { mode: 'tdd' } })
      expect(next).toMatchObject({ current_phase: '1: Planning', next_phases: ['2: Execution'] })
      const { phase_history: history } = await get(effort)
      expect(history).toMatchObject([
        { phase_label: '0: Setup', proof: null },
        { phase_label: '1: Planning', proof: { mode: 'tdd' } },
      ])
    })

    test.each([
      ['0', '2'],
      ['1', '3'],
      ['1', '2.A'],
      ['2', '1'],
      ['2', '3'],
      ['2.A', '2.B'],
      ['2.B', '2.A'],
      ['3', '3.2'],
    ])('from %s to %s is refused, changes nothing and is recorded in the ledger', async (from, to) => {
      const before = { '0': ['0'], '1': ['0', '1'], '2': ['0', '1', '2'] }
      const path = before[from as '0'] ?? ['0', '1', '2', ...(from === '3' ? ['2.A', '3'] : [from])]
      const effort = await effortIn(...path)
      const was = await get(effort)
      const seq = await world().lastSeq()
      const proof = { mode: 'x', tests_pass: true, blocks: 1 }
      const refused = await failure(enter(effort, to, { proof }))
      expect(refused).toMatchObject({
        code: 'refused',
        field: 'label',
        hint: expect.stringContaining('holdfast'),
      })
      expect(await get(effort)).toEqual(was)
      expect(await world().since(seq)).toMatchObject([
        {
          event_type: 'phase.refused',
          effort_id: effort.id,
          project_id: world().projectId,
          skill: 'implement',
          phase: to,
          payload: { from: was.current_phase, reason: refused.message },
        },
      ])
    })

    test.each([
      ['2', '2.A'],
      ['2', '2.B'],
      ['2.A', '3'],
      ['2.B', '3'],
      ['3.1', '3.2'],
    ])('from %s to %s is allowed', async (from, to) => {
      const path = { '2': [], '2.A': ['2.A'], '2.B': ['2.B'], '3.1': ['2.B', '3', '3.1'] }[from] ?? []
      const effort = await effortIn('0', '1', '2', ...path)
      const entered = await enter(effort, to, { proof: { tests_pass: true, blocks: 0 } })
      expect(entered).toMatchObject({ entered: true, current_phase: expect.stringMatching(`^${to}:`) })
    })

    test('entered again change nothing: no history, no ledger, no reset of the heartbeat', async () => {
      const effort = await effortIn('0', '1')
      const session = await world().call('db.session.start', {
        task_id: effort.task_id,
        effort_id: effort.id,
      })
      await world().call('db.session.heartbeat', { session_id: session.id })
      const [was, seq] = [await world().everything(), await world().lastSeq()]
      expect(await enter(effort, '1: by another name')).toMatchObject({
        entered: false,
        current_phase: '1: Planning',
        next_phases: ['2: Execution'],
      })
      expect(await world().since(seq)).toEqual([])
      await expectUnchanged(world(), was)
    })

    test('reset the heartbeat of the sessions that serve the effort, and only of those', async () => {
      const effort = await effortIn('0')
      const [mine, other] = [effort, await effortIn('0')].map((one) => ({
        task_id: one.task_id,
        effort_id: one.id,
      }))
      const sessions = [
        await world().call('db.session.start', mine),
        await world().call('db.session.start', other),
      ]
      for (const { id } of sessions) await world().call('db.session.heartbeat', { session_id: id })
      await enter(effort, '1', { proof: { mode: 'tdd' } })
      const now = (id: number) => world().session(id)
      expect((await now(sessions[0].id)).heartbeat_counter).toBe(0)
      expect((await now(sessions[1].id)).heartbeat_counter).toBe(1)
    })

    test('are entered once, even with concurrent calls', async () => {
      const effort = await world().effort()
      const seq = await world().lastSeq()
      const answers = await Promise.all(Array.from({ length: 8 }, () => enter(effort, '0')))
      expect(answers.filter(({ entered }) => entered === true)).toHaveLength(1)
      expect((await get(effort)).phase_history).toHaveLength(1)
      expect(await world().since(seq)).toMatchObject([{ event_type: 'phase.entered' }])
    })

    // INV_EFFORTS_OWN_PHASES
    test('belong to one effort, not to its task', async () => {
      const first = await effortIn('0', '1')
      const second = await world().effort({ task_id: first.task_id })
      expect((await get(second)).phase_history).toEqual([])
      await enter(second, '0')
      expect((await get(first)).phase_history).toHaveLength(2)
    })

    test('are those of the current version of the skill', async () => {
      const { call, projectId, name } = world()
      const skill = name('skill')
      const declare = (labels: string[]) =>
        call('db.skills.upsert', {
          name: skill,
          project_id: projectId,
          phases: labels.map((label) => ({ label, name: 'x' })),
        })
      await declare(['1', '3'])
      const effort = await world().effort({ skill })
      await enter(effort, '1')
      expect((await get(effort)).next_phases).toEqual(['3: x'])
      await declare(['1', '2', '3'])
      expect((await get(effort)).next_phases).toEqual(['2: x'])
      expect(await failure(enter(effort, '3'))).toMatchObject({ code: 'refused' })
    })

    test('can have any name if the skill declares none', async () => {
      const effort = await world().effort({ skill: world().name('free') })
      expect(await enter(effort, 'warm up')).toMatchObject({ current_phase: 'warm up' })
      expect(await failure(enter(effort, ' : '))).toMatchObject({ code: 'not-found', field: 'label' })
    })
  })

  describe('skipping', () => {
    // INV_NOTHING_SILENT
    test('requires a reason, which is stored with the phase and in the ledger', async () => {
      const effort = await effortIn('0')
      expect(await failure(enter(effort, '2'))).toMatchObject({ code: 'refused' })
      // A reason changes the order; the proof is still owed.
      expect(await failure(enter(effort, '2', { reason: 'in a hurry' }))).toMatchObject({ code: 'refused' })
      expect(await failure(enter(effort, '2', { reason: '  ' }))).toMatchObject({
        code: 'invalid',
        field: 'reason',
      })
      const seq = await world().lastSeq()
      const entered = await enter(effort, '2', { proof: { mode: 'tdd' }, reason: ' the user said so ' })
      expect(entered).toMatchObject({ entered: true, current_phase: '2: Execution' })
      expect(
        await world().opened.look(`select * from approvals where effort_id = ${effort.id}`),
      ).toMatchObject([{ kind: 'phase', subject: '2: Execution', reason: 'the user said so' }])
      expect(await world().since(seq)).toMatchObject([
        {
          event_type: 'phase.skipped',
          phase: '2: Execution',
          payload: { from: '0: Setup', reason: 'the user said so' },
        },
        { event_type: 'phase.entered', phase: '2: Execution' },
      ])
    })

    test('is not recorded if nothing was skipped', async () => {
      const effort = await effortIn('0')
      const seq = await world().lastSeq()
      await enter(effort, '1', { proof: { mode: 'tdd' }, reason: 'not needed' })
      expect(await world().since(seq)).toMatchObject([{ event_type: 'phase.entered' }])
      expect(await world().opened.look(`select * from approvals where effort_id = ${effort.id}`)).toEqual([])
    })

    test('cannot enter a phase that does not exist', async () => {
      const effort = await effortIn('0')
      for (const label of ['7', '0.A', 'nonsense'])
        expect(await failure(enter(effort, label, { reason: 'please' }))).toMatchObject({
          code: 'not-found',
          message: expect.stringContaining('1: Planning'),
        })
    })
  })

  describe('a phase that the skill does not declare', () => {
    test('may be the next numbered part of the current one, and stays with its effort', async () => {
      const effort = await effortIn('0', '1')
      expect(await enter(effort, '1.1: Detour')).toMatchObject({ current_phase: '1.1: Detour' })
      const skill = await world().call('db.skills.get', { name: 'implement', project_id: world().projectId })
      expect(skill.phases).toEqual(IMPLEMENT)
      const other = await effortIn('0', '1')
      expect((await get(other)).next_phases).toEqual(['2: Execution'])
      expect(await enter(effort, '2')).toMatchObject({ current_phase: '2: Execution' })
    })

    test.each(['1.A', '0.1', '2.1', '0.A', '4'])('cannot be entered from 1 as %s', async (label) => {
      const effort = await effortIn('0', '1')
      expect(await failure(enter(effort, label))).toMatchObject({ code: 'not-found', field: 'label' })
    })

    test('cannot be entered backwards', async () => {
      const effort = await effortIn('0', '1')
      await enter(effort, '1.2: Later')
      expect(await failure(enter(effort, '1.1: Earlier'))).toMatchObject({ code: 'not-found' })
    })
  })

  describe('validating an effort', () => {
    test('fails while phases are missing, and lists them; what the user waived counts', async () => {
      const effort = await effortIn('0')
      await world().call('db.effort.approve', { effort_id: effort.id, subject: 'mode', reason: 'in a hurry' })
      await enter(effort, '1')
      const report = await world().call('db.effort.validate', { effort_id: effort.id })
      expect(report).toMatchObject({
        effort_id: effort.id,
        valid: false,
        checks: [
          { check: 'phases-entered', pass: false, detail: expect.stringContaining('3.2: Debrief') },
          { check: 'phases-proven', pass: true },
          { check: 'steps-done', pass: false, detail: expect.stringContaining('3.2: Debrief') },
          { check: 'todos-done', pass: true },
          ...OF_FILES,
        ],
      })
    })

    test('lists what was skipped by an approval, as does the ledger when the effort finishes', async () => {
      const effort = await effortIn('0')
      await enter(effort, '3', { proof: { mode: 'tdd' }, reason: 'the user said so' })
      const missed = [
        '1: Planning',
        '2: Execution',
        '2.A: Build Loop or 2.B: Handoff',
        '3.1: Checklists',
        '3.2: Debrief',
      ]
      const { checks } = await world().call('db.effort.validate', { effort_id: effort.id })
      expect(checks[0]).toEqual({
        check: 'phases-entered',
        pass: false,
        detail: `Not entered: ${missed.join(', ')}.`,
        findings: [],
      })
      const seq = await world().lastSeq()
      await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'effort.finished', payload: { phases_not_entered: missed } },
      ])
    })

    test('passes when every phase was left with its proof, except for alternatives', async () => {
      const effort = await effortIn('0', '1', '2', '2.B', '3', '3.1', '3.2')
      const report = await world().call('db.effort.validate', { effort_id: effort.id })
      expect(report).toMatchObject({
        valid: true,
        checks: [
          { check: 'phases-entered', pass: true },
          { check: 'phases-proven', pass: true },
          { check: 'steps-done', pass: true },
          { check: 'todos-done', pass: true },
          ...OF_FILES,
        ],
      })
    })
  })
}
