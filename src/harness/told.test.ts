import { expect, test } from 'vitest'
import { commands } from '../cli/commands/index.ts'
import { faultsIn, type Measure } from './told.ts'
import type { Heard } from './window.ts'

const MEASURE: Measure = { commands, launcher: '/h/bin/holdfast', fills: true }
const codesOf = (text: string, kind: Heard['kind'] = 'told') =>
  faultsIn({ kind, text }, MEASURE).map(({ code }) => code)

test.each([
  'Next: run holdfast step done 1 --effort 2.',
  'next: /h/bin/holdfast step go x --effort 2',
  "Run `holdfast step done 'a b' --visit 1 --effort 3 --set result=pass`",
  'or holdfast log "what was done"',
  '<step_header step="1">A &amp; B</step_header>\n\n<next>\nholdfast step done a --effort 2\n</next>',
  'To begin: holdfast step flow --param topic=x',
  'holdfast help skill',
  'Last request: "run holdfast nonsense"',
  'Holdfast says what follows:\nholdfast keeps the place.\n\n```sh\nholdfast help skill\n```\n',
])('%j has no fault', (text) => expect(codesOf(text)).toEqual([]))

test.each([
  ['size', 'much '.repeat(7000)],
  ['unfilled', 'Write {{topic}}.'],
  ['command', 'Run holdfast skill grahp x'],
  ['command', 'Run holdfast step done x --result ok --effort'],
  ['command', 'Run `holdfast verifi it`.'],
  ['command', 'Run this:\n\n```sh\nholdfast verifi it\n```\n'],
  ['command', 'Run holdfast skill check --every'],
  ['effort', 'Next: run holdfast step done x'],
  ['xml', '<next>holdfast step --effort 2</nxt>'],
  ['xml', '<next>a & b</next>'],
  ['effort', "<next><invoke>holdfast step done 'a &lt;b&gt;'</invoke></next>"],
])('%s is found in %j', (code, text) => expect(codesOf(text)).toContain(code))

test('a file of a skill cannot know the number of an effort', () =>
  expect(codesOf('Run holdfast step done {{x}}', 'shown')).toEqual([]))
