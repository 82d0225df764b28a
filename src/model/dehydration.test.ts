import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { type Dehydration, fitDehydration, MOST_CHARACTERS, MOST_FILES } from './dehydration.ts'

const sizeOf = (payload: Dehydration): number =>
  Object.values(payload)
    .flat()
    .reduce((sum: number, text) => sum + text.length, 0)

const text = anyString({ maxLength: 30_000 })
const texts = fc.array(anyString({ maxLength: 3000 }), { maxLength: 80 })
const any: fc.Arbitrary<Dehydration> = fc.record(
  {
    summary: text,
    lastAction: text,
    nextSteps: texts,
    handoverInstructions: text,
    userHistory: text,
    requiredFiles: texts,
  },
  { requiredKeys: [] },
)

describe('what a window leaves', () => {
  test('stays as it is where it is small', () => {
    const payload = { summary: 'S', nextSteps: ['a', 'b'], requiredFiles: ['/f'], lastAction: 'L' }
    expect(fitDehydration(payload)).toEqual({ payload, cut: [] })
    expect(fitDehydration({ summary: '', nextSteps: [] })).toEqual({ payload: {}, cut: [] })
  })

  test('is never too large, can be kept by every database, and is cut only once', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { payload } = fitDehydration(given)
        expect(sizeOf(payload)).toBeLessThanOrEqual(MOST_CHARACTERS)
        for (const part of Object.values(payload).flat()) {
          expect(part).not.toContain('\0')
          expect(part.isWellFormed()).toBe(true)
        }
        expect(fitDehydration(payload)).toEqual({ payload, cut: [] })
      }),
      { numRuns: 100 },
    )
  })

  test('keeps whole what is to do next where what the user said is too long', () => {
    const given = {
      userHistory: 'u'.repeat(50_000),
      summary: 's'.repeat(3000),
      nextSteps: ['a'.repeat(1000), 'b'],
    }
    const { payload, cut } = fitDehydration(given)
    expect(payload.nextSteps).toEqual(given.nextSteps)
    expect(payload.summary).toBe(given.summary)
    expect(payload.userHistory).toMatch(/\[cut: 50000 characters were too many\]$/)
    expect(cut).toEqual([`userHistory had 50000 characters and was cut to ${payload.userHistory?.length}`])
  })

  test('leaves room for the rest where the most important is too long', () => {
    const { payload } = fitDehydration({
      nextSteps: ['a'.repeat(5000), 'b'.repeat(5000)],
      summary: 's'.repeat(9000),
    })
    expect(payload.nextSteps).toEqual(['a'.repeat(5000)])
    expect(payload.summary?.length).toBeGreaterThan(3000)
  })

  test('names eight files at most, and only whole ones', () => {
    const requiredFiles = Array.from({ length: 11 }, (_, index) => `/file-${index}`)
    const { payload, cut } = fitDehydration({ requiredFiles })
    expect(payload.requiredFiles).toEqual(requiredFiles.slice(0, MOST_FILES))
    expect(cut).toEqual(['requiredFiles had 11 items and was cut to the first 8'])
  })
})
