import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, edited } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

const HEAD = (name: string) => `---\nname: ${name}\ndescription: Makes it.\n---\n\nDo it.\n`
const SCHEMA = `result:
  type: object
  required: [url]
  properties: {url: {type: string, minLength: 5}, checks: {type: integer, minimum: 1}}
  additionalProperties: false
`
const STEPS = {
  'steps/one.md': '---\nconsumes: [user-request]\nproduces: [a]\n---\n',
  'steps/two.md': '---\nconsumes: [a]\nproduces: [b]\n---\n',
}
const RESULT = { url: 'https://x', checks: 2 }

/** What skills end with, on any database. */
export function resultContract(world: () => World): void {
  const begun = async (files: Readonly<Record<string, string>>, prompt = '/making a page') => {
    const it = await clientAt(world())
    await it.add('making', { 'SKILL.md': HEAD('making'), ...files })
    await it.start()
    await it.prompt(prompt)
    const [{ id }] = await it.efforts()
    const finish = (more: object = {}) => world().call('db.effort.finish', { effort_id: id, ...more })
    const shown = () => world().call('db.effort.get', { effort_id: id })
    const command = `holdfast effort finish ${id} --result '{"url":"_____"}'`
    const read = async (...steps: readonly string[]) => {
      for (const step of steps) await it.read(join(it.project, `.claude/skills/making/steps/${step}.md`))
    }
    return { ...it, id: Number(id), finish, shown, command, readSteps: read }
  }

  describe('an effort whose skill declares a result', () => {
    test('is finished only with one, and its refusal names the command that works', async () => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': SCHEMA })
      await it.readSteps('one', 'two')
      const seq = await world().lastSeq()
      expect(await failure(it.finish())).toMatchObject({
        code: 'refused',
        field: 'result',
        message: expect.stringContaining(
          'has no result. Its skill ends with a result: "url" (string), "checks" (integer, optional).',
        ),
        hint: it.command,
      })
      expect(await world().since(seq)).toMatchObject([{ event_type: 'effort.refused', effort_id: it.id }])
      expect(await it.finish({ result: RESULT })).toMatchObject({ lifecycle: 'finished', result: RESULT })
      expect(await it.shown()).toMatchObject({ result: RESULT })
      const listed = await world().call('db.effort.list', { task_id: (await it.shown()).task_id })
      expect(listed).toMatchObject([{ id: it.id, result: RESULT }])
      const entry = (await world().since(seq)).find(({ event_type }) => event_type === 'effort.finished')
      expect(entry?.payload).toMatchObject({ outcome: 'completed', result: RESULT })
    })

    // A schema that checks nothing would pass all of these.
    test.each([
      [{}, 'result.url', 'result.url is missing'],
      [{ url: 7 }, 'result.url', 'result.url must be string, not integer'],
      [{ url: 'https://x', checks: 0 }, 'result.checks', 'result.checks must be at least 1, not 0'],
      [{ url: 'https://x', ulr: 1 }, 'result.ulr', 'result.ulr is not a field of this result'],
      ['https://x', 'result', 'result must be object, not string'],
    ])('refuses the wrong result %j', async (result, field, fault) => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': SCHEMA })
      await it.readSteps('one', 'two')
      const refusal = await failure(it.finish({ result }))
      expect(refusal).toMatchObject({ code: 'refused', field, message: expect.stringContaining(fault) })
      expect(refusal.hint).toContain(`holdfast effort finish ${it.id} --result '{"url":`)
      const [, told = ''] = /--result '(.*)'$/.exec(String(refusal.hint)) ?? []
      const again = JSON.parse(told.replaceAll('_____', 'https://x')) as unknown
      expect(await it.finish({ result: again })).toMatchObject({ lifecycle: 'finished', result: again })
    })

    test('keeps its first result, however often it is finished', async () => {
      const it = await begun({ 'holdfast.yaml': SCHEMA })
      const key = { idempotency_key: world().name('key') }
      const first = await it.finish({ result: RESULT, ...key })
      expect(await it.finish({ result: RESULT, ...key })).toEqual(first)
      const seq = await world().lastSeq()
      expect(await it.finish({ result: { url: 'https://other' } })).toEqual(first)
      expect(await it.finish({ result: 'wrong' })).toEqual(first)
      expect(await world().since(seq)).toEqual([])
      expect(await it.shown()).toMatchObject({ result: RESULT })
    })

    test('can be given up without one', async () => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': SCHEMA })
      expect(await it.finish({ abandon: 'no longer needed' })).toMatchObject({
        lifecycle: 'finished',
        result: null,
      })
    })

    test('is not closed by its last step, nor by the end of its session, and the next session hears the command', async () => {
      const it = await begun({
        'holdfast.yaml': `phases: [{label: "1", name: Make}, {label: "2", name: Check}]\n${SCHEMA}`,
      })
      for (const step of ['1', '2']) await world().call('step.enter', { effort_id: it.id, step })
      const left = await world().call('step.leave', { effort_id: it.id, step: '2' })
      expect(left).toMatchObject({
        status: 'completed',
        open: [expect.stringContaining('Its skill ends with a result: "url" (string)')],
        next: [it.command],
      })
      await it.fire('SessionEnd', { reason: 'exit' })
      expect(await it.shown()).toMatchObject({ lifecycle: 'active', next: [it.command] })
      expect((await world().call('db.effort.recap', { effort_id: it.id })).text).toContain(it.command)
    })

    test('is left open by the steps of a plan that is only carried out, when its session ends', async () => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': SCHEMA })
      await it.readSteps('one', 'two')
      await it.fire('SessionEnd', { reason: 'exit' })
      expect(await it.shown()).toMatchObject({ lifecycle: 'active' })
    })

    test('holds the end of a turn once, with the command', async () => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': `hold: stop\n${SCHEMA}` })
      await it.readSteps('one', 'two')
      const stop = { stop_hook_active: false, background_tasks: [] }
      const { reason } = (await it.fire('Stop', stop)).reply
      expect(reason).toContain('is still open at: its result')
      expect(reason).toContain(`Next: run ${it.command}`)
      expect((await it.fire('Stop', stop)).decision).toBe('allow')
    })

    test('needs no plan, and its call says how it ends', async () => {
      const it = await clientAt(world())
      await it.add('making', { 'SKILL.md': HEAD('making'), 'holdfast.yaml': SCHEMA })
      await it.start()
      const told = contextOf(await it.prompt('/making a page'))
      const [{ id }] = await it.efforts()
      expect(told).toContain(`run: holdfast effort finish ${id} --result '{"url":"_____"}'`)
    })

    test('keeps the schema that it began with, until the edit is accepted', async () => {
      const it = await begun({ ...STEPS, 'holdfast.yaml': SCHEMA })
      await it.readSteps('one', 'two')
      await world().call('db.project.setLevel', { path: it.project, level: 'strict' })
      const sidecar = join(it.project, '.claude/skills/making/holdfast.yaml')
      await edited(world(), it, sidecar, 'result: {type: boolean}\n')
      expect((await it.shown()).plan_edit).toContain('changes the result')
      expect(await failure(it.finish({ result: true }))).toMatchObject({ field: 'result' })
      await world().call('db.effort.accept', { effort_id: it.id })
      expect(await failure(it.finish({ result: RESULT }))).toMatchObject({ field: 'result' })
      expect(await it.finish({ result: true })).toMatchObject({ result: true })
    })

    test('may declare it in the frontmatter', async () => {
      const it = await begun({
        'SKILL.md':
          '---\nname: making\ndescription: Makes it.\nresult: {type: integer, minimum: 3}\n---\n\nDo it.\n',
      })
      expect(await failure(it.finish({ result: 2 }))).toMatchObject({
        message: expect.stringContaining('must be at least 3, not 2'),
        hint: `holdfast effort finish ${it.id} --result 3`,
      })
      expect(await it.finish({ result: 3 })).toMatchObject({ result: 3 })
    })

    test('tells it to the next effort of its task', async () => {
      const it = await begun({ 'holdfast.yaml': SCHEMA })
      const { task_id } = await it.finish({ result: RESULT })
      const next = await world().call('db.effort.start', { task_id, skill: 'making' })
      const { text } = await world().call('db.effort.recap', { effort_id: next.id })
      expect(text).toContain(`- effort ${it.id} of making, result: {"url":"https://x","checks":2}`)
    })
  })

  describe('an effort whose skill declares no result', () => {
    test('keeps any that is given, whatever its type', async () => {
      for (const result of [{ a: [1] }, 'done', 0, false, []]) {
        const { id } = await world().effort({ skill: world().name('free') })
        const finished = await world().call('db.effort.finish', { effort_id: id, result, abandon: 'enough' })
        expect(finished).toMatchObject({ lifecycle: 'finished', result })
        expect(await world().call('db.effort.get', { effort_id: id })).toMatchObject({ result })
      }
    })

    test('refuses null, and what is too long or too deep', async () => {
      const { id } = await world().effort()
      const deep = JSON.parse('['.repeat(20) + ']'.repeat(20)) as unknown
      for (const result of [null, 'x'.repeat(20_000), deep])
        expect(await failure(world().call('db.effort.finish', { effort_id: id, result }))).toMatchObject({
          code: 'invalid',
          field: 'result',
        })
    })
  })

  test('a schema with a fault requires nothing, and is a diagnostic', async () => {
    const it = await begun({
      ...STEPS,
      'holdfast.yaml': 'result: {type: object, propertees: {url: {type: string}}}\n',
    })
    const projects = await world().call('db.project.list')
    const { id: project_id } = projects.find(({ path }: { path: string }) => path === it.project)
    const found = await world().call('db.skills.get', { name: 'making', project_id })
    expect(found.diagnostics).toMatchObject([{ code: 'HF127', severity: 'error', line: 1 }])
    expect(found.details).toMatchObject({ enforceable: true })
    await it.readSteps('one', 'two')
    expect(await it.finish({})).toMatchObject({ lifecycle: 'finished', result: null })
  })
}
