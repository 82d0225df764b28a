import { expect, test } from 'vitest'
import { readBlocks } from '../text/markdown.ts'
import { sourceText } from '../text/text.ts'
import { choosePlan } from './choose.ts'
import { checkNumbers } from './numbers.ts'

function told(text: string) {
  const blocks = readBlocks(sourceText('x.md', text), 0)
  const { plan } = choosePlan(blocks)
  return plan === undefined ? undefined : checkNumbers(plan, 'x.md', blocks)
}

test.each([
  ['0 1 2', []],
  ['1 2 2 3', ['HF201']],
  ['1 3', ['HF202']],
  ['4 5 20 30', []],
  ['8 10', ['HF202']],
  ['7 11 9', ['HF202', 'HF203']],
  ['1 0.5 2', ['HF203']],
  ['1 2 2b 3', []],
  ['5 6 7-8 9', []],
  ['-2 -1 0 1', []],
  ['4.5 4.75 4.8 5', []],
  ['4.9 4.10', []],
  ['4.8 4.7', ['HF203']],
])('the numbers %s get %j', (list, codes) => {
  const text = list.split(' ').map((number) => `## Step ${number}: x`)
  expect(told(text.join('\n'))?.map(({ code }) => code)).toEqual(codes)
})

test('a missing number inside a code fence is named', () => {
  const [only] = told('## Step 1: a\n\n```md\n## Step 2: b\n```\n\n## Step 3: c\n') ?? []
  expect(only).toMatchObject({ code: 'HF202', line: 7 })
  expect(only?.message).toContain('step 2 is inside the code fence at line 3')
})

test('a missing number that the text in between mentions is in another file', () => {
  expect(told('## Step 1: a\n\nNow read tests.md for step 2.\n\n## Step 3: c\n')).toEqual([])
})
