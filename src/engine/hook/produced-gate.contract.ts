import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf } from './client.contract.ts'
import type { Answer, World } from '../world.contract.ts'
import { inOurVoice } from '../../model/text/voice.ts'
import { effortOf, needs, productOf } from '../../rules/told/words.ts'

/** What the gate of steps that must produce promises, on any database. */
export function producedGateContract(world: () => World): void {
  describe('a plan whose steps must produce artifacts', () => {
    const GATED = 'gate: produced\nartifacts:\n  result: {command: make result, covers: [out]}\n'
    const gated = async (sidecar = GATED) => {
      const it = await clientAt(world())
      await it.add('flow', { 'holdfast.yaml': sidecar })
      await writeFile(join(it.project, 'view.md'), 'view')
      await writeFile(join(it.project, 'out'), 'out')
      await it.start()
      const called = await it.prompt('/flow')
      const [effort] = await it.rows(
        `select id from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      const id = Number(effort.id)
      const record = (name: string, path?: string) =>
        world().call('artifact.put', {
          effort_id: id,
          name,
          ...(path !== undefined && { path: join(it.project, path) }),
        })
      const step = (name: string) => it.read(it.flow(`steps/${name}.md`))
      const visits = async () =>
        await it.rows(`select step, outcome from step_visits where effort_id = ${id} order by id`)
      return { ...it, id, called, record, step, visits }
    }

    test('opens the next step when artifacts are recorded, not when steps are read', async () => {
      const it = await gated()
      expect((await it.step('look')).decision).toBe('allow')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toBe(
        `${inOurVoice(needs('think', productOf('view', ['look'])))}. Next: once that is done, run holdfast step done look --effort ${it.id}, then read ${it.flow('steps/think.md')} again.`,
      )
      expect(await it.record('view', 'view.md')).toMatchObject({
        counts: true,
        completed_steps: ['look'],
        next_steps: ['think'],
        to_record: [],
      })
      expect(await it.visits()).toEqual([{ step: 'look', outcome: 'ok' }])
      expect((await it.step('think')).decision).toBe('allow')
      expect(await it.visits()).toEqual([
        { step: 'look', outcome: 'ok' },
        { step: 'think', outcome: null },
      ])
      expect((await it.step('do')).decision).toBe('block')
    })

    test('allows one read without the records after an approval', async () => {
      const it = await gated()
      const get = () => world().call('db.effort.get', { effort_id: it.id })
      await it.step('look')
      expect(await get()).toMatchObject({ next: [`holdfast step done look --effort ${it.id}`] })
      expect((await it.step('think')).decision).toBe('block')
      await world().call('db.effort.approve', { effort_id: it.id, subject: 'think', reason: 'in a hurry' })
      expect((await it.step('think')).decision).toBe('allow')
      expect(await it.visits()).toEqual([
        { step: 'look', outcome: null },
        { step: 'think', outcome: null },
      ])
      expect((await get()).approvals).toMatchObject([{ used_at: expect.any(String) as string }])
    })

    test('needs both: a record before its step was started does not start it', async () => {
      const it = await gated()
      await it.record('view', 'view.md')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toContain(`read ${it.flow('steps/look.md')}`)
      await it.step('look')
      expect((await it.step('think')).decision).toBe('allow')
    })

    test('does not count a started sub-agent as a finished one', async () => {
      const it = await gated()
      await it.use('Task', { prompt: `Read ${it.flow('steps/look.md')} and do it.`, subagent_type: 'x' })
      await it.read(it.flow('steps/look.md'), { agent_id: 'sub', agent_type: 'x' })
      expect(await it.visits()).toEqual([])
      expect((await it.step('think')).decision).toBe('block')
    })

    test('refuses a step that consumes an artifact that has changed since', async () => {
      const it = await gated()
      await it.step('look')
      await it.record('view', 'view.md')
      await writeFile(join(it.project, 'view.md'), 'another view')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toContain('its files changed')
      expect(reasonOf(refused)).toContain(`holdfast step done look --effort ${it.id}`)
      await it.record('view', 'view.md')
      expect((await it.step('think')).decision).toBe('allow')
    })

    test('is complete when the last artifact has the rank that the plan requires', async () => {
      const it = await gated()
      for (const [step, artifact] of [
        ['look', 'view'],
        ['think', 'idea'],
      ] as const) {
        await it.step(step)
        await it.record(artifact)
      }
      await it.step('do')
      const command = `holdfast prove result --effort ${it.id}`
      expect(await it.record('result', 'out')).toMatchObject({ counts: false, to_record: [command] })
      expect(contextOf(await it.start('compact'))).toContain(command)
      const { token } = await world().call('evidence.begin', { effort_id: it.id, name: 'result' })
      const ended = { token, exit_code: 0, duration_ms: 1 }
      expect(await world().call('evidence.finish', ended)).toMatchObject({ completed_steps: ['do'] })
      const again = await it.prompt('/flow once more')
      expect(contextOf(again)).toMatch(/^Holdfast: tracking effort \d+ of flow, "once more", in /)
      expect(contextOf(again)).not.toContain(effortOf(it.id, 'flow'))
    })

    test('accepts an observed artifact if the plan requires no more', async () => {
      const it = await gated(`${GATED}  view: {command: make view, covers: [view.md], rank: observed}\n`)
      const run = (command: string, response: object, more: object = {}) =>
        it.fire('PostToolUse', {
          tool_name: 'Bash',
          tool_input: { command, ...more },
          tool_use_id: world().name('call'),
          tool_response: response,
        })
      const ended = { stdout: '', stderr: '', interrupted: false }
      const ranks = async () =>
        (await world().call('artifact.list', { effort_id: it.id })).map(({ name, rank, stale }: Answer) => [
          name,
          rank,
          stale,
        ])
      await it.step('look')
      await it.record('view', 'view.md')
      expect((await it.step('think')).decision).toBe('block')
      await run('make', ended)
      await run('make view; true', ended)
      await run('make view', ended, { run_in_background: true })
      await run('make view', { ...ended, backgroundTaskId: 'b1' })
      await run('make view', { ...ended, interrupted: true })
      await run('make view', {})
      await it.fire('PostToolUse', {
        tool_name: 'Bash',
        tool_input: { command: 'make view' },
        tool_response: ended,
        agent_id: 'sub',
        agent_type: 'x',
      })
      expect(await ranks()).toEqual([['view', 'claimed', false]])
      await run('make view', ended)
      expect(await ranks()).toEqual([
        ['view', 'claimed', false],
        ['view', 'observed', false],
      ])
      expect(await it.visits()).toEqual([{ step: 'look', outcome: 'ok' }])
      await writeFile(join(it.project, 'view.md'), 'another view')
      expect((await it.step('think')).decision).toBe('block')
      await run('make view', ended)
      const failed = { tool_name: 'Bash', tool_input: { command: 'make view' }, error: 'Exit code 2' }
      await it.fire('PostToolUseFailure', { ...failed, is_interrupt: true })
      expect((await it.step('think')).decision).toBe('allow')
      await it.fire('PostToolUseFailure', failed)
      expect(await ranks()).toEqual([['view', 'claimed', true]])
    })

    test('accepts an observed failure if the plan wants one', async () => {
      const it = await gated(
        `variables: {what: view}\n${GATED}  view: {command: "make \${what}", covers: ["\${what}.md"], rank: observed, expect: fail}\n`,
      )
      const call = { tool_name: 'Bash', tool_input: { command: 'make view' } }
      const names = async () =>
        (await world().call('artifact.list', { effort_id: it.id })).map(({ name }: Answer) => name)
      await it.step('look')
      await it.fire('PostToolUse', { ...call, tool_response: { stdout: '', interrupted: false } })
      expect(await names()).toEqual([])
      await it.fire('PostToolUseFailure', { ...call, error: 'Exit code 1' })
      expect(await names()).toEqual(['view'])
      expect((await it.step('think')).decision).toBe('allow')
      await it.fire('PostToolUse', { ...call, tool_response: { stdout: '', interrupted: false } })
      expect(await names()).toEqual([])
    })

    test('refuses no faulty step, and still refuses the others', async () => {
      const it = await gated()
      await it.add('flow', {
        'steps/odd.md': '---\nconsumes: [idea, nothing]\nproduces: [odd]\n---\n\nOdd.\n',
        'steps/last.md': '---\nconsumes: [odd]\nproduces: [last]\n---\n\nLast.\n',
      })
      expect((await it.step('do')).decision).toBe('block')
      expect((await it.step('last')).decision).toBe('allow')
      expect((await it.step('odd')).decision).toBe('allow')
      expect((await it.step('do')).decision).toBe('block')
    })

    test('keeps the records when the plan changes', async () => {
      const it = await gated()
      await it.step('look')
      await it.record('view')
      await it.add('flow', {
        'steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\nThink well.\n',
      })
      await it.prompt('/flow')
      expect((await it.step('think')).decision).toBe('allow')
    })
  })
}
