import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tokensOf } from '../../model/recap.ts'
import { type Answer, failure, type World, writeFiles } from '../world.contract.ts'
import { effortOf, stepToDo } from '../../rules/told/words.ts'

const FLOW: Readonly<Record<string, string>> = {
  'SKILL.md': '---\nname: flow\ndescription: Flows.\n---\n\nRead the steps.\n',
  'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  'steps/do.md': '---\nconsumes: [view]\nproduces: [result]\n---\n',
}

/** A client in its own project whose agent has called a skill with a plan. */
async function atWork(world: World) {
  const project = join(world.project, world.name('repo'))
  const session = world.name('native')
  await mkdir(join(project, '.git'), { recursive: true })
  const file = (path: string) => join(project, '.claude/skills/flow', path)
  await writeFiles(FLOW, file('.'))
  const fire = (event: string, more: object = {}, native = session): Promise<Answer> =>
    world.call('hooks.handle', {
      payload: { session_id: native, cwd: project, hook_event_name: event, ...more },
    })
  const start = async (source = 'startup', native = session): Promise<string> =>
    (await fire('SessionStart', { source }, native)).reply?.hookSpecificOutput?.additionalContext ?? ''
  const read = async (path: string) => {
    const call = { tool_name: 'Read', tool_input: { file_path: file(path) }, tool_use_id: world.name('call') }
    await fire('PreToolUse', call)
    await fire('PostToolUse', { ...call, tool_response: {} })
  }
  await start()
  await fire('UserPromptSubmit', { prompt: '/flow it' })
  const [window] = await world.call('db.session.find', { native_id: session, open: true })
  const effort_id: number = window.effort_id
  const kept = async () =>
    (await world.opened.look(
      `select * from dehydrations where effort_id = ${effort_id} order by author`,
    )) as Answer[]
  const task_id: string = window.task_id
  return { project, session, task_id, effort_id, window, file, fire, start, read, kept }
}

