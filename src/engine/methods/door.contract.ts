import { expect, test } from 'vitest'
import { type Answer, failure, type World } from '../world.contract.ts'
import { clientAt, reasonOf } from '../hook/client.contract.ts'

const APPROVE = ['effort', 'approve', '1', 'build', '--reason', 'no time']
const COMMAND = `holdfast effort approve 1 build --reason 'no time'`

/** Who may loosen the rules, as the daemon judges it. */
export function doorContract(world: () => World): void {
  const asked = async (level: string) => {
    const it = await clientAt(world())
    await it.start()
    await world().call('db.project.setLevel', { path: it.project, level })
    const announce = (command: string, tool_use_id: string) =>
      it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id })
    const open = (words: readonly string[] = APPROVE) =>
      world().call('door.open', { words, sessions: ['unknown', it.session] })
    return { it, announce, open }
  }

  test('a caller without a known session is the user', async () => {
    const before = await world().lastSeq()
    expect(await world().call('door.open', { words: APPROVE, sessions: ['nobody'] })).toEqual({ by: 'user' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'door.opened', payload: { may_run: COMMAND, by: 'user', how: 'terminal' } },
    ])
  })

  test('among several sessions around a caller, the strictest decides', async () => {
    const { it } = await asked('strict')
    const loose = await clientAt(world())
    await loose.start()
    await world().call('db.project.setLevel', { path: loose.project, level: 'observe' })
    for (const sessions of [
      [loose.session, it.session],
      [it.session, loose.session],
    ])
      expect(await failure(world().call('door.open', { words: APPROVE, sessions }))).toMatchObject({
        code: 'refused',
      })
    const alone = await world().call('door.open', { words: APPROVE, sessions: [loose.session] })
    expect(alone).toEqual({ by: 'agent' })
  })

  test('a session does not leave its rules for a project with a lower level', async () => {
    const { it } = await asked('strict')
    const loose = await clientAt(world())
    await loose.start()
    await world().call('db.project.setLevel', { path: loose.project, level: 'observe' })
    const [dir, native_id] = [`${loose.project}/other`, it.session]
    await world().call('db.task.upsert', { dir_path: dir })
    await loose.prompt('/flow')
    const effort_id = (await loose.efforts()).at(-1)?.id
    const moves: readonly (readonly [string, object])[] = [
      ['db.session.start', { task_id: dir, native_id }],
      ['commands.effort.start', { dir, skill: 'flow', native_id, cwd: loose.project }],
      ['commands.session.continue', { effort_id, native_id, cwd: loose.project, take: true }],
    ]
    for (const [method, params] of moves)
      expect(await failure(world().call(method, params))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining('ask the user to start a session there'),
      })
    const other = { task_id: it.project, native_id: loose.session }
    expect(await world().call('db.session.start', other)).toMatchObject({ task_id: it.project })
  })

  test('a command acts for the session around it, or for one that nobody knows', async () => {
    const other = await clientAt(world())
    await other.start()
    const { it } = await asked('enforce')
    const caller = { id: '4:40', began: 0 }
    const pass = (native_id?: string, session = it.session) =>
      world().call('door.pass', {
        words: ['log', 'Mine'],
        processes: [caller, { id: '3:30', began: 0, session }],
        ...(native_id !== undefined && { native_id }),
      })
    for (const name of [it.session, `${it.session}/a1`, 'somebody-new'])
      expect(await pass(name)).toEqual({ passes: true })
    expect(await pass(other.session, 'unknown')).toEqual({ passes: true })
    const before = await world().lastSeq()
    for (const name of [undefined, other.session])
      expect(await failure(pass(name))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining(`but session ${it.session} calls it`),
      })
    const refused = { event_type: 'door.refused', session_id: it.session }
    expect(await world().since(before)).toMatchObject([refused, refused])
    await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
    expect(await pass()).toEqual({ passes: true })
  })

  /** A session of a client whose process is known, and calls from inside of it. */
  const inClient = async (level: string, id: string) => {
    const { it, announce } = await asked(level)
    const started = { session_id: it.session, cwd: it.project, hook_event_name: 'SessionStart' }
    const environment = { salt: 's', path: '', home: '', variables: {}, clients: [id] }
    const payload = { ...started, source: 'resume' }
    await world().call('hooks.handle', { client: 'claude-code', payload, environment })
    /** The caller, the shell of its call, the client, and the shell of the user. */
    const open = (began: number, session?: string) => {
      const shell = { id: '3:30', began, ...(session !== undefined && { session }) }
      const processes = [
        { id: '4:40', began: world().context.clock.now() },
        shell,
        { id, began: 0 },
        { id: '1:10', began: 0 },
      ]
      return world().call('door.open', { words: APPROVE, sessions: [], processes })
    }
    return { it, announce, open }
  }

  test('a caller inside the process of a client is the agent, and one around it is the user', async () => {
    const { open } = await inClient('strict', '71:1000')
    expect(await failure(open(world().context.clock.now()))).toMatchObject({ code: 'refused' })
    for (const processes of [
      [
        { id: '5:50', began: 0 },
        { id: '1:10', began: 0 },
      ],
      [
        { id: '5:50', began: 0 },
        { id: '71:1001', began: 0 },
      ],
      [{ id: '71:1000', began: 0 }],
    ])
      expect(await world().call('door.open', { words: APPROVE, sessions: [], processes })).toEqual({
        by: 'user',
      })
  })

  test('a client that begins another session is held by that one', async () => {
    const { open } = await inClient('strict', '72:1000')
    const later = await inClient('observe', '72:1000')
    expect(await open(world().context.clock.now())).toEqual({ by: 'agent' })
    expect(await later.open(world().context.clock.now())).toEqual({ by: 'agent' })
  })

  test('the yes is for a call that began after the question', async () => {
    const { open, announce } = await inClient('enforce', '73:1000')
    const early = world().context.clock.now() - 1000
    await announce(COMMAND, 'first')
    expect(await failure(open(early))).toMatchObject({ code: 'refused' })
    expect(await open(world().context.clock.now())).toEqual({ by: 'user' })
  })

  test('the user’s yes holds for the very words, while the call runs that asked', async () => {
    const { announce, open, it } = await asked('enforce')
    expect(await failure(open())).toMatchObject({ code: 'refused' })
    expect((await announce(COMMAND, 'first')).decision).toBe('ask')
    const before = await world().lastSeq()
    expect(await open()).toEqual({ by: 'user' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'door.opened', payload: { may_run: COMMAND, by: 'user', how: 'asked' } },
    ])
    expect(await failure(open([...APPROVE.slice(0, 3), 'ship', '--reason', 'x']))).toMatchObject({
      code: 'refused',
    })
    await it.fire('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: COMMAND },
      tool_use_id: 'first',
      tool_response: { stdout: '', stderr: '', interrupted: false },
    })
    expect(await failure(open())).toMatchObject({ code: 'refused' })
  })

  test('a later call ends the question, because the first one may have been denied', async () => {
    const { announce, open } = await asked('enforce')
    await announce(COMMAND, 'first')
    await announce('ls', 'second')
    expect(await failure(open())).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('then the client asks the user'),
    })
  })

  test('at strict no agent may, and the refusal is recorded as the agent’s', async () => {
    const { announce, open } = await asked('strict')
    expect((await announce(COMMAND, 'first')).decision).toBe('block')
    const before = await world().lastSeq()
    expect(await failure(open())).toMatchObject({ code: 'refused' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'door.refused', payload: { command: COMMAND, by: 'agent' } },
    ])
  })

  test('what raises a level, or keeps it, is no door’s entry', async () => {
    const { it } = await asked('enforce')
    const entries = async (...words: readonly string[]) => {
      const before = await world().lastSeq()
      await world().call('door.open', { words, sessions: [], cwd: it.project })
      return (await world().since(before)).map(({ payload }: Answer) => payload.may_run)
    }
    expect(await entries('enforce', 'enforce')).toEqual([])
    expect(await entries('init', '--yes')).toEqual([])
    expect(await entries('init', '--scope', 'local', '--strict')).toEqual([])
    expect(await entries('enforce', 'observe')).toEqual(['holdfast enforce observe'])
    expect(await entries('enforce', '--session-gate', 'off')).toEqual(['holdfast enforce --session-gate off'])
    expect(await entries('init', '--observe')).toEqual(['holdfast init --observe'])
    expect(await entries('init', '--allow-holdfast')).toEqual(['holdfast init --allow-holdfast'])
    await world().call('db.project.setLevel', { path: it.project, level: 'strict' })
    expect(await entries('enforce', 'enforce')).toEqual(['holdfast enforce enforce'])
  })

  test('an agent takes the work of another session only with the user’s yes', async () => {
    const { announce, open, it } = await asked('enforce')
    const take = ['session', 'continue', '7', '--take']
    expect(await failure(open(take))).toMatchObject({ code: 'refused' })
    const asking = await announce('holdfast session continue 7 --take', 'first')
    expect(asking.decision).toBe('ask')
    expect(JSON.stringify(asking)).toContain('take work from another session')
    expect(await open(take)).toEqual({ by: 'user' })
    await world().call('db.project.setLevel', { path: it.project, level: 'strict' })
    const refused = await announce('holdfast session continue 7 --take', 'second')
    expect(reasonOf(refused)).toContain(`holdfast session continue 7 --take --native-id ${it.session}`)
    expect(await announce('holdfast session continue 7', 'third')).toMatchObject({ decision: 'allow' })
  })

  test('the entries of a call that loosens the rules say who made it', async () => {
    const { it } = await asked('enforce')
    await it.prompt('/flow')
    const effort_id = (await it.efforts()).at(-1)?.id
    const before = await world().lastSeq()
    await world().call('db.effort.approve', { effort_id, subject: 'do', reason: 'ok', by: 'user' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'approval.given', payload: { by: 'user', reason: 'ok' } },
    ])
  })
}
