import { describe, expect, test } from 'vitest'
import type { ToldDirective, TouchedDirective } from '../model/directive.ts'
import { event, facts, SESSION, subject } from './case.contract.ts'
import { directiveDiscovery } from './directive-discovery.ts'
import { directiveGate } from './directive-gate.ts'
import type { Facts } from './facts.ts'

const directive = (more: Partial<TouchedDirective> = {}): TouchedDirective => ({
  type: 'AGENTS',
  path: '/p/a/AGENTS.md',
  folder: '/p/a',
  kind: 'soft',
  text: 'Be kind.',
  isWritten: false,
  ...more,
})
const at = (directives: readonly TouchedDirective[], told: readonly ToldDirective[] = [], more = {}): Facts =>
  facts({ directives, session: { ...SESSION, told_directives: told }, ...more })
const known = (how: ToldDirective['how'], effort = SESSION.effort_id): ToldDirective[] => [
  { path: '/p/a/AGENTS.md', how, effort },
]

describe('directive-discovery', () => {
  const tells = (given: Facts) => {
    const verdict = directiveDiscovery.judge(event('before'), given)
    const [change] = verdict?.changes ?? []
    return {
      text: verdict?.contexts?.join('') ?? '',
      told: change?.kind === 'directives.told' ? change.told.map(({ how }) => how) : [],
    }
  }

  test.each<[string, Facts, string, readonly string[]]>([
    ['nothing in force', at([]), '', []],
    ['one that is new', at([directive()]), 'Directive for /p/a, from /p/a/AGENTS.md:\n  Be kind.', ['told']],
    ['one that was told', at([directive()], known('told')), '', []],
    ['one that was named', at([directive()], known('named')), '', []],
    ['one that was told to another effort', at([directive()], known('told', 99)), '', ['told']],
    ['one that was named to another effort', at([directive()], known('named', 99)), '', ['named']],
    ['one that a refusal named', at([directive()], known('refused')), 'Be kind.', ['told']],
    ['one that the call reads itself', at([directive()], [], { reads: ['/p/a/AGENTS.md'] }), '', []],
    ['one that is too long', at([directive({ text: undefined })]), 'Read it: /p/a/AGENTS.md', ['named']],
    ['one that is too long and refused', at([directive({ text: undefined })], known('refused')), '', []],
  ])('%s', (_, given, text, told) => {
    const said = tells(given)
    expect(text === '' ? said.text : said.text.includes(text)).toBe(text === '' ? '' : true)
    expect(said.told).toEqual(told)
    const { directives, reads } = given
    const wakes = directiveDiscovery.wakes(subject(event('before'), { directives, reads }), given)
    expect(wakes).toBe(told.length > 0)
  })

  test('tells the nearest ones as long as there is room, and names the others', () => {
    const long = (path: string) => directive({ path, text: 'x'.repeat(4000) })
    const said = tells(at([long('/p/a/1.md'), long('/p/2.md'), directive({ path: '/p/3.md' })]))
    expect(said.text).toContain('Read it: /p/2.md')
    expect(said.text.length).toBeLessThan(9000)
    expect(said.told.toSorted()).toEqual(['named', 'told', 'told'])
  })

  test.each([
    ['counts what was read as told', ['/p/a/AGENTS.md'], [], 1],
    ['has nothing to say of other files', ['/p/a/other.md'], [], 0],
    ['says it once', ['/p/a/AGENTS.md'], known('told'), 0],
    ['says it where only the name was told', ['/p/a/AGENTS.md'], known('named'), 1],
  ])('after a read %s', (_, reads, told, changes) => {
    const verdict = directiveDiscovery.judge(event('after'), at([directive()], told, { reads }))
    expect(verdict?.changes ?? []).toHaveLength(changes)
    expect(verdict?.contexts).toBeUndefined()
  })
})

describe('directive-gate', () => {
  const hard = directive({ kind: 'hard', isWritten: true })
  test.each<[string, Facts, boolean]>([
    ['a write where it was not read', at([hard]), true],
    ['a write where only its name was told', at([hard], known('named')), true],
    ['a write after it was told', at([hard], known('told')), false],
    ['a write after one refusal', at([hard], known('refused')), false],
    [
      'a write after it was read',
      facts({ directives: [hard], session: { ...SESSION, loaded_files: [hard.path] } }),
      false,
    ],
    ['a read', at([{ ...hard, isWritten: false }]), false],
    ['a write where it is advice', at([{ ...hard, kind: 'soft' }]), false],
    ['nothing in force', at([]), false],
  ])('%s', (_, given, refuses) => {
    const verdict = directiveGate.judge(event('before'), given)
    expect(verdict?.block !== undefined).toBe(refuses)
    if (!refuses) return
    expect(verdict?.block?.reason).toContain('Next: read /p/a/AGENTS.md, then repeat this call.')
    expect(verdict?.changes).toEqual([
      { kind: 'directives.told', told: [{ path: '/p/a/AGENTS.md', how: 'refused' }] },
    ])
  })
})
