import { expect, test } from 'vitest'
import { SKILLS } from './case.contract.ts'
import { chainIn } from './chain-in.ts'

const SHORT = 12_500
const TIMES = 8
const sized = (text: string, size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size)

/** Processor time, because other programs share the machine; the least of several runs has the least noise. */
function costOf(prompt: string, runs: number): number {
  const costs = Array.from({ length: 2 }, () => {
    const before = process.threadCpuUsage()
    for (let run = 0; run < runs; run++) chainIn(prompt, SKILLS)
    const { user, system } = process.threadCpuUsage(before)
    // The kernel only guesses which part of short work was the user's.
    return user + system
  })
  return Math.min(...costs)
}

/** Ever longer runs, which pair with nothing. */
const rising = Array.from({ length: 450 }, (_, index) => `${'`'.repeat(index + 1)} `).join('')

const cost = (piece: string, size: number, runs: number) =>
  costOf(`/a, /b${sized(piece, size)}(`, runs) + costOf(`run /a, run /b${sized(piece, size)}(`, runs)

/** Texts that are no chain at once cost next to nothing, so all are compared with usual ones too. */
const usual = cost('some words, ', SHORT, TIMES)

test.each([
  [', /a'],
  ['/a '],
  ['/a\n'],
  ['- /a\n'],
  ['- /a\n  x\n'],
  [', /zzzzzzz'],
  ['and '],
  [', '],
  ['else /a '],
  ['"'],
  ['" '],
  [' "'],
  [" 'a"],
  ['="\\'],
  ['('],
  ['([{'],
  ['()'],
  ['( ]'],
  ['`'],
  ['` '],
  [rising],
  ['```\n'],
  ['\n'],
  [' '],
  ['/'],
  ['a.'],
  ['use the a skill, '],
  ['- '],
  ['note: /a\n'],
  ['.'],
  [':'],
  ['/b..'],
  ['run /a. '],
])('100 KB of %j take linear time, after a call and in words', (piece) => {
  const long = cost(piece, TIMES * SHORT, 1)
  const short = cost(piece, SHORT, TIMES)
  // A quadratic reader would take eight times as long.
  expect(long).toBeLessThan(4 * (short + usual))
})

test('many names that resemble many skills take linear time', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `skill-number-${index}`)
  const skills = { knows: (name: string) => name === 'a', names }
  let compared = 0
  const counted = {
    ...skills,
    get names() {
      compared++
      return names
    },
  }
  const prompt = Array.from({ length: 8000 }, (_, index) => `, /skill-numbr-${index}`).join('')
  chainIn(`/a x${prompt}`, counted)
  expect(compared).toBeLessThanOrEqual(50)
})
