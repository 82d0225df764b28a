import { describe, expect, test } from 'vitest'
import { type ClientAt, clientAt, clientIn, contextOf } from './client.contract.ts'
import { tracking } from '../../rules/told/words.ts'
import type { World } from '../world.contract.ts'
import { clientAtLogin, requests } from './request.contract.ts'

const ESSAY = { tool_name: 'Skill', tool_input: { skill: 'essay' }, tool_use_id: 'toolu_essay' }

/** Guides that start no effort, and efforts that end without a word. */
export function guideContract(world: () => World): void {
  const atLogin = () => clientAtLogin(world())

  describe('a skill whose plan was only guessed', () => {
    const GUIDE =
      'guide of skill "essay", guessed from its headings: 1 Gather, 2 Write (optional), 3 Check (full only). Nothing is enforced.'
    const text =
      '---\nname: essay\ndescription: d\n---\n\n## Phase 1: Gather\n\nx\n\n## Phase 2: Write (optional)\n\ny\n\n## Phase 3: Check (full only)\n\nz\n'

    async function withEssay() {
      const it = await clientAt(world())
      await it.add('essay', { 'SKILL.md': text })
      await it.start()
      return it
    }

    test.each([
      ['slash', (it: ClientAt) => it.prompt('/essay about bees')],
      ['the Skill tool', (it: ClientAt) => it.fire('PreToolUse', ESSAY)],
    ])('gets a span only by %s, and is told once as a guide', async (_, calls) => {
      const it = await withEssay()
      const told = contextOf(await calls(it))
      expect(told).toContain(GUIDE)
      expect(told).not.toMatch(/holdfast [a-z]|Tracking/)
      expect(await it.spans()).toEqual(['essay active'])
      expect(await it.efforts()).toEqual([])
      expect(contextOf(await calls(it))).toBe('')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(contextOf(await clientIn(world(), it.project).start())).not.toContain('essay')
    })

    test('never moves the effort of another skill', async () => {
      const it = await withEssay()
      await it.prompt('/flow a page')
      const told = contextOf(await it.prompt('/essay'))
      expect(told).toContain(GUIDE)
      expect(told).not.toContain('flow')
      expect((await it.windows()).at(-1).effort_id).toBe((await it.efforts())[0].id)
    })

    test('begun by a command it is an effort like any other, which a call goes on with', async () => {
      const it = await withEssay()
      await world().call('commands.effort.start', {
        dir: `${it.project}/tasks/bees`,
        skill: 'essay',
        native_id: it.session,
      })
      const [effort] = await it.efforts()
      expect(contextOf(await it.prompt('/essay'))).toBe('')
      expect(await it.spanRows()).toMatchObject([{ skill: 'essay', status: 'active', effort_id: effort.id }])
      await it.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), it.project)
      expect(contextOf(await next.start())).toContain(`holdfast session continue ${effort.id}`)
      expect(contextOf(await next.prompt(`/essay --continue ${effort.id}`))).toContain(
        tracking(effort.id, 'essay').replace('T', 't'),
      )
    })

    test('has no scope of its own in a sub-agent', async () => {
      const it = await withEssay()
      await it.fire('PreToolUse', { ...ESSAY, agent_id: 'a1', agent_type: 'x' })
      expect(await it.efforts()).toEqual([])
      expect(await it.rows(`select id from sessions where scope_of = '${it.session}'`)).toEqual([])
    })
  })

  describe('work that needs no more', () => {
    async function carriedOut() {
      const it = await atLogin()
      for (const step of ['think', 'do']) await it.read(it.flow(`steps/${step}.md`))
      return it
    }
    const outcomes = async (it: ClientAt) =>
      (await it.rows(`select payload from life_event where event_type = 'effort.finished' order by seq`))
        .map(({ payload }) => JSON.parse(payload))
        .slice(-(await it.efforts()).filter(({ lifecycle }) => lifecycle === 'finished').length)

    test('is finished when its session ends, and no later session hears of it', async () => {
      const it = await carriedOut()
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await requests(it)).toEqual(['a login page finished'])
      expect(await outcomes(it)).toMatchObject([{ outcome: 'completed', steps_left: [] }])
      expect(contextOf(await clientIn(world(), it.project).start())).not.toContain(
        'holdfast session continue',
      )
    })

    test('is finished when the user asks for another skill, and not when the agent calls one', async () => {
      const it = await carriedOut()
      await it.use('Skill', { skill: 'plain' })
      expect(await requests(it)).toEqual(['a login page active'])
      await it.read(it.flow('SKILL.md'))
      await it.prompt('/plain')
      expect(await requests(it)).toEqual(['a login page finished'])
      expect((await it.spans())[0]).toBe('flow completed look,think,do')
    })

    test('is finished with its session although another skill was called since', async () => {
      const it = await carriedOut()
      await it.use('Skill', { skill: 'plain' })
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await requests(it)).toEqual(['a login page finished'])
    })

    test('stays open while a step is, or if nothing was done', async () => {
      const it = await atLogin()
      await it.prompt('/plain')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await requests(it)).toEqual(['a login page active'])
      const next = await clientAt(world())
      await next.start()
      await next.prompt('/flow later')
      await next.fire('SessionEnd', { reason: 'other' })
      expect(await requests(next)).toEqual(['later active'])
    })
  })
}
