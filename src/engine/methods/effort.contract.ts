import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'

/** What efforts promise. */
export function effortContract(world: () => World): void {
  describe('an effort', () => {
    test('starts active, with the next ordinal of its task and its artifacts named by it', async () => {
      const task = await world().task()
      const given = { task_id: task, skill: 'code-review', mode: 'deep', metadata: { scope: ['a'] } }
      expect(await world().effort(given)).toMatchObject({
        ...given,
        ordinal: 1,
        lifecycle: 'active',
        current_phase: null,
        agent_id: null,
        finished_at: null,
        artifact_prefix: '1_CODE_REVIEW',
      })
      expect(await world().effort({ task_id: task })).toMatchObject({ ordinal: 2, metadata: {} })
      const listed = await world().call('db.effort.list', { task_id: task })
      expect(listed.map(({ ordinal }: { ordinal: number }) => ordinal)).toEqual([1, 2])
    })

    test('needs a skill that is stored, and one of its modes', async () => {
      const task_id = await world().task()
      const name = world().name('moded')
      const start = (more: object) => world().call('db.effort.start', { task_id, skill: name, ...more })
      expect(await failure(start({}))).toMatchObject({ code: 'not-found', field: 'skill' })
      expect((await failure(start({ skill: 'implemet' }))).message).toContain('did you mean implement?')
      await world().call('db.skills.upsert', { name, project_id: world().projectId, modes: { deep: {} } })
      expect(await failure(start({ mode: 'dep' }))).toMatchObject({
        code: 'refused',
        field: 'mode',
        message: `${name} has no mode dep; did you mean deep?`,
      })
      // A refused start takes no ordinal.
      expect(await start({ mode: 'deep' })).toMatchObject({ mode: 'deep', ordinal: 1 })
      expect(await start({ mode: 'quick' })).toMatchObject({ mode: 'quick', ordinal: 2 })
    })

    test('has its own ordinal among 24 concurrent starts', async () => {
      const task = await world().task()
      const started = await Promise.all(Array.from({ length: 24 }, () => world().effort({ task_id: task })))
      const ordinals = started.map(({ ordinal }) => Number(ordinal))
      expect(ordinals.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
    })

    test('that could not start leaves no gap in the ordinals', async () => {
      const task = await world().task()
      const agent = await world().agent()
      await world().effort({ task_id: task, agent_id: agent })
      await failure(world().effort({ task_id: task, agent_id: agent }))
      expect(await world().effort({ task_id: task })).toMatchObject({ ordinal: 2 })
    })

    test('finishes once, and then refuses to change', async () => {
      const effort = await world().effort()
      const finished = await world().call('db.effort.finish', {
        effort_id: effort.id,
        abandon: 'no longer needed',
      })
      expect(finished).toMatchObject({ lifecycle: 'finished', finished_at: expect.any(String) })
      const seq = await world().lastSeq()
      world().advance(1000)
      expect(
        await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' }),
      ).toEqual(finished)
      expect(await world().since(seq)).toEqual([])
      const agent_id = await world().agent()
      for (const [method, params] of [
        ['db.effort.phase', { effort_id: effort.id, label: '0' }],
        ['db.agents.claim', { effort_id: effort.id, agent_id }],
        ['db.session.start', { effort_id: effort.id, task_id: effort.task_id }],
      ] as const)
        expect(await failure(world().call(method, params))).toMatchObject({
          code: 'conflict',
          field: 'effort_id',
          hint: expect.stringContaining('effort start'),
        })
    })

    test('finishes once, even with concurrent calls', async () => {
      const effort = await world().effort()
      const seq = await world().lastSeq()
      const finish = () =>
        world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      const answers = await Promise.all(Array.from({ length: 8 }, finish))
      expect(new Set(answers.map(({ finished_at }) => String(finished_at))).size).toBe(1)
      expect(await world().since(seq)).toMatchObject([{ event_type: 'effort.finished' }])
    })

    test('that finishes lists in the ledger the phases it never entered', async () => {
      const effort = await world().effort()
      await world().call('db.effort.phase', { effort_id: effort.id, label: '0' })
      const seq = await world().lastSeq()
      await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      const [entry] = await world().since(seq)
      expect(entry).toMatchObject({
        event_type: 'effort.finished',
        phase: '0: Setup',
        effort_id: effort.id,
        payload: { phases_not_entered: expect.arrayContaining(['3: Synthesis']) },
      })
    })

    test('that finishes frees its agent but remembers it', async () => {
      const agent_id = await world().agent()
      const effort = await world().effort({ agent_id })
      expect(
        await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' }),
      ).toMatchObject({ agent_id })
      expect(await world().call('db.agents.get', { id: agent_id })).toMatchObject({
        effort_id: null,
        effort: null,
      })
    })

    test('that does not exist is an error with its id', async () => {
      const missing = { effort_id: 999_999_999 }
      for (const method of ['db.effort.get', 'db.effort.finish', 'db.effort.validate'])
        expect(await failure(world().call(method, missing))).toMatchObject({
          code: 'not-found',
          field: 'effort_id',
          message: expect.stringContaining('999999999'),
        })
    })

    test('needs a task that exists', async () => {
      const task_id = join(world().project, 'nowhere')
      for (const method of ['db.effort.list', 'db.effort.start', 'db.session.start'])
        expect(
          await failure(
            world().call(method, { task_id, ...(method === 'db.effort.start' && { skill: 's' }) }),
          ),
        ).toMatchObject({ code: 'not-found', field: 'task_id', hint: `holdfast task upsert ${task_id}` })
    })

    test('is found while it is active, by task, agent, skill and project', async () => {
      const [agent_id, skill] = [await world().agent(), world().name('skill')]
      const mine = await world().effort({ agent_id, skill })
      const done = await world().effort({ skill, task_id: mine.task_id })
      await world().call('db.effort.finish', { effort_id: done.id, abandon: 'no longer needed' })
      const ids = async (filter: object) =>
        (await world().call('db.effort.findActive', { limit: 1000, ...filter })).map(
          ({ id }: { id: number }) => id,
        )
      for (const filter of [{ task_id: mine.task_id }, { agent_id }, { skill }])
        expect(await ids(filter)).toEqual([mine.id])
      expect(await ids({ project_id: world().projectId })).toContain(mine.id)
      expect(await ids({ project_id: 999_999 })).toEqual([])
      expect(await ids({})).not.toContain(done.id)
    })
  })

  describe('the ad-hoc effort', () => {
    const adHoc = async (task_id: string) => {
      const [first] = await world().call('db.effort.list', { task_id, ad_hoc: true })
      return first
    }

    test('exists in every task, and is listed only on request', async () => {
      const task_id = await world().task()
      expect(await adHoc(task_id)).toMatchObject({ ordinal: 0, skill: 'do', lifecycle: 'active' })
      expect(await world().call('db.effort.list', { task_id })).toEqual([])
      expect(await world().call('db.effort.findActive', { task_id })).toEqual([])
      await world().call('db.task.upsert', { dir_path: task_id, title: 'again' })
      expect(await world().call('db.effort.list', { task_id, ad_hoc: true })).toHaveLength(1)
    })

    // INV_TASKS_ARE_PERSISTENT
    test('does not make its task active', async () => {
      const task_id = await world().task()
      const find = (active: boolean) => world().call('db.task.list', { active, limit: 1000 })
      const named = (tasks: { dir_path: string }[]) => tasks.map(({ dir_path }) => dir_path)
      expect(named(await find(true))).not.toContain(task_id)
      expect(named(await find(false))).toContain(task_id)
      await world().effort({ task_id })
      expect(named(await find(true))).toContain(task_id)
    })

    test('names an action that works as its next one, and has a recap of its own', async () => {
      const task_id = await world().task()
      const { id: effort_id } = await adHoc(task_id)
      const { next } = await world().call('db.effort.get', { effort_id })
      expect(next).toEqual([`holdfast effort start ${task_id} SKILL`])
      const { text } = await world().call('db.effort.recap', { effort_id })
      expect(text).toContain(
        `Holdfast: effort ${effort_id} in ${task_id} is for work without a skill and has no plan.`,
      )
    })

    test('cannot be claimed, finished or moved through phases', async () => {
      const { id } = await adHoc(await world().task())
      const agent_id = await world().agent()
      for (const [method, params] of [
        ['db.agents.claim', { effort_id: id, agent_id }],
        ['db.effort.finish', { effort_id: id, abandon: 'no longer needed' }],
        ['db.effort.phase', { effort_id: id, label: '1' }],
      ] as const)
        expect(await failure(world().call(method, params))).toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('ad-hoc'),
        })
    })
  })

  describe('keywords', () => {
    const keywords = async (task_id: string) =>
      (await world().call('db.task.find', { query: task_id }))[0].keywords

    // Defect 13 of the originals: finishing an effort overwrote them.
    test('add up over the efforts of a task, and an empty value removes none', async () => {
      const task_id = await world().task()
      for (const [given, expected] of [
        [undefined, null],
        ['a, b', 'a, b'],
        [undefined, 'a, b'],
        ['', 'a, b'],
        [' , ', 'a, b'],
        ['b,c', 'a, b, c'],
      ] as const) {
        const effort = await world().effort({ task_id })
        const params = {
          effort_id: effort.id,
          abandon: 'not needed',
          ...(given !== undefined && { keywords: given }),
        }
        await world().call('db.effort.finish', params)
        expect(await keywords(task_id)).toBe(expected)
      }
    })

    test('of concurrently finished efforts are all kept', async () => {
      const task_id = await world().task()
      const words = Array.from({ length: 8 }, (_, index) => `word${index}`)
      const efforts = await Promise.all(words.map(() => world().effort({ task_id })))
      await Promise.all(
        efforts.map(({ id }, index) =>
          world().call('db.effort.finish', {
            effort_id: id,
            keywords: words[index],
            abandon: 'no longer needed',
          }),
        ),
      )
      expect((await keywords(task_id)).split(', ').toSorted()).toEqual(words)
    })
  })
}
