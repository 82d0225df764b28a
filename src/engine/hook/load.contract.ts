import { describe, expect, test } from 'vitest'
import { PROGRESS, putPlanState } from '../../store/step.ts'
import { type ClientAt, clientAt, clientIn, contextOf, skillOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'

/** What hooks promise under concurrency and failures. */
export function hookLoadContract(world: () => World): void {
  const reading = (path: string, id: string) => ({
    tool_name: 'Read',
    tool_input: { file_path: path },
    tool_use_id: id,
  })
  const visitsOf = async (it: Pick<ClientAt, 'rows'>, effort: number) =>
    (
      await it.rows(`select step, attempts, outcome from step_visits where effort_id = ${effort} order by id`)
    ).map(({ step, attempts, outcome }) => `${step} ${attempts} ${outcome}`)

  describe('concurrent hooks', () => {
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`)
    const wide = skillOf('wide', Object.fromEntries(names.map((name) => [name, `produces: [${name}]`])))

    test('ten reads of one session, reported out of order and twice, are ten visits', async () => {
      const it = await clientAt(world())
      const path = await it.add('wide', wide)
      await it.start()
      await it.prompt('/wide')
      const calls = names.map((name) => reading(path(`steps/${name}.md`), name))
      const before = await Promise.all([...calls, ...calls].map((call) => it.fire('PreToolUse', call)))
      expect(before.map(({ decision }) => decision)).toEqual(before.map(() => 'allow'))
      await Promise.all([...calls.toReversed(), ...calls].map((call) => it.fire('PostToolUse', call)))
      const [{ id }] = await it.efforts()
      const visits = await visitsOf(it, id)
      expect(new Set(visits.map((visit) => visit.split(' ')[0]))).toEqual(new Set(names))
      expect(visits).toHaveLength(10)
      expect(visits.filter((visit) => !/^s\d 1 (ok|null)$/.test(visit))).toEqual([])
      expect(visits.filter((visit) => visit.endsWith('null'))).toHaveLength(1)
      const [span] = await it.spanRows()
      const steps: readonly string[] = JSON.parse(span.steps)
      expect(new Set(steps)).toEqual(new Set(names))
      expect(steps).toHaveLength(10)
      await world().store.flush()
      expect(await it.windows()).toMatchObject([{ heartbeat_counter: 10, open_calls: '[]' }])
    })

    test('sixteen sessions of one project each have an effort, a span and visits', async () => {
      const it = await clientAt(world())
      await it.start()
      const clients = Array.from({ length: 16 }, () => clientIn(world(), it.project))
      await Promise.all(
        clients.map(async (one, index) => {
          await one.start()
          await one.prompt('/flow')
          for (const step of ['do', 'look', 'do', 'think', 'do'].slice(0, 2 + (index % 4)))
            await one.read(it.flow(`steps/${step}.md`))
        }),
      )
      expect(await it.efforts()).toHaveLength(16)
      for (const [index, one] of clients.entries()) {
        const done = index % 4 < 2 ? ['look'] : index % 4 === 2 ? ['look', 'think'] : ['look', 'think', 'do']
        expect(await one.spans()).toEqual([`flow active ${done.join()}`])
        const [{ effort_id: effort }] = await one.windows()
        expect(await visitsOf(it, effort)).toEqual(
          done.map((step, at) => `${step} 1 ${at === done.length - 1 ? 'null' : 'ok'}`),
        )
      }
    })

    test('the first event of a session, whatever it is, opens one window and one span', async () => {
      const it = await clientAt(world())
      await it.start()
      for (let round = 0; round < 10; round++) {
        const one = clientIn(world(), it.project)
        const read = reading(it.flow('SKILL.md'), 'first')
        await Promise.all([
          one.prompt('/flow'),
          one.start(),
          one.prompt('/flow'),
          one.fire('PreToolUse', read),
          one.fire('PostToolUse', read),
          one.fire('UserPromptExpansion', { command_name: 'flow', command_args: '' }),
          one.start(),
        ])
        expect(await one.windows()).toMatchObject([{ ended_at: null }])
        expect(await one.spans()).toEqual(['flow active'])
      }
      expect(await it.efforts()).toHaveLength(10)
    })

    test('a copy of the main file of a skill starts no effort, and reading it does', async () => {
      const it = await clientAt(world())
      await it.start()
      const main = it.flow('SKILL.md')
      for (const command of [`cp ${main} x.md`, `tar cf x.tar ${main}`, `cp ${main} x.md && touch y`])
        await it.use('Bash', { command })
      expect(await it.efforts()).toEqual([])
      await it.use('Bash', { command: `cat ${main}` })
      expect(await it.efforts()).toHaveLength(1)
    })

    test('one of several sessions resumes a waiting effort, and the others are told who has it', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.fire('SessionEnd', { reason: 'other' })
      const clients = Array.from({ length: 4 }, () => clientIn(world(), it.project))
      await Promise.all(clients.map((one) => one.start()))
      await Promise.all(clients.map((one) => one.prompt('/flow --continue')))
      const [waiting, ...more] = await it.efforts()
      expect(more).toEqual([])
      const served: number[] = []
      for (const one of clients) served.push((await one.windows())[0].effort_id)
      expect(served.filter((id) => id === waiting.id)).toHaveLength(1)
    })
  })

  describe('a hook that fails', () => {
    const failing = async (on: RegExp, work: () => Promise<unknown>) => {
      world().watch.failOn = on
      try {
        await expect(work()).rejects.toThrow('made to fail')
      } finally {
        world().watch.failOn = undefined
      }
    }

    test.each<[string, string, (it: ClientAt) => Promise<unknown>]>([
      ['a call of a skill', 'insert into "efforts"', (it) => it.prompt('/flow')],
      ['a call of a skill', 'insert into "skill_span"', (it) => it.prompt('/flow')],
      ['a call of a skill', 'update "sessions" set "task_id"', (it) => it.prompt('/flow')],
      [
        'a step',
        'insert into "step_visits"',
        (it) => it.fire('PostToolUse', reading(it.flow('steps/think.md'), 't')),
      ],
      [
        'a step',
        'insert into "plan_state"',
        (it) => it.fire('PostToolUse', reading(it.flow('steps/think.md'), 't')),
      ],
      [
        'a step',
        'update "skill_span"',
        (it) => it.fire('PostToolUse', reading(it.flow('steps/think.md'), 't')),
      ],
      [
        'a refusal',
        'insert into "life_event"',
        (it) => it.fire('PreToolUse', reading(it.flow('steps/do.md'), 'd')),
      ],
      ['the end of a session', 'update "skill_span"', (it) => it.fire('SessionEnd', { reason: 'other' })],
      ['the end of a session', 'update "sessions" set "ended_at"', (it) => it.fire('SessionEnd', {})],
      ['a compaction', 'insert into "sessions"', (it) => it.start('compact')],
    ])('%s at %s changes nothing, and can be sent again', async (what, sql, work) => {
      const it = await clientAt(world())
      await it.start()
      if (what !== 'a call of a skill') {
        await it.prompt('/flow')
        await it.read(it.flow('steps/look.md'))
      } else await it.prompt('/plain')
      // The tool call continues despite our failure, so heartbeats and open calls stay correct.
      const asKept = (row: unknown) =>
        JSON.stringify({ ...(row as object), last_heartbeat: '', heartbeat_counter: 0, open_calls: '' })
      const known = async () =>
        Object.entries(await world().everything()).map(([table, rows]) => [
          table,
          rows.map(asKept).toSorted(),
        ])
      const before = await known()
      await failing(new RegExp(`^${sql}`), () => work(it))
      expect(await known()).toEqual(before)
      await work(it)
      expect(await known()).not.toEqual(before)
    })

    test('as the first of its session leaves nothing to the session that gets its number', async () => {
      const it = await clientAt(world())
      await it.start()
      const lost = clientIn(world(), it.project)
      const call = { ...reading(it.flow('SKILL.md'), 'x'), tool_name: 'Read' }
      await failing(/^insert into "life_event"/, () => lost.fire('PreToolUse', call))
      await failing(/from "skills"/, () => lost.fire('PreToolUse', call))
      const next = clientIn(world(), it.project)
      expect(contextOf(await next.start('resume'))).toBe('')
      await world().store.flush()
      expect(await next.windows()).toMatchObject([{ heartbeat_counter: 0, open_calls: null }])
      expect(await lost.windows()).toEqual([])
    })

    test('in a rule allows the call, and is recorded in the ledger', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      const [{ id }] = await it.efforts()
      const [{ value }] = await it.rows(`select value from plan_state where effort_id = ${id}`)
      const broken = JSON.stringify({ ...JSON.parse(value), progress: { visits: null } })
      await world().store.transact((tx) =>
        putPlanState(tx, { effort_id: id, name: PROGRESS, value: broken, now: '' }),
      )
      const seq = await world().lastSeq()
      expect(await it.read(it.flow('steps/do.md'))).toEqual({ decision: 'allow' })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'rule.failed', payload: { rule: 'step-gate' } },
        { event_type: 'rule.failed', payload: { rule: 'step-visit' } },
      ])
    })
  })
}
