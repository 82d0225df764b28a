import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf, skillOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'

const ESSAY = '---\nname: essay\ndescription: d\n---\n\n## Phase 1: Gather\n\nx\n\n## Phase 2: Write\n\ny\n'

/** Session watches besides plans, with the events of a client. */
export function watchContract(world: () => World): void {
  const ls = { command: 'ls' }
  const refused = (sql: (text: string) => Promise<readonly { payload: string }[]>, session: number) =>
    sql(`select payload from life_event where event_type = 'tool.refused' and window_id = ${session}`)

  describe('an effort with a heartbeat', () => {
    const begun = async (calls: number) => {
      const it = await clientAt(world())
      await it.add('watched', {
        ...skillOf('watched', { one: 'consumes: [user-request]\nproduces: [a]' }),
        'SKILL.md': `---\nname: watched\ndescription: Is watched.\nheartbeat: ${calls}\n---\n\nDo it.\n`,
      })
      await it.start()
      await it.prompt('/watched')
      return it
    }
    const effortOf = async (it: Awaited<ReturnType<typeof begun>>) =>
      (await it.efforts()).find(({ skill }) => skill === 'watched')

    test('reminds, then refuses, until the agent writes to the log', async () => {
      const it = await begun(4)
      const effort = await effortOf(it)
      expect(JSON.parse(effort?.metadata)).toMatchObject({ heartbeat: 4 })
      const answers = []
      for (let n = 0; n < 5; n++) answers.push(await it.use('Bash', ls))
      expect(answers.map(({ decision }) => decision)).toEqual(['allow', 'allow', 'allow', 'allow', 'block'])
      expect(reasonOf(answers[4] ?? {})).toMatch(
        /^Holdfast: 4 tool calls .* every 4 calls\. Next: run holdfast log/,
      )
      const [window] = await it.windows()
      expect(await refused(it.rows, window?.id)).toHaveLength(1)
      await world().call('commands.log.append', { effort_id: effort?.id, text: 'Looked around.' })
      expect((await it.use('Bash', ls)).decision).toBe('allow')
    })

    test('reminds once, with the first call that can carry the reminder', async () => {
      const it = await begun(10)
      const before = async (command: string) =>
        contextOf(
          await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: command }),
        )
      for (const command of ['a', 'b', 'c']) await before(command)
      expect(await before('holdfast status')).toBe('')
      expect(await before('d')).toContain('holdfast log')
      expect(await before('e')).toBe('')
      await world().call('commands.log.append', { effort_id: (await effortOf(it))?.id, text: 'Looked.' })
      for (const command of ['f', 'g', 'h']) expect(await before(command)).toBe('')
      expect(await before('i')).toContain('holdfast log')
    })

    test('counts from its start, not from the start of the window', async () => {
      const it = await clientAt(world())
      await it.add('watched', {
        ...skillOf('watched', { one: 'consumes: [user-request]\nproduces: [a]' }),
        'SKILL.md': '---\nname: watched\ndescription: Is watched.\nheartbeat: 4\n---\n\nDo it.\n',
      })
      await it.start()
      for (let n = 0; n < 12; n++) await it.use('Bash', ls)
      await it.prompt('/watched')
      const answers = []
      for (let n = 0; n < 5; n++) answers.push((await it.use('Bash', ls)).decision)
      expect(answers).toEqual(['allow', 'allow', 'allow', 'allow', 'block'])
    })

    test('may have a skill without a plan', async () => {
      const it = await clientAt(world())
      await it.add('bare', { ...skillOf('bare'), 'holdfast.yaml': 'heartbeat: 2\n' })
      await it.start()
      const told = contextOf(await it.prompt('/bare'))
      const [effort] = await it.efforts()
      expect(told).toContain(`holdfast effort finish ${effort?.id}`)
      const answers = []
      for (let n = 0; n < 3; n++) answers.push((await it.use('Bash', ls)).decision)
      expect(answers).toEqual(['allow', 'allow', 'block'])
      await world().call('db.effort.finish', { effort_id: effort?.id, abandon: 'no longer needed' })
      expect((await it.use('Bash', ls)).decision).toBe('allow')
      await it.prompt('/plain')
      expect(await it.efforts()).toHaveLength(1)
    })

    test('may require a heartbeat later', async () => {
      const it = await clientAt(world())
      await it.start()
      const more = { dir: it.project, skill: 'flow', native_id: it.session, client: 'claude-code' }
      await world().call('commands.effort.start', more)
      for (let n = 0; n < 3; n++) expect((await it.use('Bash', ls)).decision).toBe('allow')
      await world().call('commands.effort.start', { ...more, metadata: { heartbeat: 2 } })
      expect((await it.use('Bash', ls)).decision).toBe('block')
    })

    test('does not count the calls of sub-agents', async () => {
      const it = await begun(4)
      for (let n = 0; n < 20; n++) await it.use('Bash', ls, { agent_id: 'sub', agent_type: 'helper' })
      expect((await it.use('Bash', ls)).decision).toBe('allow')
      const [window] = await it.windows()
      expect(await refused(it.rows, window?.id)).toEqual([])
    })

    test('requires nothing after it is finished', async () => {
      const it = await begun(2)
      const effort = await effortOf(it)
      for (let n = 0; n < 3; n++) await it.use('Bash', ls)
      await world().call('db.effort.finish', { effort_id: effort?.id, abandon: 'no longer needed' })
      expect((await it.use('Bash', ls)).decision).toBe('allow')
    })

    test('is only recorded at level observe', async () => {
      const it = await begun(2)
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      for (let n = 0; n < 4; n++) expect((await it.use('Bash', ls)).decision).toBe('allow')
      const [window] = await it.windows()
      const seen = (await refused(it.rows, window?.id)).map(({ payload }) => JSON.parse(payload))
      expect(seen[0]).toMatchObject({ rule: 'heartbeat', observed: true })
    })
  })

  test('a project with a session gate refuses edits until a skill is called', async () => {
    const it = await clientAt(world())
    await it.start()
    const edit = () => it.use('Write', { file_path: `${it.project}/a.txt`, content: 'x' })
    expect((await edit()).decision).toBe('allow')
    await world().call('db.project.setSessionGate', { path: it.project, on: true })
    const answer = await edit()
    expect([answer.decision, reasonOf(answer)]).toEqual([
      'block',
      expect.stringContaining('holdfast effort start'),
    ])
    expect((await it.use('Bash', ls)).decision).toBe('allow')
    // A call without a plan starts no effort, so the refusal names the skills that do.
    await it.add('essay', { 'SKILL.md': ESSAY })
    for (const call of ['/plain', '/essay']) {
      await it.prompt(call)
      expect(reasonOf(await edit())).toContain('call a skill that has a plan (/flow)')
    }
    await it.prompt('/flow')
    expect((await edit()).decision).toBe('allow')
    const [effort] = await it.efforts()
    await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
    expect((await edit()).decision).toBe('block')
    await world().call('db.project.setSessionGate', { path: it.project, on: false })
    const gated = await it.rows(
      `select payload from life_event where event_type = 'project.gated' order by seq`,
    )
    expect(gated.slice(-2).map(({ payload }) => JSON.parse(payload).session_gate)).toEqual([true, false])
  })

  describe('a session gate for shell commands', () => {
    const gated = async () => {
      const it = await clientAt(world())
      await it.start()
      await world().call('db.project.setSessionGate', { path: it.project, on: true })
      const run = async (command: string) => (await it.use('Bash', { command })).decision
      return { ...it, run }
    }

    test.each(['echo x > a.txt', 'mkdir -p sub/deep', 'cd .git && touch x', 'rm -f *.txt', 'cp a.txt .'])(
      'refuses %s until an effort is active',
      async (command) => {
        const it = await gated()
        expect(await it.run(command)).toBe('block')
        await it.prompt('/flow')
        expect(await it.run(command)).toBe('allow')
      },
    )

    test.each([
      'make > /dev/null 2>&1',
      'echo x > /elsewhere/out.txt',
      'touch ../beside.txt',
      'cat a.txt | sort',
      'holdfast status > status.txt',
      'holdfast effort start . flow && echo x > a.txt',
    ])('allows %s', async (command) => {
      const it = await gated()
      const seq = await world().lastSeq()
      expect(await it.run(command)).toBe('allow')
      expect(await world().since(seq)).toEqual([])
    })

    test('allows sub-agents and commands whose writes are unknown', async () => {
      const it = await gated()
      const sub = { agent_id: 'sub', agent_type: 'helper' }
      expect((await it.use('Bash', { command: 'echo x > a' }, sub)).decision).toBe('allow')
      const seq = await world().lastSeq()
      expect(await it.run('echo x > "$OUT"')).toBe('allow')
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'write.unresolved', payload: { command: 'echo x > "$OUT"' } },
      ])
    })
  })

  test('a session that returns with a refused edit is resumed anyway', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: ls, tool_use_id: 'lost' })
    await it.fire('SessionEnd', { reason: 'other' })
    await world().call('db.project.setSessionGate', { path: it.project, on: true })
    const seq = await world().lastSeq()
    const edit = { tool_name: 'Write', tool_input: { file_path: `${it.project}/a.txt`, content: 'x' } }
    expect((await it.fire('PreToolUse', edit)).decision).toBe('block')
    expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
      'session.started',
      'tool.unknown',
      'tool.refused',
    ])
  })

  describe('a context window that fills up', () => {
    const measured = async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      const [window] = await it.windows()
      const fill = async (usage: number) => {
        await world().call('db.session.updateContextUsage', { session_id: window?.id, usage })
        return contextOf(await it.use('Bash', ls))
      }
      const warned = async () =>
        (
          await it.rows(
            `select payload from life_event where event_type = 'context.warned' and window_id = ${window?.id} order by seq`,
          )
        ).map(({ payload }) => JSON.parse(payload).mark)
      return { ...it, fill, warned }
    }

    test('gets a notice once at each mark, and again if the context was smaller in between', async () => {
      const it = await measured()
      expect(await it.fill(0.5)).toBe('')
      const first = await it.fill(0.74)
      expect(first).toContain('74 % full')
      expect(first).toContain(' of flow in ')
      expect(await it.fill(0.78)).toBe('')
      expect(await it.fill(0.81)).toContain('at any moment')
      expect(await it.fill(0.9)).toBe('')
      expect(await it.fill(0.3)).toBe('')
      expect(await it.fill(0.85)).toContain('85 % full')
      expect(await it.warned()).toEqual([73, 80, 80])
    })

    test('gets the notice with the next prompt if no tool is called', async () => {
      const it = await measured()
      const [window] = await it.windows()
      await world().call('db.session.updateContextUsage', { session_id: window?.id, usage: 0.75 })
      expect(contextOf(await it.prompt('Go on'))).toContain('75 % full')
      expect(contextOf(await it.prompt('Go on'))).toBe('')
      expect(await it.warned()).toEqual([73])
    })

    test('gets the notice once for many concurrent calls', async () => {
      const it = await measured()
      const [window] = await it.windows()
      await world().call('db.session.updateContextUsage', { session_id: window?.id, usage: 0.75 })
      const answers = await Promise.all(Array.from({ length: 12 }, () => it.use('Bash', ls)))
      expect(answers.filter((answer) => contextOf(answer).includes('75 % full'))).toHaveLength(1)
      expect(await it.warned()).toEqual([73])
    })
  })

  test('a skill call mentions the open queue, with the newest item and how to resolve it', async () => {
    const it = await clientAt(world())
    await it.start()
    const told = async (text: string) => contextOf(await it.prompt(text))
    expect(await told('/flow')).not.toContain('in the queue')
    const add = (content: string) => world().call('queue.add', { path: it.project, content })
    await add('First')
    const { id } = await add('Second')
    expect(await told('Go on')).toBe('')
    expect(await told('/plain')).toMatch(
      new RegExp(`^Holdfast: 2 items in the queue\\. Newest: Second\\. .* holdfast queue resolve ${id} `),
    )
  })

  test('a session with a pending heartbeat is not marked', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.use('Bash', ls)
    await world().store.flush()
    world().advance(400_000)
    await it.use('Bash', ls)
    while ((await world().call('db.session.markStale', { limit: 1000 })).marked > 0);
    expect((await it.windows())[0]?.stale_at).toBeNull()
  })

  test('a silent session is marked once, and its next heartbeat removes the mark', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.use('Bash', ls)
    await world().store.flush()
    const marks = async () =>
      (
        await it.rows(
          `select id from life_event where event_type = 'session.stale' and window_id = ${(await it.windows())[0]?.id}`,
        )
      ).length
    const mark = () => world().call('db.session.markStale', { limit: 1000 })
    await mark()
    expect(await marks()).toBe(0)
    world().advance(400_000)
    await mark()
    await mark()
    expect(await marks()).toBe(1)
    expect((await it.windows())[0]?.stale_at).not.toBeNull()
    await it.use('Bash', ls)
    await world().store.flush()
    expect((await it.windows())[0]?.stale_at).toBeNull()
    world().advance(400_000)
    await mark()
    expect(await marks()).toBe(2)
  })
}
