import { describe, expect, test } from 'vitest'
import type { Answer, World } from '../world.contract.ts'
import { type ClientAt, clientAt, contextOf, reasonOf, skillOf } from './client.contract.ts'

const SKILL = { tool_name: 'Skill', tool_use_id: 'the-call' }

/** Sessions with skills that may be called in a row. */
export function chainsIn(world: () => World) {
  /** Skills of one step each, and one without a plan. */
  async function chainedAt(): Promise<ClientAt> {
    const it = await clientAt(world())
    for (const name of ['design', 'plan-adhoc', 'orchestrate', 'fix'])
      await it.add(name, skillOf(name, { do: 'consumes: [user-request]\nproduces: [out]' }))
    await it.start()
    return it
  }
  const chains = (it: ClientAt, more: object = {}): Promise<Answer> =>
    world().call('continuation.list', { cwd: it.project, ended: true, ...more })
  const frames = async (it: ClientAt) =>
    (await chains(it))[0]?.frames.map(({ skill, args, status, call, effort_id }: Answer) =>
      [skill, args ?? '', status, call, effort_id === null ? '' : 'effort']
        .filter((part) => part !== '' && part !== null)
        .join(' '),
    )
  const stop = (it: ClientAt, again = false) =>
    it.fire('Stop', { stop_hook_active: again, background_tasks: [] })
  return { chainedAt, chains, frames, stop }
}

