import { describe, expect, test } from 'vitest'
import { SHIPPED_MODES } from '../model/shipped-modes.ts'
import { modesIn } from '../model/mode.ts'
import { called, effort, event, facts, SESSION, skill, subject } from './case.contract.ts'
import { modes } from './modes.ts'

const prompt = (text: string) => event('prompt', { text })
const moded = (text: string) => modesIn(text, SHIPPED_MODES)
const asked = (text: string, more: object = {}) =>
  modes.judge(prompt(text), facts({ moded: moded(text), ...more }))
const NEW = skill({ effort: undefined })

describe('a prompt with a tag', () => {
  test.each(SHIPPED_MODES)('tells the mode $name', ({ tag, name, text }) => {
    expect(asked(`Mend the port #${tag}`)).toEqual({
      changes: [],
      contexts: [
        `Mode set:\n- ${name === tag ? `#${tag}` : `${name} (#${tag})`}: ${text}\nIt applies until your answer to this prompt is complete.`,
      ],
    })
  })

  test.each(SHIPPED_MODES)('keeps $name with the effort of the called skill', ({ tag, steps }) => {
    const said = asked(`/flow it #${tag}`, { invoked: [called(NEW)] })
    expect(said?.changes).toEqual([{ kind: 'modes.set', skill: 'flow', modes: [tag] }])
    const due = { quick: 'for full mode only are not due.', full: 'Every step of its plan is due' }
    expect(said?.contexts?.[0]).toContain(
      steps === undefined ? 'It applies to the effort of skill "flow" until it ends.' : due[steps],
    )
  })

  test('tells several in text order', () => {
    expect(asked('#ver go #pref')?.contexts?.[0]).toMatch(
      /in this order:\n- verify.*\n- preflight.*\nThey apply/,
    )
  })

  test('says that an effort which goes on keeps its steps', () => {
    const own = skill({ effort: effort({ id: 3, mode: 'quick' }) })
    expect(asked('/flow #qheavy', { invoked: [called(own)] })?.contexts?.[0]).toContain(
      'Its steps stay those of quick mode, because effort 3 of flow began so.',
    )
    const same = asked('/flow #qlight', { invoked: [called(own)] })
    expect(same?.contexts?.[0]).not.toContain('stay')
  })

  test('applies to a skill without a plan until it is done', () => {
    const plain = skill({ name: 'plain', plan: undefined, effort: undefined })
    expect(asked('/plain #ver', { invoked: [called(plain)] })).toMatchObject({
      changes: [],
      contexts: [expect.stringContaining('It applies until skill "plain" is done.')],
    })
  })
})

test('an expanded call is told with its prompt, and in a sub-agent at once', () => {
  const expanded = {
    ...prompt(''),
    kind: 'prompt.expanded',
    command: 'flow',
    args: '#ver',
    text: '',
  } as never
  const at = { moded: moded('/flow #ver'), invoked: [called(NEW)] }
  expect(modes.judge(expanded, facts(at))).toEqual({
    changes: [{ kind: 'modes.set', skill: 'flow', modes: ['ver'] }],
  })
  const scope = { session: { ...SESSION, scope_of: 'native' } }
  expect(modes.judge(expanded, facts({ ...at, ...scope }))?.contexts).toHaveLength(1)
})

test('a skill that forks hears of its modes in its sub-agent', () => {
  expect(
    asked('/flow #ver', { invoked: [called(skill({ forks: true, effort: undefined }))] }),
  ).toBeUndefined()
})

describe('exec-opt', () => {
  test('composes modes, with and without a skill of its name', () => {
    expect(asked('/exec-opt #pref #ver mend it')?.contexts?.[0]).toMatch(/- preflight.*\n- verify/)
    const own = skill({ name: 'exec-opt', effort: undefined })
    expect(asked('/exec-opt #pref mend it', { invoked: [called(own)] })?.changes).toEqual([
      { kind: 'modes.set', skill: 'exec-opt', modes: ['pref'] },
    ])
  })

  test('composes skills, with modes too', () => {
    expect(asked('/exec-opt /one /two:b mend it')?.contexts).toEqual([
      'Skills asked for: "one", then "two:b". Call each with the Skill tool, in this order, unless it is already loaded. Do it for: mend it',
    ])
    expect(asked('/exec-opt #ver /one mend it')?.contexts?.[1]).toContain('Skill asked for: "one".')
  })

  test('alone says nothing', () => {
    expect(asked('/exec-opt mend it')?.contexts).toEqual([])
  })
})

test.each([
  ['Mend it', false],
  ['Mend #1', true],
  ['/exec-opt /a', true],
  ['/exec-optimal', false],
])('wakes only where a tag may be: %j', (text, wakes) => {
  expect(modes.wakes(subject(prompt(text)), facts())).toBe(wakes)
  const byClient = { ...prompt(text), by: 'client' } as never
  expect(modes.wakes(subject(byClient), facts())).toBe(false)
})
