import { expect, test } from 'vitest'
import { fillTemplate, fillTemplates, namesIn } from './template.ts'

const VALUES = { topic: 'a page', depth: '', hostile: '{{topic}} $& $1' }

test.each([
  ['Plan {{topic}}.', 'Plan a page.'],
  ['{{ state.topic }}{{topic}}', 'a pagea page'],
  ['[{{depth}}]', '[]'],
  ['{{hostile}}', '{{topic}} $& $1'],
  ['{{unknown}} and {{constructor}}', '{{unknown}} and {{constructor}}'],
  ['{{}} {topic} {{state.}} {{other.topic}}', '{{}} {topic} {{state.}} {{other.topic}}'],
])('%j is filled as %j', (text, expected) => {
  expect(fillTemplate(text, VALUES)).toBe(expected)
})

test('every text of a value is filled, at every depth, and nothing else', () => {
  const value = { block: 'x', '{{topic}}': [{ a: '{{topic}}', b: 2, c: null, d: true }], e: '{{depth}}' }
  expect(fillTemplates(value, VALUES)).toEqual({
    block: 'x',
    '{{topic}}': [{ a: 'a page', b: 2, c: null, d: true }],
    e: '',
  })
})

test('the names in a text are known before it has values', () => {
  expect(namesIn('{{topic}} {{state.depth}} {{topic}} {{x.y}}')).toEqual(['topic', 'depth', 'topic'])
})
