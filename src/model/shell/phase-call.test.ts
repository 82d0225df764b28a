import { describe, expect, test } from 'vitest'
import { phaseCallsIn } from './phase-call.ts'

const calls = (command: string) => phaseCallsIn(command, '/p')
const third = { kind: 'id', id: 3 }

describe('a call that would enter a phase', () => {
  test.each([
    ['holdfast effort phase 3 1', { effort: third, label: '1', proof: {}, isFirst: true, isSpecial: false }],
    ['npx holdfast effort phase 3 "3.A: Build Loop"', { effort: third, label: '3.A: Build Loop' }],
    [`/usr/bin/engine effort phase 3 4 --proof '{"a": false}' --json`, { label: '4', proof: { a: false } }],
    ['holdfast effort phase --tests-pass=true 3 4', { label: '4', fields: { 'tests-pass': 'true' } }],
    ['holdfast effort phase 3 -- 4', { effort: third, label: '4' }],
    ['holdfast effort phase 3 4 --proof @proof.json', { proof: undefined }],
    ["holdfast step go '2: Build' --effort 3", { effort: third, label: '2: Build', proof: {} }],
    [`holdfast step go 2 --effort=3 --proof '{"a": 1}'`, { effort: third, label: '2', proof: { a: 1 } }],
    ['holdfast effort phase 3 4 --reason "it is enough"', { isSpecial: true, fields: {} }],
    ['holdfast effort phase 3 4 --user-approved yes', { isSpecial: true }],
    ['engine session phase tasks/a 2', { effort: { kind: 'task', folder: '/p/tasks/a' }, proof: {} }],
    ['cd /q && engine session phase a 2', { effort: { kind: 'task', folder: '/q/a' }, isFirst: true }],
    [`engine session phase a 2 <<'E'\n{"x": 1}\nE`, { proof: undefined }],
    ['engine session phase a 2 < proof.json 2>&1', { label: '2', proof: undefined }],
    ['engine session phase a 2 > log | tail -1', { label: '2', proof: {} }],
    ['holdfast prove tests && holdfast effort phase 3 4', { label: '4', isFirst: false }],
    [`echo '{}' | engine session phase a 2`, { isFirst: false }],
  ])('is read from %s', (command, expected) => {
    expect(calls(command)).toEqual([expect.objectContaining(expected)])
  })

  test.each([
    'holdfast effort show 3',
    'holdfast step go 2',
    'holdfast step done 2 --effort 3',
    'holdfast effort phase 3',
    'holdfast effort phase three 4',
    'holdfast effort phase $ID 4',
    'holdfast effort phase 3 "$NEXT"',
    'holdfast effort phase 3 -- $NEXT',
    'holdfast effort phase $(cat id) 4',
    'holdfast effort phase 3 4 --proof',
    'holdfast effort phase 3 4 --proof "not json"',
    'holdfast effort phase 3 4 --proof "[1]"',
    'holdfast effort phase --help',
    'HOLDFAST_HOME=/x holdfast effort phase 3 4',
    'echo holdfast effort phase 3 4',
    'engine session phase tasks/* 2',
    'engine session phase ~/a 2',
    'engine session phase a 2 --colour red',
    'cd "$X" && engine session phase a 2',
    'npx other effort phase 3 4',
    'grep phase notes.md',
  ])('is not guessed from %s', (command) => {
    expect(calls(command)).toEqual([])
  })

  test('can appear more than once, and only the first one runs before everything else', () => {
    const found = calls('holdfast effort phase 3 1; holdfast effort phase 3 2')
    expect(found.map(({ label, isFirst }) => [label, isFirst])).toEqual([
      ['1', true],
      ['2', false],
    ])
  })
})
