import { describe, expect, test } from 'vitest'
import { unexplained, type Timed } from './linear.ts'
import { type FileAnswer, fileModel, type FileOp, registerModel, type RegisterOp } from './order-check.ts'
import { Random } from './random.ts'

const at = <Op, Answer>(from: number, until: number, op: Op, answer?: Answer): Timed<Op, Answer> => ({
  from,
  until,
  op,
  answer,
})
const put = (key: string, value = key): RegisterOp => ({ key, value })
const append = (key: string): FileOp => ({ key, text: key })

describe('a value with keys', () => {
  const isExplained = (...history: readonly Timed<RegisterOp, string | null>[]) =>
    unexplained(history, registerModel) === undefined

  test('may answer a read with either of two puts at the same time', () => {
    const puts = [at(0, 10, put('a'), 'a'), at(0, 10, put('b'), 'b')]
    expect(isExplained(...puts, at(11, 12, 'read', 'a'))).toBe(true)
    expect(isExplained(...puts, at(11, 12, 'read', 'b'))).toBe(true)
    expect(isExplained(...puts, at(11, 12, 'read', 'a'), at(13, 14, 'read', 'b'))).toBe(false)
  })

  test('may take or lose a put that got no answer, at any later time', () => {
    const lost = at<RegisterOp, string>(0, Infinity, put('a'))
    expect(isExplained(lost, at(5, 6, 'read', null))).toBe(true)
    expect(isExplained(lost, at(5, 6, 'read', null), at(7, 8, 'read', 'a'))).toBe(true)
    expect(isExplained(lost, at(5, 6, 'read', 'a'), at(7, 8, 'read', null))).toBe(false)
  })

  test('must not answer with a value from before an answered put', () => {
    const puts = [at(0, 1, put('a'), 'a'), at(2, 3, put('b'), 'b')]
    expect(isExplained(...puts, at(4, 5, 'read', 'b'))).toBe(true)
    expect(isExplained(...puts, at(4, 5, 'read', 'a'))).toBe(false)
  })

  test('must not take a repeated key again', () => {
    const history = [at(0, 1, put('a'), 'a'), at(2, 3, put('b'), 'b'), at(4, 5, put('a'), 'a')]
    expect(isExplained(...history, at(6, 7, 'read', 'b'))).toBe(true)
    expect(isExplained(...history, at(6, 7, 'read', 'a'))).toBe(false)
  })
})

describe('a file', () => {
  const stuck = (...history: readonly Timed<FileOp, FileAnswer>[]) => unexplained(history, fileModel)

  test('has each key once, at the offset of every answer', () => {
    const both = [at(0, 9, append('a'), { offset: 1 }), at(0, 9, append('b'), { offset: 0 })]
    expect(stuck(...both, at(10, 11, 'read', { content: 'ba' }))).toBeUndefined()
    expect(stuck(...both, at(10, 11, 'read', { content: 'ab' }))).toBeDefined()
    const again = [...both, at(10, 11, append('a'), { offset: 1 })]
    expect(stuck(...again, at(12, 13, 'read', { content: 'ba' }))).toBeUndefined()
    expect(stuck(...again, at(12, 13, 'read', { content: 'baa' }))).toBeDefined()
    expect(stuck(...both, at(10, 11, append('a'), { offset: 2 }))).toBeDefined()
  })

  test('explains long histories of many callers, and finds one double text in them', () => {
    const good = longHistory(new Random(7))
    expect(stuck(...good)).toBeUndefined()
    const last = good.findLast(({ op }) => op === 'read')
    const content = `${last?.answer !== undefined && 'content' in last.answer ? last.answer.content : ''}k1;`
    const bad = good.map((call) => (call === last ? { ...call, answer: { content } } : call))
    expect(stuck(...bad)).toBeDefined()
  })
})

/** What a right file answers to twelve callers, with repeated and unanswered calls. */
function longHistory(random: Random): readonly Timed<FileOp, FileAnswer>[] {
  let state = fileModel.initial
  const history: Timed<FileOp, FileAnswer>[] = []
  for (let step = 0; step < 300; step++) {
    const key = `k${random.below(120)};`
    const op = random.chance(0.3) ? 'read' : append(key)
    const isLost = op !== 'read' && random.chance(0.1)
    if (!isLost || random.chance(0.5)) state = fileModel.apply(state, op, undefined) ?? state
    const offset = state.offsets.get(key) ?? 0
    const answer = op === 'read' ? { content: state.content } : { offset }
    const [from, until] = [step - 6 * random.next(), step + 6 * random.next()]
    history.push(isLost ? { op, from, until: Infinity } : { op, from, until, answer })
  }
  return history
}
