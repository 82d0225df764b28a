import { expect, test } from 'vitest'
import { entryOf, isOptional, orderOf, plainTitle } from './entry.ts'

test.each([
  ['Phase 1: Plan', { word: 'phase', number: '1', title: 'Plan' }],
  ['Phase 1 — Plan', { word: 'phase', number: '1', title: 'Plan' }],
  ['Phase -2: Before', { word: 'phase', number: '-2', title: 'Before' }],
  ['Phase 7-8: Both', { word: 'phase', number: '7-8', title: 'Both' }],
  ['Phases 3-5: All', { word: 'phase', number: '3-5', title: 'All' }],
  ['Phase 3.A: Build', { word: 'phase', number: '3.A', title: 'Build' }],
  ['Step 1-B: Draw', { word: 'step', number: '1-B', title: 'Draw' }],
  ['Step 2b) Branch', { word: 'step', number: '2b', title: 'Branch' }],
  ['STEP 4', { word: 'step', number: '4', title: '' }],
  ['Cycle 1.2: Red', { word: 'cycle', number: '1.2', title: 'Red' }],
  ['1. First', { word: '', number: '1', title: 'First' }],
  ['2) Second', { word: '', number: '2', title: 'Second' }],
  ['3.1 Third', { word: '', number: '3.1', title: 'Third' }],
  ['4 — Fourth', { word: '', number: '4', title: 'Fourth' }],
  ['阶段 0 — 检测', { word: 'phase', number: '0', title: '检测' }],
  ['第一阶段：检查', { word: 'phase', number: '1', title: '检查' }],
  ['第十二步：报告', { word: 'step', number: '12', title: '报告' }],
  ['第 2 阶段 — 评估', { word: 'phase', number: '2', title: '评估' }],
  ['フェーズ1: 準備', { word: 'phase', number: '1', title: '準備' }],
  ['ステップ 3：確認', { word: 'step', number: '3', title: '確認' }],
  ['1단계: 분석', { word: 'step', number: '1', title: '분석' }],
  ['Adım 2 - Oku', { word: 'step', number: '2', title: 'Oku' }],
  ['Passo 4: Rodar', { word: 'step', number: '4', title: 'Rodar' }],
])('%s is an entry', (text, entry) => expect(entryOf(text)).toEqual(entry))

test.each([
  ['2024 results'],
  ['Phases'],
  ['Step by step'],
  ['Phase one'],
  ['10x faster'],
  ['Stepping 3 stones'],
  ['第一阶段补充：更多'],
])('%s is not an entry', (text) => {
  expect(entryOf(text)).toBeUndefined()
})

test.each([
  ['**Gather facts.** Read every file.', 'Gather facts'],
  ['**Gather** — read every file', 'Gather'],
  ['**Gather**: read', 'Gather'],
  ['**Gather facts** from every file', 'Gather facts from every file'],
  ['Run `npm test` with [the guide](guide.md)', 'Run npm test with the guide'],
  ['**Get the hashes:**', 'Get the hashes'],
  ['Copy *.md:\n  and more', 'Copy *.md'],
  ['******', ''],
])('%j has the plain title %j', (text, title) => expect(plainTitle(text)).toBe(title))

test.each([
  ['Ask (optional)', true],
  ['Ask [Optional]', true],
  ['Ask (if needed)', true],
  ['提问（可选）', true],
  ['Ask (İsteğe Bağlı)', true],
  ['Ask (optional, but required for releases)', false],
  ['Ask (if missing)', false],
  ['Optional chaining', false],
])('%s is optional: %s', (title, expected) => expect(isOptional(title)).toBe(expected))

test('numbers sort naturally', () => {
  const inOrder = ['-1', '0', '1', '1.1', '1.2', '2', '2b', '2.10', '10']
  expect(inOrder.toReversed().toSorted((a, b) => orderOf(a) - orderOf(b))).toEqual(inOrder)
})