/** What chains promise in a session. */
export function chainContract(world: () => World): void {
  const { chainedAt, chains, frames, stop } = chainsIn(world)

  describe('a chain in a session', () => {
    test('gives the first skill its own part, and hands over with a tail call', async () => {
      const it = await chainedAt()
      const told = await it.prompt('/design x, /plan-adhoc and /orchestrate y')
      expect(contextOf(told)).toContain(
        'When /design is done, call the Skill tool with skill "plan-adhoc" and args "".',
      )
      expect(told.reply.systemMessage).toContain('/design → /plan-adhoc → /orchestrate.')
      await it.fire('UserPromptExpansion', {
        command_name: 'design',
        command_args: 'x, /plan-adhoc and /orchestrate y',
        prompt: '/design x, /plan-adhoc and /orchestrate y',
      })
      expect((await it.efforts()).map(({ skill, request }) => [skill, request])).toEqual([['design', 'x']])
      expect(await frames(it)).toEqual([
        'design x running effort',
        'plan-adhoc waiting',
        'orchestrate y waiting',
      ])
      await it.read(it.project + '/.claude/skills/design/steps/do.md')
      const held = await stop(it)
      expect(held.reply).toMatchObject({ decision: 'block' })
      expect(held.reply.reason).toContain('call the Skill tool with skill "plan-adhoc" and args ""')
      expect((await stop(it, true)).reply ?? {}).not.toMatchObject({ decision: 'block' })
      await it.use('Skill', { skill: 'plan-adhoc' })
      expect(await frames(it)).toEqual([
        'design x completed effort',
        'plan-adhoc running tail effort',
        'orchestrate y waiting',
      ])
      expect(await it.spans()).toEqual(['design completed do', 'plan-adhoc active'])
    })

    test('leaves no span suspended and no effort open after four tail calls', async () => {
      const it = await chainedAt()
      await it.prompt('/design a house, /plan-adhoc, then /orchestrate all and finally /fix it')
      for (const [at, skill] of ['design', 'plan-adhoc', 'orchestrate', 'fix'].entries()) {
        if (at > 0) await it.use('Skill', { skill })
        await it.read(`${it.project}/.claude/skills/${skill}/steps/do.md`)
      }
      await stop(it)
      await it.fire('SessionEnd', { reason: 'exit' })
      const efforts = await it.efforts()
      expect(efforts.map(({ ordinal, skill, lifecycle }) => [ordinal, skill, lifecycle])).toEqual([
        [1, 'design', 'finished'],
        [2, 'plan-adhoc', 'finished'],
        [3, 'orchestrate', 'finished'],
        [4, 'fix', 'finished'],
      ])
      expect(new Set(efforts.map(({ task_id }) => task_id)).size).toBe(1)
      expect((await it.spans()).every((span) => span.includes(' completed'))).toBe(true)
      expect(await frames(it)).toEqual([
        'design a house completed effort',
        'plan-adhoc completed tail effort',
        'orchestrate all completed tail effort',
        'fix it completed tail effort',
      ])
    })

    test('leads skills that know nothing of it, at the end of each', async () => {
      const it = await chainedAt()
      for (const name of ['one', 'two', 'three']) await it.add(name, skillOf(name))
      await it.prompt('/one then /two and /three')
      expect((await stop(it)).reply).toMatchObject({ decision: 'block' })
      await it.use('Skill', { skill: 'two' })
      // The refusal names each skill once, even if one turn is refused several times.
      const held = await stop(it, true)
      expect(held.reply.reason).toContain('/two is done.')
      expect(held.reply.reason).toContain('skill "three" and args ""')
      expect((await stop(it, true)).reply ?? {}).toEqual({})
      await it.prompt('Go on')
      expect((await stop(it)).reply).toMatchObject({ decision: 'block' })
      await it.use('Skill', { skill: 'three' })
      await stop(it, true)
      expect(await frames(it)).toEqual(['one completed', 'two completed tail', 'three completed tail'])
      expect(await it.spans()).toEqual(['one completed', 'two completed', 'three active'])
    })

    test('suspends a skill that still owes steps, which must end before the one after', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc and /orchestrate y')
      await it.use('Skill', { skill: 'plan-adhoc' })
      expect(await frames(it)).toEqual([
        'design x running effort',
        'plan-adhoc running nested effort',
        'orchestrate y waiting',
      ])
      expect(await it.spans()).toEqual(['design suspended', 'plan-adhoc active'])
      await it.read(`${it.project}/.claude/skills/plan-adhoc/steps/do.md`)
      const early = await it.use('Skill', { skill: 'orchestrate', args: 'y' })
      expect(early.decision).toBe('block')
      expect(reasonOf(early)).toContain('runs /orchestrate after /design, which is still open. Next: read ')
      await it.read(`${it.project}/.claude/skills/design/steps/do.md`)
      expect((await it.use('Skill', { skill: 'orchestrate', args: 'y' })).decision).not.toBe('block')
      expect((await frames(it)).at(-1)).toBe('orchestrate y running tail effort')
    })

    test('runs the branch of a skill that fails, and then the rest', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, else /fix it, /plan-adhoc')
      const [{ id }] = await it.efforts()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'too hard' })
      expect(await frames(it)).toEqual(['design x failed effort', 'fix it waiting', 'plan-adhoc waiting'])
      const held = await stop(it)
      expect(held.reply.reason).toContain('skill "fix" and args "it"')
      const called = await it.use('Skill', { skill: 'fix', args: 'it' })
      expect(called.decision).not.toBe('block')
      expect((await chains(it))[0].frames[1]).toMatchObject({ context: '/design failed: too hard' })
    })

    test('runs the branch of a skill in the middle that fails in the turn of its call', async () => {
      const it = await chainedAt()
      await it.prompt('/plain x, /design it else /fix that, then /orchestrate z')
      await it.use('Skill', { skill: 'plain', args: 'x' })
      expect((await stop(it)).reply.reason).toContain('skill "design" and args "it"')
      await it.use('Skill', { skill: 'design', args: 'it' })
      const [{ id }] = await it.efforts()
      // The user gives it up in a terminal, which ends the window of the session.
      await world().call('db.effort.finish', { effort_id: id, abandon: 'too hard', native_id: null })
      const held = (await stop(it, true)).reply?.reason ?? ''
      expect(held).toContain('/design failed: too hard. Chain')
      expect(held).toContain('skill "fix" and args "that"')
    })

    test('waits for the user if a skill fails without a branch', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc')
      const [{ id }] = await it.efforts()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'too hard' })
      const [chain] = await chains(it)
      expect(chain).toMatchObject({
        state: 'parked',
        parked: { reason: '/design failed: too hard', resume: `holdfast chain resume ${chain.id}` },
      })
      expect((await stop(it)).reply ?? {}).toEqual({})
      await world().call('continuation.resume', { chain_id: chain.id, native_id: it.session })
      expect((await stop(it)).reply.reason).toContain('skill "plan-adhoc" and args ""')
    })

    test('is set aside when the user calls another skill, and goes with one drop', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc')
      const [{ id }] = await chains(it)
      const told = await it.prompt('/plain')
      expect(told.reply.systemMessage).toContain(`chain ${id} is parked: the user called /plain.`)
      expect(contextOf(told)).toContain(`holdfast chain resume ${id}`)
      await world().call('continuation.resume', { chain_id: id, native_id: it.session })
      expect(await frames(it)).toEqual(['design x running effort', 'plan-adhoc waiting'])
      await world().call('continuation.drop', { chain_id: id, reason: 'enough' })
      expect((await stop(it)).reply ?? {}).toEqual({})
      await it.use('Skill', { skill: 'plan-adhoc' })
      expect(await frames(it)).toEqual(['design x dropped effort', 'plan-adhoc dropped'])
    })

    test('tells the next skill what the one before returned', async () => {
      const it = await chainedAt()
      await it.add('asked', {
        ...skillOf('asked', { do: 'consumes: [user-request]\nproduces: [out]' }),
        'holdfast.yaml': 'result: {type: object, properties: {port: {type: integer}}, required: [port]}\n',
      })
      await it.prompt('/asked x')
      await it.prompt('/asked x, then /plan-adhoc')
      await it.read(`${it.project}/.claude/skills/asked/steps/do.md`)
      const [{ id }] = await it.efforts()
      expect((await stop(it)).reply?.reason ?? '').not.toContain('is done')
      const ended = await world().call('db.effort.finish', { effort_id: id, result: { port: 8080 } })
      expect(ended.next).toEqual(['call the Skill tool with skill "plan-adhoc" and args ""'])
      expect(
        contextOf(await it.fire('PreToolUse', { ...SKILL, tool_input: { skill: 'plan-adhoc' } })),
      ).toContain('Result of /asked: {"port":8080}.')
      expect(contextOf(await it.start('compact'))).toContain('Result of /asked: {"port":8080}.')
    })

    test('goes on with the default exit of a cooperative skill, and with its branch', async () => {
      const it = await chainedAt()
      await it.add('kind', {
        ...skillOf('kind', { do: 'consumes: [user-request]\nproduces: [out]' }),
        'holdfast.yaml':
          'continuation: {cooperative: true, default-exit: ["/plain all"], on-error: "/fix it"}\n',
      })
      await it.prompt('/plain')
      await it.prompt('/design x, then /kind y')
      await it.use('Skill', { skill: 'kind', args: 'y' })
      expect((await chains(it))[0].frames[1]).toMatchObject({ level: 'cooperative' })
      const [, { id }] = await it.efforts()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no' })
      expect((await frames(it)).at(-1)).toBe('fix it waiting')
    })
  })
}
