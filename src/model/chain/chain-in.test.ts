import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { invocationsOf } from '../invocation.ts'
import { CASES } from './cases.contract.ts'
import { NAMES, shortOf, SKILLS } from './case.contract.ts'
import { chainIn, MOST_FRAMES, ownPart, unknownAfter } from './chain-in.ts'

describe.each(CASES)('$group', ({ cases }) => {
  test.each(cases)('%s', (_name, prompt, expected) => {
    expect(shortOf(prompt)).toBe(expected)
  })
})

test('the table has enough cases, each with a name of its own', () => {
  const names = CASES.flatMap(({ cases }) => cases.map(([name]) => name))
  expect(names.length).toBeGreaterThanOrEqual(150)
  expect(new Set(names).size).toBe(names.length)
})

describe('defects of earlier parsers', () => {
  test('25: a hyphenated name is found, and no separator stays in the args', () => {
    expect(shortOf('/plan-adhoc plans/foo, /orchestrate x and /commit')).toBe(
      'plan-adhoc plans/foo | orchestrate x | commit',
    )
  })

  test('25: commas and brackets in args end nothing', () => {
    expect(shortOf('/design a, b [CONTINUATION: c], d, /commit x] y')).toBe(
      'design a, b [CONTINUATION: c], d | commit x] y',
    )
  })

  test('25: an unknown skill is reported, inline and in a list', () => {
    expect(shortOf('/design x, /orchestrat y and /commit')).toBe(
      'design x | orchestrat?orchestrate y | commit',
    )
    expect(shortOf('/design x, /zzzzzzzz y and /commit')).toBe('design x, /zzzzzzzz y | commit ~ zzzzzzzz')
    expect(shortOf('/design x\n- /zzzzzzzz y\n- /commit')).toBe(
      'design x {- /zzzzzzzz y} | commit ~ zzzzzzzz',
    )
  })

  test('26: a flag is no sign for quick', () => {
    expect(shortOf('/design --flag, /commit -m x')).toBe('design --flag | commit -m x')
    expect(shortOf('/design - x, /commit -')).toBe('design! x | commit!')
  })

  test('27: nothing in a fence is a call, and a space at the end of a line changes nothing', () => {
    expect(shortOf('/design x \n```\n/commit y\n```\n/handoff \n')).toBe(
      'design x {```\n/commit y\n```} | handoff',
    )
  })
})

describe('the own part of the first skill', () => {
  const own = (prompt: string) => ownPart(prompt, chainIn(prompt, SKILLS))
  test.each([
    ['/design x, /commit y', '/design x'],
    ['/design - x, /commit y', '/design - x'],
    ['/design, /commit', '/design'],
    ['/design x and\n  more of it\n- /commit', '/design x and\nmore of it'],
    ['/design x, else /fix it, /commit', '/design x'],
    ['/design x, y', '/design x, y'],
    ['please /design x, /commit', 'please /design x, /commit'],
    ['use the design skill, then run /commit', 'use the design skill, then run /commit'],
  ])('of %j is %j', (prompt, expected) => {
    expect(own(prompt)).toBe(expected)
  })

  test('keeps stacked skills together', () => {
    const calls = invocationsOf(own('/a /b do it, /commit'))
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['a', '/b do it'],
      ['b', 'do it'],
    ])
  })
})

describe('behind a single call, a name that no skill has', () => {
  test.each([
    ['/design x, then /frobnicate it', 'frobnicate'],
    ['/design x; /frobnicate it', 'frobnicate'],
    ['/design x && /frobnicate', 'frobnicate'],
    ['/design x\nthen run /frobnicate', 'frobnicate'],
    ['/design x, /frobnicate it', 'frobnicate'],
    ['/design x and /frobnicate', 'frobnicate'],
    ['/design x, else /frobnicate y', 'frobnicate'],
    ['/design x, then /frobnicate it, then /quux', 'frobnicate quux'],
    // A chain says so itself, and a client calls no skill that is not there.
    ['/design x, then /commit', ''],
    ['/design x, then /frobnicate it and /commit', ''],
    ['/frobnicate x, then /quux', ''],
    ['/desing x, then /frobnicate', ''],
    // Routes, folders and what a sentence says of them.
    ['/design pages for /users and /login', ''],
    ['/fix the pages, /checkout and /cart', ''],
    ['/fix the page, /login is broken', ''],
    ['/fix the bug in /login', ''],
    ['/fix the links, then /usr', ''],
    ['/design these routes:\n/users\n- /orders', ''],
    ['/fix it as in "x, then /login"', ''],
    ['/fix x or /login', ''],
    ['fix it, then /login', ''],
  ])('of %j is reported: %j', (prompt, names) => {
    expect(unknownAfter(prompt, SKILLS).join(' ')).toBe(names)
  })
})

test('a prompt with very many calls is no chain', () => {
  const calls = (count: number) => Array.from({ length: count }, () => '/a').join(', ')
  expect(chainIn(calls(MOST_FRAMES), SKILLS)?.frames.length).toBe(MOST_FRAMES)
  expect(chainIn(calls(MOST_FRAMES + 1), SKILLS)).toBeUndefined()
})

test('a prompt of ours is no chain', () => {
  expect(chainIn('/holdfast-status, /a and /b', SKILLS)).toBeUndefined()
})

test('in any text, each skill is known and its words stand in the prompt', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyString({ maxLength: 8 }), fc.constantFrom(...PIECES))), (parts) => {
      const prompt = `/a ${parts.join(' ')}`
      for (const { name, args } of chainIn(prompt, SKILLS)?.frames ?? []) {
        expect(NAMES).toContain(name)
        expect(prompt).toContain(args)
      }
    }),
  )
})

const PIECES = [
  ', /a',
  'and /b',
  'then',
  '- /c',
  '\n',
  '```',
  '"',
  "'",
  '(',
  ')',
  'else /fix',
  '/orchestrate',
]
