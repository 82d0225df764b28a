import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, clientIn, contextOf, silence } from '../hook/client.contract.ts'
import { surveyAt } from '../hook/survey.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** Who may change an effort. */
export function movingContract(world: () => World): void {
  const go = (params: object): Promise<Answer> => world().call('commands.session.continue', params)
  const start = (params: object): Promise<Answer> => world().call('commands.effort.start', params)

  describe('moving an effort', () => {
    const PHASES = {
      'SKILL.md': '---\nname: two\ndescription: Two.\n---\n',
      'holdfast.yaml': 'phases:\n  - {label: "1", name: One}\n  - {label: "2", name: Two}\n',
    }
    const begun = async (call = '/two', plan = PHASES['holdfast.yaml']) => {
      const it = await clientAt(world())
      await it.add('two', { ...PHASES, 'holdfast.yaml': plan })
      await it.start()
      await it.prompt(call)
      const { id } = (await it.efforts()).at(-1)
      const other = clientIn(world(), it.project)
      await other.start()
      return { it, other, effort_id: Number(id) }
    }
    const MOVES = [
      ['step.enter', { step: '1' }],
      ['step.leave', { step: '1' }],
      ['db.effort.phase', { label: '2' }],
      ['db.effort.finish', { abandon: 'no longer needed' }],
    ] as const
    /** Everything that changes an effort by its number. */
    const CHANGES = [
      ...MOVES,
      ['artifact.put', { name: 'x' }],
      ['evidence.begin', { name: 'x' }],
      ['db.effort.tick', { item: 'x' }],
      ['db.effort.dehydrate', { payload: { summary: 'x' } }],
      ['commands.log.append', { text: 'x' }],
      ['run.log', { text: 'x' }],
    ] as const
    const REPORTS = [
      ['pipeline.next', {}],
      ['pipeline.done', { step: 'a' }],
      ['pipeline.fail', { step: 'a', reason: 'no' }],
    ] as const
    const PROVED =
      'phases:\n  - {label: "1", name: One}\n  - {label: "2", name: Two, proof: {x: {command: "true"}}}\n'
    const PIPELINE = 'pipeline:\n  - {id: a, command: "true"}\n  - {id: b, command: "true"}\n'

    test('that another session has open is refused, with the command that takes it over', async () => {
      const { it, other, effort_id } = await begun()
      const { native_id } = { native_id: other.session }
      for (const [method, more] of MOVES) {
        const refused = await failure(world().call(method, { effort_id, native_id, ...more }))
        expect(refused).toMatchObject({
          code: 'conflict',
          field: 'effort_id',
          hint: `holdfast session continue ${effort_id} --take`,
        })
        expect(refused.message).toContain(it.session)
      }
      expect(await world().call('step.show', { effort_id })).toMatchObject({ current: [] })
      const seq = await world().lastSeq()
      await go({ effort_id, native_id, take: true })
      await world().call('step.enter', { effort_id, native_id, step: '1' })
      expect((await world().since(seq)).at(-1)).toMatchObject({
        event_type: 'phase.entered',
        session_id: other.session,
      })
      expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject({
        code: 'conflict',
      })
    })

    describe('that a live session began earlier', () => {
      const earlier = async (plan = PROVED) => {
        const { it, other, effort_id } = await begun('/two one thing', plan)
        await it.prompt('/two something else')
        expect((await it.windows()).at(-1).effort_id).not.toBe(effort_id)
        return { it, other, effort_id }
      }

      test.each([
        ['changed', PROVED, CHANGES],
        ['reported', PIPELINE, REPORTS],
      ] as const)('stays its own, however it is %s', async (_, plan, changes) => {
        const { it, other, effort_id } = await earlier(plan)
        const native_id = other.session
        const seq = await world().lastSeq()
        for (const [method, more] of changes) {
          const refused = await failure(world().call(method, { effort_id, native_id, ...more }))
          expect(refused).toMatchObject({
            code: 'conflict',
            field: 'effort_id',
            hint: `holdfast session continue ${effort_id} --take`,
          })
          expect(refused.message).toContain(it.session)
          expect(refused.message).toContain('only if the user asks')
        }
        const told = (await world().since(seq)).map(({ event_type }: Answer) => event_type)
        expect(new Set(told)).toEqual(new Set(['effort.refused']))
        expect(told).toHaveLength(changes.length)
        expect(await failure(go({ effort_id, native_id }))).toMatchObject({
          code: 'conflict',
          hint: `holdfast session continue ${effort_id} --take`,
        })
        const own = { effort_id, native_id: it.session }
        expect(await world().call('step.enter', own)).toMatchObject({ entered: true })
      })

      test('is free for the user at a terminal', async () => {
        const { effort_id } = await earlier()
        await world().call('commands.log.append', { effort_id, text: 'x' })
        expect(await world().call('step.enter', { effort_id, step: '1' })).toMatchObject({ entered: true })
      })

      test('is free once that session has ended, and after an explicit continue if it was only silent', async () => {
        const { it, other, effort_id } = await earlier()
        const theirs = { effort_id, native_id: other.session }
        silence(world())
        await other.start('clear')
        expect((await it.windows()).at(-1)).toMatchObject({ ended_reason: 'orphaned' })
        const hint = `holdfast session continue ${effort_id}`
        expect(await failure(world().call('step.enter', theirs))).toMatchObject({ code: 'conflict', hint })
        await it.start('resume')
        await it.fire('SessionEnd', { reason: 'exit' })
        expect(await world().call('step.enter', theirs)).toMatchObject({ entered: true })
      })

      test('belongs to the session that took it, and its first one keeps its own work', async () => {
        const { it, other, effort_id } = await earlier()
        const before = (await it.windows()).at(-1)
        await go({ effort_id, native_id: other.session, take: true })
        expect((await it.windows()).at(-1)).toMatchObject({ id: before.id, ended_at: null })
        expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject(
          {
            code: 'conflict',
          },
        )
        // The new holder may turn to other work as well.
        await other.prompt('/two a third thing')
        expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject(
          {
            code: 'conflict',
          },
        )
      })

      test('is not offered to others as free', async () => {
        const { it, other, effort_id } = await earlier()
        const third = clientIn(world(), it.project)
        expect(contextOf(await third.start())).not.toContain(`session continue ${effort_id}`)
        const told = contextOf(await other.prompt(`/two --continue ${effort_id}`))
        expect(told).toContain('not resumed')
        expect(told).toContain(it.session)
        expect((await other.windows()).at(-1).effort_id).not.toBe(effort_id)
      })
    })

    test('is free for its own session, and for the user at a terminal', async () => {
      const { it, effort_id } = await begun()
      const own = { effort_id, native_id: it.session }
      await world().call('step.enter', { ...own, step: '1' })
      await world().call('step.leave', { effort_id, step: '1' })
      expect(await world().call('db.effort.finish', own)).toMatchObject({ lifecycle: 'finished' })
    })

    test('that nobody has open is free, unless its client was only silent', async () => {
      const { it, other, effort_id } = await begun()
      const theirs = { effort_id, native_id: other.session }
      silence(world())
      await other.start('clear')
      expect(await it.windows()).toMatchObject([{ ended_reason: 'orphaned' }])
      expect(await failure(world().call('step.enter', theirs))).toMatchObject({
        code: 'conflict',
        hint: `holdfast session continue ${effort_id}`,
      })
      await it.start('resume')
      await it.fire('SessionEnd', { reason: 'exit' })
      expect(await world().call('step.enter', theirs)).toMatchObject({ entered: true })
    })

    test('of an agent is refused to others, not to a session that serves it', async () => {
      const { it, other } = await begun()
      const agent_id = await world().agent()
      const dir = join(it.project, 'owned')
      const { id: effort_id } = await start({ dir, skill: 'two', native_id: it.session, agent_id })
      const go1 = (more: object) => world().call('step.enter', { effort_id, step: '1', ...more })
      const stranger = await world().agent()
      for (const who of [{ native_id: other.session }, { agent_id: stranger }]) {
        const refused = await failure(go1(who))
        expect(refused).toMatchObject({ code: 'conflict', hint: 'holdfast status' })
        expect(refused.message).toContain(`agent ${agent_id}`)
      }
      expect(await go1({ native_id: it.session })).toMatchObject({ entered: true })
      expect(await go1({ agent_id })).toMatchObject({ entered: false })
    })

    test('of a sub-agent is free for the session of its client, whose shell it shares', async () => {
      const it = await surveyAt(world())
      await it.prompt('/flow the house')
      await it.callIn('a1', 'flow', 'the shed')
      const { id: effort_id } = (await it.efforts()).at(-1)
      const enter = (native_id: string) => world().call('step.enter', { effort_id, step: 'look', native_id })
      const other = clientIn(world(), it.project)
      await other.start()
      expect(await failure(enter(other.session))).toMatchObject({ code: 'conflict' })
      expect(await enter(it.session)).toMatchObject({ entered: true })
    })

    test('of an agent is refused to a session that lends itself the name of the agent', async () => {
      const { it, other } = await begun()
      const agent_id = await world().agent()
      const dir = join(it.project, 'owned')
      const { id: effort_id } = await start({ dir, skill: 'two', native_id: it.session, agent_id })
      const lent = { agent_id, native_id: other.session }
      const hint = `holdfast session continue ${effort_id} --take`
      for (const take of [
        () => go({ ...lent, cwd: it.project }),
        () => go({ ...lent, effort_id }),
        () => world().call('step.enter', { ...lent, effort_id, step: '1' }),
      ])
        expect(await failure(take())).toMatchObject({ code: 'conflict', hint })
      expect((await it.windows()).at(-1)).toMatchObject({ effort_id, ended_at: null })
      // A silent session gives way, as to any other caller.
      silence(world())
      expect(await go({ ...lent, effort_id })).toMatchObject({ state: 'continued' })
    })
  })
}