/** What must survive a session, on any database. */
export function recapContract(world: () => World): void {
  const recap = (params: object) => world().call('db.effort.recap', params)
  const dehydrate = (params: object) => world().call('db.effort.dehydrate', params)

  describe('a dehydration', () => {
    // Defect 5 of the originals: the new session was searched, but the old one had it.
    test('is kept by effort: the next session gets it, whichever session wrote it', async () => {
      const it = await atWork(world())
      const seq = await world().lastSeq()
      const payload = { lastAction: 'wrote the parser', nextSteps: ['test it'], requiredFiles: ['/f'] }
      const kept = await dehydrate({ effort_id: it.effort_id, payload })
      expect(kept).toMatchObject({ author: 'agent', session_id: it.window.id, payload, cut: [] })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'effort.dehydrated', effort_id: it.effort_id, payload: { author: 'agent' } },
      ])
      for (const part of ['wrote the parser', '- test it', '- /f'])
        expect(await it.start('compact')).toContain(part)
      await it.fire('SessionEnd', { reason: 'other' })
      const other = world().name('native')
      await it.fire('SessionStart', { source: 'startup' }, other)
      const told = await it.fire('UserPromptSubmit', { prompt: '/flow --continue' }, other)
      expect(told.decision).toBe('allow')
      expect((await recap({ native_id: other })).text).toContain('wrote the parser')
    })

    test('stays with its effort, even if its session has switched to another', async () => {
      const it = await atWork(world())
      await dehydrate({ effort_id: it.effort_id, payload: { summary: 'of the first' } })
      const second = await world().call('db.effort.start', { task_id: it.task_id, skill: 'flow' })
      const params = { task_id: it.task_id, effort_id: second.id, native_id: it.session }
      await world().call('db.session.start', params)
      expect((await recap({ effort_id: second.id })).text).not.toContain('of the first')
      expect((await recap({ effort_id: it.effort_id })).text).toContain('of the first')
    })

    test('that finishes a session is like any other, in any form', async () => {
      const it = await atWork(world())
      const finish = (id: number, dehydration_payload: unknown) =>
        world().call('db.session.finish', { session_id: id, dehydration_payload })
      await finish(it.window.id, { nextSteps: ['go on'] })
      expect((await recap({ effort_id: it.effort_id })).text).toContain('Next steps:\n- go on')
      for (const [payload, told] of [
        ['in a few words', 'Summary: in a few words'],
        [{ own: ['form'] }, 'Summary: {"own":["form"]}'],
      ] as const) {
        const session = await world().call('db.session.start', {
          task_id: it.task_id,
          effort_id: it.effort_id,
        })
        await finish(session.id, payload)
        await finish(session.id, 'too late')
        expect((await recap({ effort_id: it.effort_id })).text).toContain(told)
      }
    })

    test('is generated from the store at a compaction and at the end if the agent wrote none', async () => {
      const it = await atWork(world())
      await it.read('steps/look.md')
      await world().call('db.messages.append', {
        session_id: it.window.id,
        role: 'user',
        content: 'Make it fast',
      })
      await world().call('db.session.updateLoadedFiles', { session_id: it.window.id, files: ['/src/a.ts'] })
      await it.fire('PreCompact', { trigger: 'auto' })
      const [made] = await it.kept()
      expect(made).toMatchObject({ author: 'engine' })
      expect(JSON.parse(made.payload)).toMatchObject({
        userHistory: '/flow it\nMake it fast',
        requiredFiles: [it.file('SKILL.md'), it.file('steps/look.md'), '/src/a.ts'],
      })
      const told = await it.start('compact')
      expect(told).toContain('What the user said:\n  /flow it\n  Make it fast')
      expect(told).toContain(`Last action: Read: {"file_path":"${it.file('steps/look.md')}"}`)
      expect(told).toContain(stepToDo('do', it.file('steps/do.md')))
      const before = await it.kept()
      world().advance(1000)
      await it.fire('SessionEnd', { reason: 'other' })
      const after = await it.kept()
      expect(after).toHaveLength(1)
      expect(after[0].created_at > before[0].created_at).toBe(true)
    })

    test('keeps what the user said in the sessions before the last one', async () => {
      const it = await atWork(world())
      await it.fire('UserPromptSubmit', { prompt: 'Never touch b.ts' })
      for (let n = 0; n < 3; n++) {
        world().advance(10_000)
        await it.fire('SessionEnd', { reason: 'other' })
        await it.start('resume')
        await it.fire('UserPromptSubmit', { prompt: 'go on' })
      }
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await it.start('resume')).toContain(
        'What the user said:\n  /flow it\n  Never touch b.ts\n  go on',
      )
    })

    test('is generated even if the client was killed and comes back', async () => {
      const it = await atWork(world())
      await it.read('steps/look.md')
      world().advance(1000)
      expect(await it.start('resume')).toContain(`Read: {"file_path":"${it.file('steps/look.md')}"}`)
      expect(await it.kept()).toMatchObject([{ author: 'engine' }])
    })

    test('that is generated does not replace one that an agent wrote', async () => {
      const it = await atWork(world())
      await dehydrate({ effort_id: it.effort_id, payload: { summary: 'in my own words' } })
      world().advance(1000)
      await it.fire('PreCompact', { trigger: 'auto' })
      const told = await it.start('compact')
      expect(told).toContain('in my own words')
      expect(told).toContain('Read first:')
      expect(await it.kept()).toMatchObject([{ author: 'agent' }, { author: 'engine' }])
    })

    test('is generated on request without a payload', async () => {
      const it = await atWork(world())
      expect(await dehydrate({ effort_id: it.effort_id })).toMatchObject({
        author: 'engine',
        payload: { requiredFiles: [it.file('SKILL.md')] },
      })
    })

    test('ends the session on request, and is kept once', async () => {
      const it = await atWork(world())
      const seq = await world().lastSeq()
      const payload = { lastAction: 'wrote the parser' }
      const end = () => dehydrate({ effort_id: it.effort_id, payload, end_session: true })
      await end()
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'effort.dehydrated',
        'effort.dehydrated',
        'session.ended',
      ])
      expect(await it.kept()).toMatchObject([{ author: 'agent' }, { author: 'engine' }])
      const [window] = await world().call('db.session.find', { session_id: it.window.id })
      expect(window).toMatchObject({ ended_reason: 'overflow' })
      await end()
      expect(await world().call('db.session.find', { session_id: it.window.id })).toEqual([window])
    })

    // Defect 6 of the originals: a sub-agent ended the session of its parent.
    test('is not generated for a sub-agent, whose work is separate', async () => {
      const it = await atWork(world())
      await it.fire('PreCompact', { trigger: 'auto', agent_id: 'a1', agent_type: 'helper' })
      expect(await it.kept()).toEqual([])
    })

    test('that is too large is cut by importance, with a note', async () => {
      const { id } = await world().effort()
      const files = Array.from({ length: 20 }, (_, index) => `/f${index}`)
      const payload = { nextSteps: ['go'], userHistory: 'u'.repeat(90_000), requiredFiles: files }
      const kept = await dehydrate({ effort_id: id, payload })
      expect(kept.payload).toMatchObject({ nextSteps: ['go'], requiredFiles: files.slice(0, 8) })
      expect(kept.cut).toHaveLength(2)
      expect(JSON.stringify(kept.payload).length).toBeLessThan(13_000)
    })

    test('is refused without a valid form, without an effort, or with several efforts', async () => {
      const { id, task_id } = await world().effort()
      for (const payload of [{ sumary: 'x' }, { nextSteps: 3 }, 'text', ['a']])
        expect(await failure(dehydrate({ effort_id: id, payload }))).toMatchObject({ code: 'invalid' })
      expect(await failure(dehydrate({ effort_id: 999_999_999, payload: {} }))).toMatchObject({
        code: 'not-found',
      })
      expect(await failure(dehydrate({ payload: {} }))).toMatchObject({ code: 'invalid' })
      expect(await dehydrate({ path: task_id, payload: { summary: 'one' } })).toMatchObject({ effort_id: id })
      await world().effort({ task_id })
      const several = await failure(dehydrate({ path: task_id, payload: {} }))
      expect(several).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(several.message).toContain(String(id))
    })
  })

  describe('a recap', () => {
    test('of a working session equals its session start', async () => {
      const it = await atWork(world())
      const told = await it.start('compact')
      const { text, effort_id } = await recap({ native_id: it.session, path: it.project })
      // Time passes between the two.
      const timeless = (given: string) => given.replaceAll(/\d+ s ago/g, 'lately')
      expect(effort_id).toBe(it.effort_id)
      expect(timeless(text)).toBe(timeless(told))
    })

    test('lists waiting items, approvals, other active efforts and finished ones', async () => {
      const it = await atWork(world())
      const first = await world().effort({ task_id: it.task_id, skill: 'brainstorm' })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      const agent_id = await world().agent()
      const busy = await world().effort({ task_id: it.task_id, skill: 'review', agent_id })
      await world().call('db.session.start', { task_id: it.task_id, effort_id: busy.id })
      const idle = await world().effort({ task_id: it.task_id, skill: 'polish' })
      const item = await world().call('queue.add', {
        path: it.project,
        content: 'No tests yet',
        kind: 'question',
      })
      const { text } = await recap({ effort_id: it.effort_id })
      expect(text).toContain(`- ${item.id} (question): No tests yet`)
      expect(text).toContain(`- effort ${busy.id} [3:review] by ${agent_id}`)
      expect(text).toContain(`- ${effortOf(idle.id, 'polish')}`)
      expect(text).toContain(`- ${effortOf(first.id, 'brainstorm')}\n`)
      expect(text).not.toContain('2_BRAINSTORM.md')
      await writeFiles({ '2_BRAINSTORM.md': 'Thought.' }, it.task_id)
      expect((await recap({ effort_id: it.effort_id })).text).toContain(
        `- ${effortOf(first.id, 'brainstorm')}, debrief: ${it.task_id}/2_BRAINSTORM.md`,
      )
      await world().call('queue.resolve', { id: item.id, resolution: 'Written' })
      expect((await recap({ effort_id: it.effort_id })).text).not.toContain('No tests yet')
    })

    test('fits any budget on a task with many efforts and a long history', async () => {
      const it = await atWork(world())
      for (let index = 0; index < 50; index++) {
        const { id } = await world().effort({ task_id: it.task_id, skill: `skill-${index}` })
        if (index % 2 === 0)
          await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
        await world().call('queue.add', { effort_id: id, content: `Item ${index} ${'long '.repeat(100)}` })
      }
      const payload = { nextSteps: ['the very next step'], userHistory: 'said '.repeat(5000) }
      await dehydrate({ effort_id: it.effort_id, payload })
      const told = (budget: number) => recap({ effort_id: it.effort_id, budget })
      for (const budget of [0, 1, 50, 200, 1000, 3000, 20_000])
        expect(tokensOf((await told(budget)).text)).toBeLessThanOrEqual(budget)
      expect((await told(200)).text).toContain(it.file('steps/look.md'))
      expect((await told(1000)).text).toContain('the very next step')
    })

    test('without an id is about the innermost task around the folder, or else the free work of the project', async () => {
      const it = await atWork(world())
      const inner = join(it.project, 'inner')
      await mkdir(join(inner, 'deep'), { recursive: true })
      await world().call('db.task.upsert', { dir_path: inner })
      expect(await recap({ path: inner })).toMatchObject({ effort_id: it.effort_id })
      const { id } = await world().call('db.effort.start', { task_id: inner, skill: 'flow' })
      expect(await recap({ path: join(inner, 'deep') })).toMatchObject({ effort_id: id })
      expect(await recap({ path: it.project })).toMatchObject({ effort_id: id })
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
      expect(await recap({ path: it.project })).toMatchObject({ effort_id: it.effort_id })
    })

    // Defect 7 of the originals: the last effort was resumed even if it was finished.
    test('of a finished effort says so, and a folder never means a finished one', async () => {
      const it = await atWork(world())
      await world().call('db.effort.finish', { effort_id: it.effort_id, abandon: 'no longer needed' })
      expect((await recap({ effort_id: it.effort_id })).text).toMatch(
        /^Holdfast: effort \d+ of flow .* finished \d+ s ago\./,
      )
      expect(await recap({ path: it.project })).toMatchObject({ effort_id: null, text: '' })
      expect(await it.start('compact')).not.toContain('effort')
    })

    test('of an effort with an unknown skill shows what is known', async () => {
      const { id } = await world().effort({ skill: 'unheard-of' })
      expect((await recap({ effort_id: id })).text).toContain(effortOf(id, 'unheard-of'))
    })
  })
}
