import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World, writeFiles } from '../world.contract.ts'

/** What `db.effort.validate` finds in files, and what `db.effort.approve` and `db.effort.get` promise. */
export function effortChecksContract(world: () => World): void {
  /** The second effort of a task, for a skill with a debrief and checklists. */
  const effortWith = async (files: Readonly<Record<string, string>>, metadata: object = {}) => {
    const { call, projectId } = world()
    await call('db.skills.upsert', {
      name: 'fix-all',
      project_id: projectId,
      templates: { debriefTemplate: 'x.md' },
      directives: ['CHECKLIST.md'],
    })
    const task_id = await world().task()
    await world().effort({ task_id })
    const effort = await world().effort({ task_id, skill: 'fix-all', metadata })
    await writeFiles(files, task_id)
    return effort
  }
  const checks = async (effort: Answer) => {
    const report = await world().call('db.effort.validate', { effort_id: effort.id })
    return Object.fromEntries(report.checks.map((check: Answer) => [check.check, check])) as Answer
  }

  describe('validating the files of an effort', () => {
    test('finds bare tags with file and line, in its own artifacts and in no other', async () => {
      const effort = await effortWith({
        '2_FIX_ALL.md': '# Debrief\n**Tags**: #done-fix\n\nDone.',
        '2_FIX_ALL_LOG.md': 'one `#needs-a`\ntwo #needs-b',
        '1_IMPLEMENT.md': '#needs-c',
        '2_FIX.md': '#needs-d',
        'notes.md': '#needs-e',
      })
      const file = join(effort.task_id, '2_FIX_ALL_LOG.md')
      expect(await checks(effort)).toMatchObject({
        'bare-tags': {
          pass: false,
          detail: expect.stringContaining(`${file}:2 #needs-b.`),
          findings: [{ file, line: 2, text: '#needs-b' }],
        },
        debrief: { pass: true },
        'files-read': { pass: true },
      })
    })

    test('requires a debrief if the skill has a template for it, and an empty file does not count', async () => {
      const debrief = async (files: Record<string, string>) => (await checks(await effortWith(files))).debrief
      expect(await debrief({})).toMatchObject({
        pass: false,
        detail: expect.stringContaining('2_FIX_ALL.md'),
      })
      expect(await debrief({ '2_FIX_ALL.md': ' \n' })).toMatchObject({ pass: false })
      expect(await debrief({ '2_FIX_ALL_LOG.md': 'x', '2_FIX_ALL.md': 'x' })).toMatchObject({ pass: true })
      expect((await checks(await world().effort())).debrief).toMatchObject({ pass: true })
    })

    test('compares the checklists in force with the completed ones', async () => {
      const effort = await effortWith({ 'CHECKLIST.md': '- [ ] Run the tests\n- [ ] Look at the diff' })
      const asked = join(effort.task_id, 'CHECKLIST.md')
      expect((await checks(effort)).checklists).toMatchObject({
        pass: false,
        detail: expect.stringContaining('2_FIX_ALL_CHECKLIST.md'),
        findings: [
          { file: asked, line: 1 },
          { file: asked, line: 2 },
        ],
      })
      const filled = join(effort.task_id, '2_FIX_ALL_CHECKLIST.md')
      await writeFiles({ [filled]: '- [x] Run the tests\n- [ ] Look at the diff' })
      expect((await checks(effort)).checklists).toMatchObject({
        pass: false,
        findings: [{ file: filled, line: 2, text: 'not ticked: Look at the diff' }],
      })
      await writeFiles({ [filled]: '- [x] Run the tests\n- [x] Look at the diff' })
      expect((await checks(effort)).checklists).toMatchObject({ pass: true, findings: [] })
      const other = await world().effort({ task_id: effort.task_id })
      expect((await checks(other)).checklists).toMatchObject({ pass: true })
    })

    test('requires an answer in request files: its own, those of the task, and those it was started for', async () => {
      const effort = await effortWith(
        {
          '2_FIX_ALL_REQUEST_REVIEW.md': '# R',
          'REVIEW_REQUEST.md': '# R\n## Response\nYes.',
          '1_IMPLEMENT_REQUEST.md': '# not of this effort',
          'FIX_REQUESTED.md': '# not a request',
          'sub/OTHER.md': '# R\n## Response\n',
        },
        { requestFiles: ['sub/OTHER.md'] },
      )
      const { findings } = (await checks(effort)).requests
      expect(findings.map(({ file, line }: Answer) => [file.slice(effort.task_id.length + 1), line])).toEqual(
        [
          ['2_FIX_ALL_REQUEST_REVIEW.md', 1],
          ['sub/OTHER.md', 2],
        ],
      )
    })

    test('reads a whole file, or reports that it is too large', async () => {
      const long = `${'x\n'.repeat(700_000)}#needs-a\n`
      const effort = await effortWith({ '2_FIX_ALL.md': long, '2_FIX_ALL_LOG.md': 'x'.repeat(4_194_305) })
      const found = await checks(effort)
      expect(found['bare-tags'].findings).toEqual([
        { file: join(effort.task_id, '2_FIX_ALL.md'), line: 700_001, text: '#needs-a' },
      ])
      expect(found['files-read']).toEqual({
        check: 'files-read',
        pass: false,
        detail: expect.stringMatching(/4194304 .*2_FIX_ALL_LOG\.md/),
        findings: [],
      })
      await writeFiles({ [join(effort.task_id, '2_FIX_ALL.md')]: 'x'.repeat(4_194_305) })
      expect((await checks(effort)).debrief).toMatchObject({ pass: true })
    })

    test('reports when there are too many files', async () => {
      const names = Array.from({ length: 201 }, (_, n) => `2_FIX_ALL_${String(n).padStart(3, '0')}.md`)
      const effort = await effortWith(Object.fromEntries(names.map((name) => [name, 'x'])))
      expect((await checks(effort))['files-read']).toMatchObject({
        pass: false,
        detail: expect.stringContaining('2_FIX_ALL_200.md'),
      })
    })

    test('reports unreadable files, and reads nothing outside of the project or in our home', async () => {
      const home = join(world().home, 'engine.md')
      await writeFiles({ [home]: '# ours' })
      const effort = await effortWith(
        { '2_FIX_ALL.md': 'x' },
        { requestFiles: ['gone.md', '/etc/passwd', '../../../etc/passwd', home] },
      )
      await symlink('/etc/passwd', join(effort.task_id, '2_FIX_ALL_X.md'))
      const { 'files-read': read, requests } = await checks(effort)
      expect(read).toMatchObject({ pass: false, detail: expect.stringContaining('gone.md') })
      for (const path of ['/etc/passwd', home]) expect(read.detail).toContain(path)
      expect(requests.findings).toEqual([])
    })

    test('works if the folder of the task is missing', async () => {
      const effort = await world().effort()
      expect(await checks(effort)).toMatchObject({ 'bare-tags': { pass: true }, requests: { pass: true } })
    })
  })

  describe('an approval', () => {
    const approve = (effort: Answer, subject: string, reason = 'the user said so') =>
      world().call('db.effort.approve', { effort_id: effort.id, subject, reason })
    const enter = (effort: Answer, label: string, more: object = {}) =>
      world().call('db.effort.phase', { effort_id: effort.id, label, ...more })

    test('allows one phase out of order once, and keeps a record of its use', async () => {
      const effort = await world().effort()
      await enter(effort, '0')
      const seq = await world().lastSeq()
      const given = await approve(effort, '2: whatever it is called')
      expect(given).toMatchObject({ kind: 'phase', subject: '2: Execution', used_at: null })
      expect(await world().since(seq)).toMatchObject([
        {
          event_type: 'approval.given',
          effort_id: effort.id,
          phase: '2: Execution',
          payload: { approval_id: given.id, kind: 'phase', reason: 'the user said so' },
        },
      ])
      const proof = { mode: 'tdd' }
      expect(await enter(effort, '2', { proof })).toMatchObject({ current_phase: '2: Execution' })
      const { approvals } = await world().call('db.effort.get', { effort_id: effort.id })
      expect(approvals).toMatchObject([{ id: given.id, used_at: expect.any(String) }])
      await enter(effort, '0', { reason: 'back to the start' })
      expect(await failure(enter(effort, '2'))).toMatchObject({ code: 'refused' })
    })

    test('for another phase or another effort has no effect', async () => {
      const effort = await world().effort()
      await approve(effort, '3')
      await approve(await world().effort({ task_id: effort.task_id }), '2')
      expect(await failure(enter(effort, '2'))).toMatchObject({ code: 'refused' })
    })

    test('is not used up by a phase that the plan allows', async () => {
      const effort = await world().effort()
      await approve(effort, '0')
      await enter(effort, '0')
      const { approvals } = await world().call('db.effort.get', { effort_id: effort.id })
      expect(approvals).toMatchObject([{ used_at: null }])
    })

    test('requires a reason, and a phase or step of the plan', async () => {
      const effort = await world().effort()
      expect(await failure(approve(effort, '2', ' '))).toMatchObject({ code: 'invalid', field: 'reason' })
      const unknown = await failure(approve(effort, '9'))
      expect(unknown).toMatchObject({ code: 'not-found', field: 'subject' })
      expect(unknown.message).toContain('2.A')
      const free = await world().effort({ skill: world().name('free') })
      expect(await failure(approve(free, '1'))).toMatchObject({ code: 'not-found' })
      await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      expect(await failure(approve(effort, '2'))).toMatchObject({ code: 'conflict' })
    })
  })

  describe('showing an effort', () => {
    test('returns its history and the exact next command', async () => {
      const effort = await world().effort()
      const session = await world().call('db.session.start', {
        task_id: effort.task_id,
        effort_id: effort.id,
      })
      await world().call('db.effort.phase', { effort_id: effort.id, label: '0' })
      expect(await world().call('db.effort.get', { effort_id: effort.id })).toMatchObject({
        phase_history: [{ phase_label: '0: Setup' }],
        sessions: [{ id: session.id, ended_at: null }],
        approvals: [],
        artifacts: [],
        next: [`holdfast step go '1: Planning' --effort ${effort.id} --proof '{"mode":"____"}'`],
      })
      await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      expect(await world().call('db.effort.get', { effort_id: effort.id })).toMatchObject({ next: [] })
    })
  })

  test('phases are stored as visits: how often each was entered, and which were left', async () => {
    const effort = await world().effort()
    const enter = (label: string, more: object = {}) =>
      world().call('db.effort.phase', { effort_id: effort.id, label, ...more })
    await enter('0')
    await enter('1', { proof: { mode: 'x' } })
    await enter('1.1: Detour')
    await enter('0', { reason: 'again' })
    const rows = await world().opened.look(
      `select step, attempts, outcome, completed_at from step_visits where effort_id = ${effort.id} order by id`,
    )
    expect(rows.map((row) => ({ ...row, attempts: Number(row['attempts']) }))).toMatchObject([
      { step: '0', attempts: 2, outcome: null, completed_at: null },
      { step: '1', attempts: 1, outcome: 'ok', completed_at: expect.any(String) },
      { step: '1.1', attempts: 1, outcome: 'ok', completed_at: expect.any(String) },
    ])
  })

  test('an effort without stored visits continues from its history', async () => {
    const effort = await world().effort()
    const enter = (label: string) =>
      world().call('db.effort.phase', { effort_id: effort.id, label, proof: { mode: 'x' } })
    await enter('0')
    await enter('1')
    for (const table of ['step_visits', 'plan_state'])
      await world().store.transact((tx) =>
        tx.execute({ sql: `delete from ${table} where effort_id = ${effort.id}`, parameters: [] }),
      )
    expect(await failure(enter('3'))).toMatchObject({ code: 'refused' })
    expect(await enter('2')).toMatchObject({ entered: true })
    const rows = await world().opened.look(
      `select step, outcome from step_visits where effort_id = ${effort.id} order by step`,
    )
    expect(rows).toEqual([
      { step: '0', outcome: 'ok' },
      { step: '1', outcome: 'ok' },
      { step: '2', outcome: null },
    ])
  })
}
