import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  begunAt,
  type ClientAt,
  clientAt,
  clientIn,
  contextOf,
  FLOW,
  silence,
  skillOf,
} from './client.contract.ts'
import { STARTED, tracking } from '../../rules/told/words.ts'
import { type World, writeFiles } from '../world.contract.ts'

/** The requests of all efforts, with their states. */
export const requests = async (it: Awaited<ReturnType<typeof clientAt>>) =>
  (await it.efforts()).map(({ request, lifecycle }) => `${request} ${lifecycle}`.trim())

/** A client that was asked for a login page and has done the first step. */
export async function clientAtLogin(world: World) {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow a login page')
  await it.read(it.flow('steps/look.md'))
  return it
}

/** Which effort a call goes on with: its window and its words decide, never the name of the skill alone. */
export function requestContract(world: () => World): void {
  const atLogin = () => clientAtLogin(world())

  describe('a skill that the user calls', () => {
    test('begins a new effort in a new session, and says how to resume the older one', async () => {
      const it = await atLogin()
      const [first] = await it.efforts()
      await it.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), it.project)
      await next.start()
      const told = contextOf(await next.prompt('/flow a totally different thing'))
      expect(await requests(it)).toEqual(['a login page active', 'a totally different thing active'])
      expect(told).not.toContain(`${STARTED}: look`)
      expect(told).toContain(`effort ${first.id} of flow, "a login page"`)
      expect(told).toContain('0 of 3 steps done, started: look')
      expect(told).toContain(`holdfast session continue ${first.id}`)
    })

    test('begins a new effort in a new session even with the same words', async () => {
      const it = await atLogin()
      const next = clientIn(world(), it.project)
      await next.start()
      await next.prompt('/flow a login page')
      expect(await requests(it)).toHaveLength(2)
    })

    test.each([
      ['without words', '/flow'],
      ['with the same words', '/flow  a login\npage '],
    ])('%s goes on in the session that serves it', async (_, text) => {
      const it = await atLogin()
      await it.prompt(text)
      expect(await requests(it)).toEqual(['a login page active'])
      expect(await it.spans()).toEqual(['flow active look'])
    })

    test('with other words begins a new effort in the same session, and the old one stays open', async () => {
      const it = await atLogin()
      const told = contextOf(await it.prompt('/flow a logout page'))
      expect(await requests(it)).toEqual(['a login page active', 'a logout page active'])
      expect(await it.spans()).toEqual(['flow completed look', 'flow active'])
      const [first, second] = await it.efforts()
      expect(told).toContain(tracking(second.id, 'flow').replace('T', 't'))
      expect(told).toContain(`holdfast session continue ${first.id}`)
    })

    test('with words replaces a bare call that nothing was done for', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.prompt('/flow a login page')
      expect(await requests(it)).toEqual(['finished', 'a login page active'])
    })

    test('goes on after a compaction and a resume of the same session', async () => {
      const it = await atLogin()
      await it.start('compact')
      await it.prompt('/flow a login page')
      await it.fire('SessionEnd', { reason: 'other' })
      await it.start('resume')
      await it.prompt('/flow')
      expect(await requests(it)).toEqual(['a login page active'])
    })

    test('never takes the effort of a silent session, which goes on when it returns', async () => {
      const it = await atLogin()
      silence(world())
      const next = clientIn(world(), it.project)
      await next.start()
      await next.prompt('/flow')
      expect(await requests(it)).toHaveLength(2)
      expect(contextOf(await it.start('resume'))).toContain(`${STARTED}: look`)
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
    })
  })

  describe('a skill that the agent calls', () => {
    test('goes on with the effort of its session, in whatever words', async () => {
      const it = await atLogin()
      await it.use('Skill', { skill: 'flow', args: 'build the login' })
      expect(await requests(it)).toEqual(['a login page active'])
    })

    test('begins a new effort in another session', async () => {
      const it = await atLogin()
      const next = clientIn(world(), it.project)
      await next.start()
      await next.use('Skill', { skill: 'flow', args: 'build the login' })
      expect(await requests(it)).toEqual(['a login page active', 'build the login active'])
    })
  })

  describe('--continue after the name of a skill', () => {
    test('resumes the newest open effort of the skill', async () => {
      const it = await atLogin()
      await it.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), it.project)
      await next.start()
      expect(contextOf(await next.prompt('/flow --continue'))).toContain(`${STARTED}: look`)
      expect(await requests(it)).toEqual(['a login page active'])
      expect((await next.windows())[0].effort_id).toBe((await it.efforts())[0].id)
    })

    test('resumes the effort that it names, instead of the one at hand', async () => {
      const it = await atLogin()
      const [first] = await it.efforts()
      await it.prompt('/flow a logout page')
      expect(contextOf(await it.prompt(`/flow --continue ${first.id}`))).toContain(`${STARTED}: look`)
      expect((await it.windows()).at(-1)?.effort_id).toBe(first.id)
    })

    test('begins nothing while another session works on it, and says who has it', async () => {
      const it = await atLogin()
      const [first] = await it.efforts()
      const next = clientIn(world(), it.project)
      await next.start()
      const told = contextOf(await next.prompt('/flow --continue'))
      expect(await requests(it)).toEqual(['a login page active'])
      expect(told).toContain(`effort ${first.id} of flow`)
      expect(told).toContain(it.session)
    })

    test('of an effort that is not open begins nothing, and says so', async () => {
      const it = await atLogin()
      const next = clientIn(world(), it.project)
      await next.start()
      expect(contextOf(await next.prompt('/flow --continue 999999'))).toContain('is not open')
      expect(await requests(it)).toEqual(['a login page active'])
    })

    test('of an effort of another project or skill begins nothing, and says where it goes on', async () => {
      const it = await atLogin()
      const [first] = await it.efforts()
      await it.fire('SessionEnd', { reason: 'other' })
      const next = await clientAt(world())
      await next.start()
      const told = contextOf(await next.prompt(`/flow --continue ${first.id}`))
      expect(told).toContain(`effort ${first.id} of flow, "a login page"`)
      expect(told).toContain(`in ${it.project}: /flow --continue ${first.id}`)
      expect(told).not.toContain('is not open')
      expect(await requests(next)).toEqual([])
      const same = clientIn(world(), it.project)
      await same.add('other', FLOW)
      await same.start()
      const other = contextOf(await same.prompt(`/other --continue ${first.id}`))
      expect(other).toContain(`To resume it: holdfast session continue ${first.id}`)
      expect(await requests(it)).toEqual(['a login page active'])
    })

    test('says what the resumed work is about', async () => {
      const it = await atLogin()
      await it.prompt('/flow a logout page')
      const next = clientIn(world(), it.project)
      await it.fire('SessionEnd', { reason: 'other' })
      await next.start()
      const [first] = await it.efforts()
      expect(contextOf(await next.prompt(`/flow --continue ${first.id}`))).toContain(
        'of flow, "a login page", in ',
      )
    })

    test('begins nothing if there is no work to continue, and says so', async () => {
      const it = await clientAt(world())
      await it.start()
      const told = contextOf(await it.prompt('/flow --continue'))
      expect(told).toContain('no effort of flow is open')
      expect(told).toContain('Nothing was started.')
      expect(await requests(it)).toEqual([])
      expect(await it.spans()).toEqual([])
    })
  })

  test('an agent owns the newest request of its session', async () => {
    const it = await clientAt(world())
    const asFox = (text: string) =>
      world().call('hooks.handle', {
        agent_id: 'fox',
        payload: {
          session_id: it.session,
          cwd: it.project,
          hook_event_name: 'UserPromptSubmit',
          prompt: text,
        },
      })
    await asFox('/flow gamma')
    await asFox('/flow delta')
    expect((await it.efforts()).map(({ request, agent_id }) => [request, agent_id])).toEqual([
      ['gamma', null],
      ['delta', 'fox'],
    ])
    const [gamma, delta] = await it.efforts()
    await world().call('commands.session.continue', { effort_id: gamma.id, native_id: it.session })
    expect((await world().call('db.effort.get', { effort_id: delta.id })).lifecycle).toBe('active')
  })

  test.each([
    ['typed by the user is called by no skill', (it: ClientAt) => it.prompt('/other'), 0],
    [
      'called by the agent is called by the skill in charge',
      (it: ClientAt) => it.use('Skill', { skill: 'other' }),
      1,
    ],
  ])('a skill that is %s', async (_, act, callers) => {
    const it = await atLogin()
    await it.add('other', skillOf('other', { one: 'produces: [a]' }))
    await act(it)
    const [first, second] = await it.spanRows()
    expect(second).toMatchObject({ skill: 'other', parent_span_id: callers === 0 ? null : first.span_id })
    expect(contextOf(await it.start('compact')).includes('Called by skill "flow".')).toBe(callers === 1)
  })

  describe('the task of a call', () => {
    test('lies in our folder of the project, named by day, skill and words', async () => {
      const it = await atLogin()
      const [{ task_id }] = await it.efforts()
      const day = new Date(world().context.clock.now()).toISOString().slice(0, 10)
      expect(task_id).toBe(`${it.project}/.holdfast/tasks/${day}-flow-a-login-page`)
      expect(readFileSync(`${it.project}/.holdfast/.gitignore`, 'utf8')).toContain('tasks/')
    })

    test.each([
      ['a call', (it: ClientAt) => it.prompt('/flow')],
      ['a read of its SKILL.md', (it: ClientAt) => it.read(it.flow('SKILL.md'))],
    ])('never shares a folder that a lost database left behind, begun by %s', async (_, begin) => {
      const it = await clientAt(world())
      const day = new Date(world().context.clock.now()).toISOString().slice(0, 10)
      const left = [`${day}-flow`, `${day}-flow-03`].map((name) => `.holdfast/tasks/${name}/FLOW_LOG.md`)
      await writeFiles(Object.fromEntries(left.map((path) => [path, 'Old.\n'])), it.project)
      await it.start()
      await begin(it)
      const next = clientIn(world(), it.project)
      await next.start()
      await begin(next)
      expect((await it.efforts()).map(({ task_id }) => task_id)).toEqual([
        `${it.project}/.holdfast/tasks/${day}-flow-02`,
        `${it.project}/.holdfast/tasks/${day}-flow-04`,
      ])
    })

    test('is another for another request of the user, and for another session', async () => {
      const it = await begunAt(world())
      await it.prompt('/flow a logout page')
      const [first, second] = await it.efforts()
      expect(second).toMatchObject({ task_id: `${first.task_id}-a-logout-page`, ordinal: 1 })
      expect((await it.windows()).at(-1)).toMatchObject({ task_id: second.task_id, effort_id: second.id })
      const next = clientIn(world(), it.project)
      await next.start()
      await next.prompt('/flow')
      expect((await it.efforts())[2]).toMatchObject({ task_id: `${first.task_id}-02`, ordinal: 1 })
    })

    test.each([
      ['the user calls another skill without words', (it: ClientAt) => it.prompt('/other')],
      [
        'the user calls another skill with the same words',
        (it: ClientAt) => it.prompt('/other a login page'),
      ],
      [
        'the agent calls another skill',
        (it: ClientAt) => it.use('Skill', { skill: 'other', args: 'its form' }),
      ],
    ])('is the same if %s', async (_, act) => {
      const it = await atLogin()
      await it.add('other', skillOf('other', { one: 'produces: [a]' }))
      await act(it)
      const [first, second] = await it.efforts()
      expect(second).toMatchObject({ skill: 'other', task_id: first.task_id, ordinal: 2 })
    })

    test('is another if the user calls another skill with other words', async () => {
      const it = await atLogin()
      await it.add('other', skillOf('other', { one: 'produces: [a]' }))
      await it.prompt('/other its tests')
      const [, { task_id, ordinal }] = await it.efforts()
      expect(task_id).toMatch(/-other-its-tests$/)
      expect(ordinal).toBe(1)
    })

    test('stays the one that a command named for the session', async () => {
      const it = await clientAt(world())
      await it.start()
      const dir = `${it.project}/work/login`
      await world().call('commands.effort.start', { dir, skill: 'flow', native_id: it.session })
      await it.prompt('/flow a logout page')
      expect((await it.efforts()).map(({ task_id }) => task_id)).toEqual([dir, dir])
    })
  })
}
