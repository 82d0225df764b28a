import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { chainsIn } from './chain.contract.ts'
import { contextOf } from './client.contract.ts'

/** What a chain promises if a skill of it is not there, or was only asked for in words. */
export function chainMissingContract(world: () => World): void {
  const { chainedAt, chains, frames, stop } = chainsIn(world)

  describe('a chain with a skill that nobody can call yet', () => {
    test('names the nearest of a skill that is not there, and parks before it', async () => {
      const it = await chainedAt()
      const told = await it.prompt('/plain, /orchestrat y')
      expect(contextOf(told)).toContain('Next: call the Skill tool with skill "plain" and args "".')
      await it.use('Skill', { skill: 'plain' })
      expect(told.reply.systemMessage).toContain(
        'no skill is called "/orchestrat"; did you mean /orchestrate?',
      )
      const parked = await stop(it)
      const [{ id }] = await chains(it)
      expect(parked.reply.systemMessage).toContain(
        `chain ${id} is parked: no skill is called /orchestrat. To go on, if the user asks: holdfast chain resume ${id} --as NAME`,
      )
      await world().call('continuation.resume', { chain_id: id, native_id: it.session, as: 'orchestrate' })
      expect((await stop(it)).reply.reason).toContain('skill "orchestrate" and args "y"')
    })

    test('says what to do instead of a call that nobody can make, wherever it names the next one', async () => {
      const it = await chainedAt()
      const told = await it.prompt('/design x, /orchestrat y')
      const [{ id }] = await chains(it)
      const native_id = it.session
      const at = { chain_id: id, native_id, cwd: it.project }
      const call = `call the Skill tool with skill "orchestrat" and args "y" if your client has it: no skill is called /orchestrat here. Otherwise ask the user which one is meant, then run: holdfast chain resume ${id} --as NAME`
      expect(contextOf(told)).toContain(`When /design is done, ${call}.`)
      expect(await world().call('continuation.next', at)).toMatchObject({ next: { call } })
      await it.read(it.project + '/.claude/skills/design/steps/do.md')
      const [{ id: effort_id }] = await it.efforts()
      const done = await world().call('db.effort.finish', { effort_id })
      expect(done.next).toEqual([call])
      await stop(it)
      const [parked] = await chains(it)
      expect(parked.parked.resume).toBe(`holdfast chain resume ${id} --as NAME`)
      const resumed = await world().call('continuation.resume', at)
      expect(resumed).toMatchObject({ state: 'running', next: { call } })
      const named = await world().call('continuation.resume', { ...at, as: 'orchestrate' })
      expect(named.next).toMatchObject({ skill: 'orchestrate', args: 'y' })
      expect(await failure(world().call('continuation.resume', { ...at, as: 'fix' }))).toMatchObject({
        code: 'conflict',
        field: 'as',
        hint: `holdfast chain next ${id}`,
      })
    })

    test('is reported at the prompt even if no name is near it, and begins no chain', async () => {
      const it = await chainedAt()
      const told = await it.prompt('/plain x, then /frobnicate it')
      expect(told.reply.systemMessage).toContain('no skill is called "/frobnicate".')
      expect(contextOf(told)).toContain('no skill is called "/frobnicate".')
      expect(await chains(it)).toEqual([])
      const prose = await it.prompt('/plain pages for /users and /login')
      expect(prose.reply?.systemMessage ?? '').not.toContain('no skill is called')
    })

    test('is reported beside a chain that runs, which the call sets aside as always', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc y')
      const told = await it.prompt('/plain x, then /frobnicate it')
      const [{ id, state }] = await chains(it)
      expect(state).toBe('parked')
      expect(told.reply.systemMessage).toContain(`hain ${id} is parked: the user called /plain.`)
      expect(told.reply.systemMessage).toContain('"/frobnicate"')
    })

    test('in words is told, and never keeps a turn from ending', async () => {
      const it = await chainedAt()
      const told = await it.prompt('Please use the design skill, then run /plan-adhoc')
      expect(contextOf(told)).toContain('Next: call the Skill tool with skill "design" and args "".')
      expect((await stop(it)).reply ?? {}).toEqual({})
      await it.use('Skill', { skill: 'design' })
      expect(await frames(it)).toEqual(['design running effort', 'plan-adhoc waiting'])
    })
  })
}
