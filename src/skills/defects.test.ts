import { describe, expect, test } from 'vitest'
import { advance, begin } from '../model/plan/advance.ts'
import type { Plan } from '../model/plan/plan.ts'
import { mermaid } from './graph.ts'
import { readAll } from './read-all.ts'

/** Defects that similar programs had, each with the text that showed it. */

const head = '---\nname: x\ndescription: Does things.\n---\n\n'
function see(files: Readonly<Record<string, string>>) {
  const [only] = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '' })
  return { definition: only?.definition, codes: (only?.diagnostics ?? []).map(({ code }) => code) }
}
const json = (value: unknown) => ({ 'x/SKILL.md': `${head}\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n` })
const planOf = (files: Readonly<Record<string, string>>): Plan => {
  const plan = see(files).definition?.plan
  if (plan === undefined) throw new Error('no plan')
  return plan
}
const step = (consumes: string, produces: string) =>
  `---\nconsumes: ${consumes}\nproduces: ${produces}\n---\n`

describe('gating', () => {
  test('gate: false stays false, and optional: false is not optional', () => {
    const { definition } = see(
      json({
        phases: [
          { label: '1', name: 'a', gate: false, optional: false },
          { label: '2', gate: true },
        ],
      }),
    )
    expect(definition?.phases.map(({ gate }) => gate)).toEqual([false, true])
    expect(definition?.plan?.steps.map(({ optional }) => optional)).toEqual([false, false])
  })

  test('letters are alternatives, not neighbors: 3 → 3.B, and 3.A → 4', () => {
    const phases = ['3', '3.A', '3.B', '4'].map((label) => ({ label, name: label }))
    expect(
      planOf(json({ phases })).steps.map(({ id, next }) => `${id} → ${next?.['ok']?.join(' ')}`),
    ).toEqual(['3 → 3.A 3.B', '3.A → 4', '3.B → 4', '4 → '])
  })

  test('lists are not shared: two skills with the same phases have their own', () => {
    const files = { 'x/SKILL.md': json({ phases: [{ label: '1' }] })['x/SKILL.md'] }
    const [first, second] = [see(files).definition, see(files).definition]
    expect(first?.phases).toEqual(second?.phases)
    expect(first?.phases).not.toBe(second?.phases)
  })

  test('a string in place of a list is one name: plan does not wait for p, l, a and n', () => {
    const files = {
      'x/SKILL.md': head,
      'x/steps/a.md': step('user-request', 'plan'),
      'x/steps/b.md': step('plan', 'code'),
    }
    const plan = planOf(files)
    expect(begin(plan).open).toEqual(['a'])
    const entered = advance(plan, begin(plan), { kind: 'enter', step: 'b' })
    expect(entered).toMatchObject({ ok: false, missing: ['plan'] })
  })

  test('two producers and a cycle get a diagnostic, not a winner or a deadlock', () => {
    const twice = { 'x/SKILL.md': head, 'x/steps/a.md': step('[]', '[p]'), 'x/steps/b.md': step('[]', '[p]') }
    expect(see(twice).codes).toEqual(['HF308'])
    const circle = {
      'x/SKILL.md': head,
      'x/steps/a.md': step('[q]', '[p]'),
      'x/steps/b.md': step('[p]', '[q]'),
    }
    expect(see(circle).codes).toEqual(['HF313'])
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'an outcome or a step named %s is a name like any other',
    (name) => {
      const files = { 'x/SKILL.md': head, [`x/steps/${name}.md`]: step('[user-request]', `[${name}]`) }
      const plan = planOf(files)
      const entered = advance(plan, begin(plan), { kind: 'enter', step: name })
      expect(entered).toMatchObject({ ok: true, progress: { current: [name] } })
      const series = planOf({ 'x/SKILL.md': `${head}## Step 1: a\n\n## Step 2: b\n` })
      const begun = advance(series, begin(series), { kind: 'enter', step: 'step-1' })
      if (!begun.ok) throw new Error(begun.why)
      expect(advance(series, begun.progress, { kind: 'leave', step: 'step-1', outcome: name })).toMatchObject(
        {
          ok: false,
          why: `Step "1" has no next step for the outcome "${name}". It has: ok, fail.`,
        },
      )
    },
  )
})

describe('parsing', () => {
  test('names with hyphens and plugins are whole, and a flag is not a name', () => {
    const { definition } = see({
      'x/SKILL.md': `${head}First /do-this-now, then /tools:go-on --flag, not a-/b.\n`,
    })
    expect(definition?.references).toEqual([
      { name: 'do-this-now', line: 6 },
      { name: 'tools:go-on', line: 6 },
    ])
  })

  test('headings in code are not structure, and spaces after a heading do not hide it', () => {
    const text = `${head}## Step 1: a   \n\n\`\`\`\n## Step 2: no\n\`\`\`\n\n   ## Step 2: b ##\n\n### RED\n\n## Step 3: c\n`
    expect(planOf({ 'x/SKILL.md': text }).steps.map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['a value with a colon', 'description: a: b', 'a: b'],
    ['a value in quotes with a hash', 'description: "a # b"', 'a # b'],
    ['a value over several lines', 'description: >\n  a\n  b', 'a b'],
    ['a value below its key', 'description:\n  a b', 'a b'],
    ['a key with spaces before the colon', 'description : a', 'a'],
  ])('%s is read completely', (_, field, expected) => {
    expect(see({ 'x/SKILL.md': `---\nname: x\n${field}\n---\n` }).definition?.description).toBe(expected)
  })

  test('fields beside a broken one keep their values', () => {
    const text = '---\nname: x\ndescription: a: b\nallowed-tools: [Read, Grep]\nmetadata:\n  tier: 2\n---\n'
    const { definition } = see({ 'x/SKILL.md': text })
    expect(definition?.allowedTools).toEqual(['Read', 'Grep'])
    expect(definition?.fields['metadata']?.value).toEqual({ tier: '2' })
  })

  test('drawings are escaped', () => {
    const plan = planOf({ 'x/SKILL.md': `${head}## Step 1: "a" <b> | [c]\n\n## Step 2: {d} & e\n` })
    const [, , first, second] = mermaid(plan).split('\n')
    expect(first).toBe('  s0["1: #34;a#34; #60;b#62; #124; #91;c#93;"]')
    expect(second).toBe('  s1["2: #123;d#125; #38; e"]')
  })

  test('the last step ends the plan, not the one before it', () => {
    const plan = planOf({ 'x/SKILL.md': `${head}## Step 1: a\n\n## Step 2: b\n` })
    const through = (['step-1', 'step-2'] as const).map((id) => [
      { kind: 'enter', step: id } as const,
      { kind: 'leave', step: id, outcome: 'ok' } as const,
    ])
    const statuses: string[] = []
    let progress = begin(plan)
    for (const move of through.flat()) {
      const moved = advance(plan, progress, move)
      if (moved.ok) progress = moved.progress
      statuses.push(progress.status)
    }
    expect(statuses).toEqual(['running', 'running', 'running', 'completed'])
  })
})
