import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { STALE_AFTER_SECONDS } from '../../model/session.ts'
import { duration } from '../../model/text/time.ts'
import { repository, silence } from '../hook/client.contract.ts'
import { expectUnchanged, type Answer, failure, type World } from '../world.contract.ts'
import { elsewhere } from '../effort/to-continue.ts'
import { currentPhase } from '../../rules/told/words.ts'

/** What the command that continues a session promises, on any database. */
export function sessionContinueContract(world: () => World): void {
  describe('continuing a session', () => {
    test('opens a window that follows the last one, in the same phase', async () => {
      const { native, start, go } = await repository(world())
      const started = await start({ native_id: native })
      await world().call('db.effort.phase', { effort_id: started.id, label: '0' })
      await world().call('db.session.finish', { session_id: started.session.id })
      const other = world().name('native')
      const on = await go({ native_id: other, client: 'claude-code' })
      expect(on).toMatchObject({
        state: 'continued',
        id: started.id,
        current_phase: '0: Setup',
        prev_session_id: started.session.id,
        session: { native_id: other, effort_id: started.id, heartbeat_counter: 0 },
        proof_to_leave: ['mode'],
      })
      expect(on.markdown).toContain(currentPhase('0: Setup'))
      const spans: Answer[] = await world().call('span.list', { session_id: other })
      expect(spans).toMatchObject([{ skill: 'implement', status: 'active', effort_id: started.id }])
      // The window is open now, so another call opens no other.
      const before = await world().everything()
      expect((await go({ native_id: other })).session.id).toBe(on.session.id)
      await expectUnchanged(world(), before)
    })

    test('returns the handover note of any session of the effort', async () => {
      const { dir, native, project, put, start, go } = await repository(world())
      const started = await start({ native_id: native })
      const there = await put('src/a.ts', 'x')
      const payload = {
        summary: 'Half way',
        nextSteps: ['Do b'],
        requiredFiles: ['src/a.ts', 'src/gone.ts', '~/x.md'],
      }
      await world().call('db.session.finish', {
        session_id: started.session.id,
        dehydration_payload: payload,
      })
      const second = await go({ native_id: world().name('native') })
      expect(second.dehydration).toEqual(payload)
      // The next one dies without a note, and the one after it still gets the old note.
      silence(world())
      const third = await go({ native_id: world().name('native') })
      expect(third).toMatchObject({ prev_session_id: second.session.id, dehydration: payload })
      const home = world().context.user.home
      expect(third.required_files).toEqual({
        present: [there],
        missing: [join(project, 'src/gone.ts'), join(home, 'x.md')],
      })
      expect(third.markdown).toContain('Summary: Half way')
      expect(third.markdown).toContain('Next steps:\n- Do b')
      const titles = [...third.markdown.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
      expect(titles).toEqual(['SRC_DEHYDRATED_CONTEXT', 'SRC_REQUIRED_FILES', 'SRC_NEXT_SKILLS'])
      expect(third.markdown).toContain(`${join(project, 'src/gone.ts')} (missing)`)
      expect(third.log).toBe(join(dir, '1_IMPLEMENT_LOG.md'))
      expect(await world().session(second.session.id)).toMatchObject({ ended_reason: 'continued' })
    })

    test('shows a generated handover note with relative times', async () => {
      const { native, start, go } = await repository(world())
      const started = await start({ native_id: native })
      const said = { session_id: started.session.id, role: 'assistant', content: 'I have begun.' }
      await world().call('db.messages.append', said)
      await world().call('db.effort.dehydrate', { effort_id: started.id, end_session: true })
      const key = { native_id: world().name('native'), idempotency_key: world().name('key') }
      const on = await go(key)
      expect(on.dehydration.lastAction).toBe('The agent said: I have begun.')
      expect(on.markdown).toMatch(
        /^State when the last session ended \(\d+ s ago\):\nLast action: The agent said: I have begun\.$/m,
      )
      expect(on.markdown).not.toMatch(/\d{4}-\d\d-\d\dT/)
      silence(world())
      expect((await go(key)).markdown).toBe(on.markdown)
    })

    test('returns how the client itself can reopen the last window', async () => {
      const { native, start, go } = await repository(world())
      await start({ native_id: native, client: 'claude-code' })
      silence(world())
      const on = await go({ native_id: world().name('native'), client: 'claude-code' })
      expect(on.resume).toBe(`claude --resume ${native}`)
      expect(on.markdown).toContain(`claude --resume ${native}`)
      silence(world())
      expect((await go({ native_id: on.session.native_id })).resume).toBe(null)
    })

    test('does not reopen a client that has turned to other work', async () => {
      const { dir, native, start } = await repository(world())
      const first = await start({ native_id: native, client: 'claude-code' })
      await start({ dir: `${dir}-other`, native_id: native, client: 'claude-code' })
      const shown = await world().call('commands.session.continue', { effort_id: first.id })
      expect(shown).toMatchObject({ state: 'shown', resume: null })
    })

    test('finds the work of the agent anywhere, and no finished work while some is open', async () => {
      const { dir, start } = await repository(world())
      const agent_id = await world().agent()
      const done = await start({ skill: 'brainstorm', agent_id })
      await world().call('db.effort.finish', { effort_id: done.id, abandon: 'no longer needed' })
      const open = await start({ agent_id })
      const on = await world().call('commands.session.continue', { agent_id })
      expect(on).toMatchObject({ id: open.id, task_id: dir, agent_id, session: { agent_id } })
      expect(await failure(world().call('commands.session.continue', {}))).toMatchObject({
        code: 'not-found',
      })
    })

    test('of finished work says so, offers the next skills and opens nothing', async () => {
      const { dir, native, start, go } = await repository(world())
      const started = await start({ native_id: native })
      await world().call('db.effort.finish', { effort_id: started.id, abandon: 'no longer needed' })
      const before = await world().everything()
      const answer = await go({ native_id: native })
      expect(answer).toMatchObject({ state: 'finished', id: started.id, next_skills: ['/test', '/document'] })
      expect(answer.markdown).toContain(`holdfast effort start ${dir} test`)
      await expectUnchanged(world(), before)
    })

    test('finds the newest effort that is not in use, and names the users if all are', async () => {
      const { native, start, go } = await repository(world())
      const free = await start()
      const taken = await start({ skill: 'brainstorm', native_id: native })
      const other = world().name('native')
      expect((await go({ native_id: other })).id).toBe(free.id)
      const third = world().name('native')
      const refused = await failure(go({ native_id: third }))
      expect(refused).toMatchObject({
        code: 'conflict',
        hint: `holdfast session continue ${taken.id} --take`,
      })
      expect(refused.message).toContain(`effort ${taken.id} (brainstorm) by session`)
      expect(refused.message).toContain(native)
    })

    test('of an effort in use says when its client was last active, and what frees it', async () => {
      const { native, start, go } = await repository(world())
      const crashed = await start({ native_id: native, client: 'claude-code' })
      world().advance(42_000)
      const other = world().name('native')
      const refused = await failure(go({ native_id: other }))
      expect(refused.message).toMatch(/session \d+ \(claude-code .*, last active \d\d+ s ago/)
      expect(refused.message).toContain(`free in ${duration((STALE_AFTER_SECONDS - 42) * 1000)}`)
      expect(refused.hint).toBe(`holdfast session continue ${crashed.id} --take`)
      const beside = await start({ native_id: other, client: 'claude-code' })
      expect(beside).toMatchObject({
        resumed: false,
        held: [{ effort_id: crashed.id, command: refused.hint }],
      })
      expect(beside.markdown).toContain(`To resume it, if the user asks: ${refused.hint}`)
      await world().call('db.session.finish', { session_id: crashed.session.id })
      expect((await go({ effort_id: crashed.id, native_id: other })).id).toBe(crashed.id)
    })

    test('of an effort with an owner names the agent, and no command that takes it away', async () => {
      const { start, go } = await repository(world())
      const agent_id = await world().agent()
      const owned = await start({ agent_id })
      const refused = await failure(go({ native_id: world().name('native') }))
      expect(refused).toMatchObject({ code: 'conflict', hint: 'holdfast fleet' })
      expect(refused.message).toContain(`effort ${owned.id} (implement) by agent ${agent_id}.`)
    })

    test('of a project with only finished efforts names the last one and how to start a new one', async () => {
      const { project, dir, start, log } = await repository(world())
      const go = () => failure(world().call('commands.session.continue', { cwd: project }))
      const first = await start({ skill: 'brainstorm' })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      expect((await go()).message).toContain(`The only effort in ${project} is finished`)
      const last = await start()
      await world().call('db.effort.finish', { effort_id: last.id, abandon: 'no longer needed' })
      expect(await go()).toMatchObject({
        code: 'not-found',
        message: `All 2 efforts in ${project} are finished. Last: effort ${last.id} (implement) of ${dir}. Begin it anew only if the user asks.`,
        hint: `holdfast effort start ${dir} implement`,
      })
      expect((await failure(log('x'))).message).toContain(`All 2 efforts in ${dir} are finished`)
    })

    test('of an effort by id resumes that one, not a newer one', async () => {
      const { dir, native, start, go } = await repository(world())
      const [older, newer] = [await start({ skill: 'brainstorm' }), await start()]
      const other = world().name('native')
      expect(await go({ effort_id: older.id, native_id: other })).toMatchObject({
        state: 'continued',
        id: older.id,
        session: { native_id: other, effort_id: older.id },
      })
      expect(await failure(go({ effort_id: older.id, native_id: native }))).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(
          new RegExp(`^Not resumed, .*effort ${older.id} \\(brainstorm\\) by session`),
        ),
      })
      await world().call('db.effort.finish', { effort_id: newer.id, abandon: 'no longer needed' })
      expect(await go({ effort_id: newer.id })).toMatchObject({ state: 'finished', id: newer.id })
      expect((await go({ effort_id: newer.id })).markdown).toContain(
        `effort ${newer.id} (implement) of ${dir} is finished`,
      )
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      expect(await failure(go({ effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      expect(await failure(go({ effort_id: 999_999_999 }))).toMatchObject({ code: 'not-found' })
    })

    test('of an effort of another project leaves it there, and says where it lives', async () => {
      const [there, here] = [await repository(world()), await repository(world())]
      const { id } = await there.start()
      await here.hook('SessionStart', { source: 'startup' })
      const before = await world().everything()
      const asked = { effort_id: id, native_id: here.native }
      const stay = { ...asked, cwd: here.project }
      expect(await failure(world().call('commands.session.continue', stay))).toMatchObject({
        code: 'conflict',
        message: elsewhere({ id, skill: 'implement' }, { root: there.project, here: here.project }),
        hint: `cd ${there.project} && holdfast session continue ${id}`,
      })
      const unknown = { effort_id: id, native_id: world().name('native'), cwd: join(here.project, '..') }
      expect(await failure(world().call('commands.session.continue', unknown))).toMatchObject({
        code: 'conflict',
      })
      await expectUnchanged(world(), before)
      const shown = await world().call('commands.session.continue', { effort_id: id, cwd: here.project })
      expect(shown).toMatchObject({ state: 'shown', id })
      // The command that the refusal names works.
      const on = await world().call('commands.session.continue', { ...asked, cwd: there.project })
      expect(on).toMatchObject({ state: 'continued', id })
    })

    test('of an unknown task, or one without efforts, says so', async () => {
      const { dir, project, go } = await repository(world())
      expect(await failure(go())).toMatchObject({ code: 'not-found', field: 'task_id' })
      const { id: project_id } = await world().call('db.project.upsert', { path: project })
      await world().call('db.task.upsert', { dir_path: dir })
      const start = { code: 'not-found', hint: `holdfast effort start ${dir} SKILL` }
      expect(await failure(go())).toMatchObject(start)
      // Our own commands in the client are no work to begin.
      for (const name of ['implement', 'brainstorm', 'holdfast-status'])
        await world().call('db.skills.upsert', { project_id, name })
      expect(await failure(go())).toMatchObject({
        ...start,
        message: expect.stringContaining('SKILL is one of: brainstorm, implement.'),
      })
      await world().call('db.skills.delete', { project_id, name: 'implement' })
      expect(await failure(go())).toMatchObject({ hint: `holdfast effort start ${dir} brainstorm` })
    })

    test('uses the project of the caller if no task is named', async () => {
      const { project, start } = await repository(world())
      const { id } = await start()
      const on = await world().call('commands.session.continue', { cwd: join(project, '.claude') })
      expect(on.id).toBe(id)
    })

    test('still knows the effort when its skill is gone', async () => {
      const { project, start, go } = await repository(world())
      const { id } = await start()
      const projects: Answer[] = await world().call('db.project.list')
      const project_id = projects.find(({ path }) => path === project)?.id
      await world().call('db.skills.delete', { name: 'implement', project_id })
      expect(await go({ native_id: world().name('native') })).toMatchObject({ id, next_skills: [] })
    })
  })
}
