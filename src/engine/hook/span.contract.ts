import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call } from '../call/call.ts'
import { clientAt, clientIn, contextOf, reasonOf, skillOf } from './client.contract.ts'
import { methods } from '../methods/index.ts'
import type { World } from '../world.contract.ts'
import { productOf } from '../../rules/told/words.ts'

/** A client that has called the skill `flow`. */
async function atFlow(world: World) {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow')
  return it
}

/** The promises of the originals for spans and their gate, and the defects that they had. */
export function hookSpanContract(world: () => World): void {
  describe('the span of a skill', () => {
    test('starts when SKILL.md is read, and contains no step', async () => {
      const it = await clientAt(world())
      // The first start registers the project; the next one finds its skills.
      await it.start()
      await it.start()
      await it.read(it.flow('SKILL.md'))
      expect(await it.spans()).toEqual(['flow active'])
      expect(await it.spanRows()).toMatchObject([{ first_step: null, last_step: null, parent_span_id: null }])
    })

    test('contains each step once, in the order of the first reads', async () => {
      const it = await atFlow(world())
      for (const step of ['look', 'think', 'look', 'SKILL', 'think'])
        await it.read(it.flow(step === 'SKILL' ? 'SKILL.md' : `steps/${step}.md`))
      expect(await it.spans()).toEqual(['flow active look,think'])
      expect(await it.spanRows()).toMatchObject([{ first_step: 'look', last_step: 'think' }])
    })

    test('is suspended while another skill is active, and resumes as the same span', async () => {
      const it = await atFlow(world())
      await it.add('other', skillOf('other', { one: 'consumes: [user-request]' }))
      await it.read(it.flow('steps/look.md'))
      await it.prompt('/other')
      const [first] = await it.spanRows()
      expect(first).toMatchObject({ status: 'suspended' })
      expect(first.suspended_at).not.toBeNull()
      await it.read(it.flow('steps/think.md'))
      expect(await it.spans()).toEqual(['flow active look,think', 'other suspended'])
      expect(await it.spanRows()).toMatchObject([{ span_id: first.span_id, suspended_at: null }, {}])
    })

    // Defect 10 of the originals: it was resumed by its last step, and it had none.
    test('that is suspended without a step resumes by SKILL.md alone', async () => {
      const it = await atFlow(world())
      await it.prompt('/plain')
      await it.read(it.flow('SKILL.md'))
      expect(await it.spans()).toEqual(['flow active', 'plain suspended'])
    })

    test('is inside the span of the skill that called it, even of a resumed one', async () => {
      const it = await atFlow(world())
      for (const name of ['second', 'third', 'typed']) await it.add(name, skillOf(name))
      await it.use('Skill', { skill: 'plain' })
      await it.use('Skill', { skill: 'second' })
      await it.read(it.flow('SKILL.md'))
      await it.use('Skill', { skill: 'third' })
      await it.prompt('/typed')
      const [flow, plain, second, third, typed] = await it.spanRows()
      expect(typed.parent_span_id).toBeNull()
      expect(plain.parent_span_id).toBe(flow.span_id)
      expect(second.parent_span_id).toBe(plain.span_id)
      expect(third.parent_span_id).toBe(flow.span_id)
    })

    test('belongs to one session', async () => {
      const it = await atFlow(world())
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/plain')
      expect(await it.spans()).toEqual(['flow active'])
      expect(await other.spans()).toEqual(['plain active'])
      await other.fire('SessionEnd', { reason: 'other' })
      expect(await it.spans()).toEqual(['flow active'])
      expect(await other.spans()).toEqual(['plain completed'])
    })

    test('ends with its session, whether active or suspended', async () => {
      const it = await atFlow(world())
      await it.prompt('/plain')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await it.spans()).toEqual(['flow completed', 'plain completed'])
      const [, plain] = await it.spanRows()
      expect(plain.completed_at).not.toBeNull()
    })

    test('ignores files beside the skills', async () => {
      const it = await atFlow(world())
      const shared = await it.add('_shared', { 'steps/look.md': '---\nconsumes: [idea]\n---\n' })
      expect((await it.read(shared('steps/look.md'))).decision).toBe('allow')
      expect(await it.spans()).toEqual(['flow active'])
    })

    test('ends with its effort, and later reads do not change it', async () => {
      const it = await atFlow(world())
      await it.read(it.flow('steps/look.md'))
      const [effort] = await it.efforts()
      const seq = await world().lastSeq()
      await world().call('db.effort.finish', { effort_id: effort.id, abandon: 'no longer needed' })
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'span.completed',
        'effort.finished',
      ])
      const visits = () => it.rows(`select * from step_visits where effort_id = ${effort.id}`)
      const before = await visits()
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
      expect(await visits()).toEqual(before)
      expect(await it.spans()).toEqual(['flow completed look'])
    })

    // Defect 11 of the originals: a switch took several transactions.
    test('is switched completely or not at all', async () => {
      const it = await atFlow(world())
      world().watch.failOn = /insert into "skill_span"/
      try {
        await expect(it.prompt('/plain')).rejects.toThrow('made to fail')
      } finally {
        world().watch.failOn = undefined
      }
      expect(await it.spans()).toEqual(['flow active'])
      await it.prompt('/plain')
      expect(await it.spans()).toEqual(['flow suspended', 'plain active'])
    })

    // Defect 12 of the originals: the order came from a clock that counts seconds.
    test('is ordered by events, even within one moment', async () => {
      const it = await clientAt(world())
      await it.start()
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const name of names) await it.add(name, skillOf(name))
      // The first call reads the skills, so that later calls share a moment.
      await it.prompt('/a')
      const seq = await world().lastSeq()
      await Promise.all(names.slice(1).map((name) => it.use('Skill', { skill: name })))
      const spans = await it.spanRows()
      const opened = (await world().since(seq)).filter(({ event_type }) => event_type === 'span.opened')
      expect(spans.slice(1).map(({ skill }) => skill)).toEqual(opened.map(({ skill }) => skill))
      expect(spans.map(({ status }) => status)).toEqual([...names.slice(1).map(() => 'suspended'), 'active'])
      for (const [index, span] of spans.slice(1).entries())
        expect(span.parent_span_id).toBe(spans[index].span_id)
    })

    test('of a skill that gains a plan starts again, with an effort', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/plain')
      await it.add('plain', skillOf('plain', { a: 'produces: [x]', b: 'consumes: [x]' }))
      await it.prompt('/plain')
      expect(await it.spans()).toEqual(['plain completed', 'plain active'])
      const plain = (path: string) => join(it.project, '.claude/skills/plain', path)
      expect((await it.read(plain('steps/b.md'))).decision).toBe('block')
      expect((await it.read(plain('steps/a.md'))).decision).toBe('allow')
      expect((await it.read(plain('steps/b.md'))).decision).toBe('allow')
    })
  })

  describe('the gate', () => {
    /** Calls a skill with these steps and reads some; returns the contexts of the last read. */
    async function reading(steps: Readonly<Record<string, string>>, ...reads: readonly string[]) {
      const it = await clientAt(world())
      const path = await it.add('case', skillOf('case', steps))
      await it.start()
      await it.prompt('/case')
      let last = await it.read(path(`steps/${reads[0]}.md`))
      for (const step of reads.slice(1)) last = await it.read(path(`steps/${step}.md`))
      return last
    }
    const A_THEN_B = { a: 'produces: [x]', b: 'consumes: [x]' }

    test.each<[string, Readonly<Record<string, string>>, string]>([
      ['consumes nothing', { a: 'produces: [x]', b: 'produces: [y]' }, 'b'],
      ['consumes only what the user asked for', { ...A_THEN_B, c: 'consumes: [user-request]' }, 'c'],
      ['consumes an artifact without a producer', { ...A_THEN_B, c: 'consumes: [rain]' }, 'c'],
      [
        'consumes an artifact of an optional step',
        { a: 'produces: [x]\noptional: true', b: 'consumes: [x]' },
        'b',
      ],
      ['declares no inputs', { ...A_THEN_B, c: 'title: c' }, 'c'],
      ['has invalid YAML', { ...A_THEN_B, c: 'consumes: [x' }, 'c'],
      ['consumes its own artifact', { a: 'consumes: [x]\nproduces: [x]' }, 'a'],
      [
        'is in a cycle',
        { a: 'consumes: [y]\nproduces: [x]', b: 'consumes: [x]\nproduces: [y]', c: 'produces: [z]' },
        'b',
      ],
    ])('allows a step that %s', async (_, steps, step) => {
      expect((await reading(steps, step)).decision).toBe('allow')
    })

    test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
      ['a list', { a: 'produces: [x]', b: 'consumes: [user-request, x]' }, ['b']],
      ['a string, which is one name and not its letters', { abc: 'produces: xy', b: 'consumes: xy' }, ['b']],
      [
        'two steps away',
        { a: 'produces: [x]', b: 'consumes: [x]\nproduces: [y]', c: 'consumes: [y]' },
        ['a', 'c'],
      ],
    ])('refuses a step whose input is missing: %s', async (_, steps, reads) => {
      const refused = await reading(steps, ...reads)
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toMatch(
        /^Holdfast: step "\w+" needs "\w+", which step "\w+" produces\. Next: do step "\w+" \(read \//,
      )
    })

    test('accepts either of two producers, and only advises if a plan has errors', async () => {
      const steps = { a: 'produces: [x]', b: 'produces: [x]', c: 'consumes: [x]' }
      const advised = await reading(steps, 'c')
      expect(advised.decision).toBe('allow')
      expect((await reading(steps, 'b', 'c')).decision).toBe('allow')
    })

    test('allows an optional step to come last', async () => {
      const steps = { a: 'produces: [x]', b: 'consumes: [x]', polish: 'consumes: [x]\noptional: true' }
      expect((await reading(steps, 'a', 'b', 'polish')).decision).toBe('allow')
    })

    test('counts a step as started when it is read, and as done when the next one is read', async () => {
      const it = await atFlow(world())
      await it.read(it.flow('steps/look.md'))
      const [effort] = await it.efforts()
      const outcomes = async () =>
        (
          await it.rows(`select step, outcome from step_visits where effort_id = ${effort.id} order by id`)
        ).map(({ step, outcome }) => `${step} ${outcome}`)
      expect(await outcomes()).toEqual(['look null'])
      await it.read(it.flow('steps/think.md'))
      expect(await outcomes()).toEqual(['look ok', 'think null'])
    })

    test('does not count a file that a sub-agent should read as read', async () => {
      const it = await atFlow(world())
      await it.use('Agent', { prompt: `Read ${it.flow('steps/look.md')} and do it.`, subagent_type: 'x' })
      await it.read(it.flow('steps/look.md'), { agent_id: 'a1', agent_type: 'x' })
      await it.fire('SubagentStop', { agent_id: 'a1', agent_type: 'x' })
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('block')
      expect(await it.spans()).toEqual(['flow active'])
    })

    test('guards the steps of a suspended skill', async () => {
      const it = await atFlow(world())
      await it.prompt('/plain')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect(await it.spans()).toEqual(['flow suspended', 'plain active'])
    })

    test('writes each refusal to the ledger, with its effort', async () => {
      const it = await atFlow(world())
      await it.add('other', skillOf('other', { one: 'produces: [x]' }))
      await it.prompt('/other')
      const [flow] = await it.efforts()
      const seq = await world().lastSeq()
      const refused = await it.read(it.flow('steps/do.md'))
      expect(await world().since(seq)).toMatchObject([
        {
          event_type: 'step.refused',
          skill: 'flow',
          phase: 'do',
          effort_id: flow.id,
          payload: { rule: 'step-gate', reason: reasonOf(refused) },
        },
      ])
    })

    test('allows reading a whole runbook, which is one file', async () => {
      const it = await clientAt(world())
      const book = await it.add('book', {
        ...skillOf('book'),
        'runbook.md': '# Runbook\n\n## Step 1: One\n\nDo.\n\n## Step 2: Two\n\nDo.\n',
      })
      await it.start()
      expect(contextOf(await it.prompt('/book'))).toContain('Step 1')
      expect((await it.read(book('runbook.md'))).decision).toBe('allow')
      expect((await it.use('Bash', { command: `cat ${book('*')}` })).decision).toBe('allow')
    })

    test('follows the contracts of real skills', async () => {
      const steps = {
        'depth-probe': 'consumes: [user-request]\nproduces: [depth-probe]',
        prompt: 'consumes: [depth-probe]\nproduces: [optimized-prompt]',
        'full-mode': 'consumes: [optimized-prompt]\nproduces: [execution, audit]',
      }
      expect(reasonOf(await reading(steps, 'full-mode'))).toContain(productOf('optimized-prompt', ['prompt']))
      expect((await reading(steps, 'depth-probe', 'prompt', 'full-mode')).decision).toBe('allow')
    })
  })

  test('a call with a flag is not in quick mode', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('/flow --fast -x')
    expect(await it.efforts()).toMatchObject([{ mode: 'full', request: '--fast -x' }])
  })

  test('every hook method names an event that the client knows', async () => {
    const { context } = world()
    const real = context.clients.get('claude-code')
    if (real === undefined) throw new Error('There is no claude-code.')
    const seen: unknown[] = []
    const probe = {
      ...real,
      name: 'probe',
      encode: () => undefined,
      decode: (payload: unknown) => {
        seen.push((payload as { hook_event_name?: unknown }).hook_event_name)
        return { client: 'probe', kind: 'other' as const }
      },
    }
    const names = methods.map(({ name }) => name).filter((name) => name.startsWith('hooks.'))
    const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
    for (const name of names)
      await call(
        { ...context, clients: new Map([['probe', probe]]) },
        name,
        { client: 'probe', payload: {} },
        caller,
      )
    expect(names).toHaveLength(16)
    const known = new Set(real.events.keys())
    expect(seen.filter((event) => event !== undefined && !known.has(event as string))).toEqual([])
    expect(new Set(seen).size).toBe(names.length)
  })
}
