import { expect, test } from 'vitest'
import { diagnose } from '../model/diagnostic.ts'
import { missingFiles, testCheck } from './plain.ts'

const at = { file: 'x/SKILL.md', line: 3, column: 1 }
const error = diagnose('HF124', at, 'It is too large.')
const warning = diagnose('HF123', at, 'There is a second frontmatter.')
const missing = diagnose('HF121', at, 'how.md does not exist.')
const about = 'It has no plan.'

test('level 0 of a skill without a plan fails with each error of the check, and notes each warning', () => {
  expect(testCheck([error, warning], about)).toMatchObject({
    counts: { errors: 1, warnings: 1 },
    findings: [{ level: 0, code: 'check', message: 'HF124: It is too large.', path: ['x/SKILL.md:3'] }],
    notes: ['HF123: There is a second frontmatter.'],
  })
  expect(testCheck([warning], about).notes[0]).toBe(about)
})

test('a file that its text names is missed by level 1, and noted by no other', () => {
  expect(missingFiles([error, warning, missing])).toMatchObject([
    { level: 1, code: 'file', message: 'HF121: how.md does not exist.' },
  ])
  expect(testCheck([missing], about)).toMatchObject({ findings: [], notes: [about] })
})
