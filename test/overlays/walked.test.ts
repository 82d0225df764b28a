import { afterAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'
import { obey } from '../../src/harness/obey.ts'
import { Scene } from '../refusals/scene.ts'
import { follow } from '../../src/harness/follow.ts'
import { heldBy, impatient, madeFrom, PACKAGED, type Packaged, planOf, type Way, waysIn } from './packaged.ts'

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

/** The wishes of `obey`: 0 finish, 1 jump to the last step, 2 claim the step, 3 end the turn, 4 write a held file. */
const LAZY = [3, 1, 0]
const HASTY = [4, 2]

/** All walks take most of a minute, so the normal tests take a third of them; every overlay is followed to its end. */
const WALKS_ALL = process.env['HOLDFAST_OVERLAYS'] === 'all'
const someOf = <One>(all: readonly One[]): readonly One[] =>
  WALKS_ALL ? all : all.filter((_, index) => index % 3 === 0)

/** A step may take a start, its sub-agents and its proof. */
const MOVES_OF_STEP = 3

async function called(one: Packaged): Promise<Scene> {
  const it = new Scene(user, madeFrom(one).files)
  await it.call(`/${one.skill} a login page`)
  expect(it.effort, 'the call of the skill begins an effort').toBeGreaterThan(0)
  return it
}

const NAMED = PACKAGED.map((one) => [one.key, one] as const)

test.each(NAMED)('%s: an agent that does what it is told reaches the end', async (_, one) => {
  const it = await called(one)
  expect(await follow(it, MOVES_OF_STEP * planOf(one).steps.length)).not.toHaveProperty('wrong')
})

describe.each(someOf(NAMED))('%s', (_, one) => {
  test('an agent that would rather be done is told what is open, obeys, and reaches the end', async () => {
    const it = await called(one)
    const refused = await it.fire('Stop', { stop_hook_active: false })
    expect(refused !== undefined, 'the end of the turn is refused').toBe(planOf(one).hold === 'stop')
    expect(await it.bad('effort finish EFFORT')).toBeDefined()
    expect(await obey(it, madeFrom(one), LAZY)).not.toHaveProperty('wrong')
  })

  test('an agent that begins with the files it likes obeys, and reaches the end', async () => {
    const it = await called(one)
    expect(await obey(it, madeFrom(one), HASTY)).not.toHaveProperty('wrong')
  })
})

const WALKS = PACKAGED.flatMap((one) => waysIn(planOf(one)).map((way) => ({ one, way })))

/** A step that success never leads to is reached by the outcome that names it. */
const leadingTo = (ways: readonly Way[], label: string): readonly Way[] =>
  ways.filter(({ to, isBack }) => to === label && !isBack)

test.each(someOf(WALKS))(
  '$one.key: the way $way.outcome from $way.from leads to the end',
  async ({ one, way }) => {
    const short = impatient(one)
    const plan = planOf(short)
    const taken: Way[] = []
    const isFree = (label: string) => !taken.some(({ from }) => from === label)
    const choose = (label: string) => {
      const wanted =
        label === way.from && taken.filter(({ from }) => from === label).length < (way.isBack ? 2 : 1)
          ? way
          : leadingTo(waysIn(plan), way.from).find(({ from }) => from === label && isFree(from))
      if (wanted !== undefined) taken.push(wanted)
      return wanted
    }
    const it = await called(short)
    const most = MOVES_OF_STEP * MOVES_OF_STEP * plan.steps.length
    expect(await follow(it, most, choose)).not.toHaveProperty('wrong')
    expect(taken).toContainEqual(way)
  },
)

const HOLDING = PACKAGED.flatMap((one) => {
  const held = heldBy(planOf(one))
  return held === undefined ? [] : [[one.key, held, one] as const]
})

test.each(HOLDING)('%s refuses to change %s at the beginning', async (_, held, one) => {
  const it = await called(one)
  const refused = await it.use('Write', { file_path: `${it.project}/${held}`, content: '' })
  expect(refused).toContain(`${held} may be changed only from`)
})
