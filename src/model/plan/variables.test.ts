import { execFileSync, spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { step as stepOf } from './case.contract.ts'
import type { Plan, Run, Step } from './plan.ts'
import { planFor } from './plan-for.ts'
import { fillCommand, fillVariables, variablesIn } from './variables.ts'

const step = (id: string, runs?: Run): Step =>
  stepOf(id, { next: { ok: [] }, ...(runs !== undefined && { runs }) })

const PLAN: Plan = {
  notation: 'workflow',
  explicit: true,
  gate: 'produced',
  entry: ['a'],
  variables: { package: 'core' },
  demands: {
    tests: {
      rank: 'proved',
      command: 'npm test -w ${package}',
      covers: ['packages/${package}/**', '${HOME}'],
    },
    notes: { rank: 'claimed', covers: [] },
  },
  steps: [
    { ...step('a'), writes: ['packages/${package}/src/**'] },
    {
      ...step('b', { kind: 'command', command: 'make ${package} ${other}' }),
      verify: { kind: 'file', path: '${package}.md' },
    },
    step('c', { kind: 'prompt', prompt: 'Look at ${package}.' }),
    {
      ...step('check', { kind: 'own', command: 'ls ${package}' }),
      verify: { kind: 'command', condition: '${package} is there', command: 'test -d ${package}' },
    },
    step('d', { kind: 'skill', name: 'look', args: '$ARGUMENTS in ${package}' }),
  ],
}

describe('variables', () => {
  test('are filled into commands, patterns, prompts and arguments, and unknown ones stay', () => {
    expect(fillVariables(PLAN, { package: 'a b' })).toMatchObject({
      demands: {
        tests: { command: "npm test -w 'a b'", covers: ['packages/a b/**', '${HOME}'] },
        notes: { rank: 'claimed', covers: [] },
      },
      steps: [
        { writes: ['packages/a b/src/**'] },
        { runs: { command: "make 'a b' ${other}" }, verify: { path: '${package}.md' } },
        { runs: { prompt: 'Look at a b.' } },
        { runs: { command: "ls 'a b'" }, verify: { command: "test -d 'a b'" } },
        { runs: { args: '$ARGUMENTS in a b' } },
      ],
    })
  })

  test('have the values of the effort, or else the defaults of the plan', () => {
    const command = (variables?: Readonly<Record<string, string>>) =>
      planFor(PLAN, { mode: null, ...(variables !== undefined && { variables }) }).demands?.['tests']?.command
    expect(command()).toBe('npm test -w core')
    expect(command({ package: 'web' })).toBe('npm test -w web')
  })

  test('leave a plan without variables as it is', () => {
    const { variables: _, ...bare } = PLAN
    expect(planFor(bare, { mode: null })).toBe(bare)
  })

  test('are found in a text', () => {
    expect(variablesIn('a/${one}/${two-b}/$three/${4}')).toEqual(['one', 'two-b'])
  })

  test('with the name of an inherited property are unknown', () => {
    expect(fillCommand('echo ${constructor}', {})).toBe('echo ${constructor}')
  })

  test.each([
    ['echo ${v}', "echo 'a b'"],
    ['echo "${v}"', `echo ""'a b'""`],
    ["echo 'x ${v} y'", "echo 'x ''a b'' y'"],
    ['echo "$(echo ${v})"', `holdfast_1='a b'; echo "$(echo "$holdfast_1")"`],
    ['echo "$(echo "${v}")"', `holdfast_1='a b'; echo "$(echo """$holdfast_1""")"`],
    [String.raw`echo \"${'${v}'}`, String.raw`holdfast_1='a b'; echo \""$holdfast_1"`],
    [
      'echo $(ls ${v}) ${v} ${w} ${p}',
      `holdfast_1='a b'; holdfast_2='c d'; echo $(ls "$holdfast_1") "$holdfast_1" "$holdfast_2" p`,
    ],
  ])('%s becomes %s', (command, filled) =>
    expect(fillCommand(command, { v: 'a b', w: 'c d', p: 'p' })).toBe(filled),
  )

  test('never become more than one word or run anything, whatever they are', () => {
    const forms = [
      'printf %s ${v}',
      'printf %s "${v}"',
      "printf %s '${v}'",
      'printf %s "$(printf %s "${v}")"',
      'printf %s "${NONE:-${v}}"',
      'printf %s "${NONE:-"${v}"}"',
      "true # it's\nprintf %s ${v}",
      "printf %s `printf ''`${v}",
    ]
    const value = fc.string({ unit: fc.constantFrom(...`ab '"$()\`;&|\\*~#{}`.split('')), maxLength: 12 })
    fc.assert(
      fc.property(fc.constantFrom(...forms), value, (form, v) => {
        const out = execFileSync('/bin/sh', ['-c', fillCommand(form, { v })], { encoding: 'utf8' })
        expect(out).toBe(v)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    'cat <<END\n${v}\nEND',
    'echo $((${v}))',
    'echo "$((1 + ${v}))"',
    'echo `echo ${v}`',
    'echo $${v}',
    'echo "$(case a in a) echo ${v};; esac)"',
  ])('run nothing where they are no word: %s', (form) => {
    for (const v of ['$(echo ran >&2)', '`echo ran >&2`', "'; echo ran >&2; '", '\nEND\necho ran >&2']) {
      const { stderr } = spawnSync('/bin/sh', ['-c', fillCommand(form, { v })], { encoding: 'utf8' })
      expect(stderr).not.toMatch(/^ran$/m)
    }
  })
})
