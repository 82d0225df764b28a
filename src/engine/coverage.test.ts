import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Claim, type Route, routes, type Target } from '../clients/routes.ts'
import { temporarySqlite } from '../store/open.contract.ts'
import { clientAt, contextOf } from './client.contract.ts'
import { makeWorld, type World } from './world.contract.ts'

let world: World
beforeAll(async () => {
  world = await makeWorld(temporarySqlite)
})
afterAll(() => world[Symbol.asyncDispose]())

/** A client that has called the skill and read nothing of it yet. */
async function atWork() {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow')
  const at = (step: string): Target => {
    const file = it.flow(`steps/${step}.md`)
    return {
      project: it.project,
      file,
      relative: relative(it.project, file),
      name: `${step}.md`,
      steps: it.flow('steps'),
      skill: it.flow('.'),
      skills: join(it.flow('.'), '..'),
    }
  }
  const take = (payload: Readonly<Record<string, unknown>>) => {
    const { tool_name: tool, tool_input: input, ...more } = payload
    return typeof tool === 'string'
      ? it.use(tool, input as object, more)
      : it.fire('UserPromptSubmit', payload)
  }
  /** What happens when the last step is read by one of the examples of a route, and what the ledger says. */
  const readEarly = async (route: Route, index: number) => {
    const seq = await world.lastSeq()
    const answer = await take(route.payloads(at('do'))[index] ?? {})
    const said = (await world.since(seq)).map(({ event_type, payload }) => ({ event_type, payload }))
    return { answer, context: contextOf(answer), said }
  }
  const readInTurn = async (route: Route, index: number) =>
    await take(route.payloads(at('look'))[index] ?? {})
  return { it, readEarly, readInTurn }
}

type AtWork = Awaited<ReturnType<typeof atWork>>

/** What each claim promises of one example. */
const PROMISES: Readonly<Record<Claim, (work: AtWork, route: Route, index: number) => Promise<void>>> = {
  async enforced({ it, readEarly, readInTurn }, route, index) {
    const { answer } = await readEarly(route, index)
    expect(answer.decision).toBe('block')
    if (route.whole === true) return
    expect((await readInTurn(route, index)).decision).toBe('allow')
    expect(await it.spans()).toEqual(['flow active look'])
  },
  async advised({ it, readEarly, readInTurn }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect(answer.decision).toBe('allow')
    expect(context).toContain('Step do needs idea')
    expect(said).toMatchObject([{ event_type: 'step.visited', payload: { out_of_order: true } }])
    await readInTurn(route, index)
    expect(await it.spans()).toEqual(['flow active do,look'])
    expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
  },
  async observed({ it, readEarly }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect({ decision: answer.decision, context }).toEqual({ decision: 'allow', context: '' })
    expect(said.map(({ event_type }) => event_type)).toEqual(['read.unresolved'])
    expect(await it.spans()).toEqual(['flow active'])
  },
  async unseen({ it, readEarly }, route, index) {
    const { answer, context, said } = await readEarly(route, index)
    expect({ decision: answer.decision, context, said }).toEqual({ decision: 'allow', context: '', said: [] })
    expect(await it.spans()).toEqual(['flow active'])
  },
}

describe.each([...routes])('in %s', (_, listed) => {
  const cases = listed.flatMap((route) =>
    route.examples.map((example, index) => ({ ...route, route, example, index })),
  )
  test.each(cases)('$what is $claim: $example', async ({ route, claim, index }) => {
    expect.hasAssertions()
    await PROMISES[claim](await atWork(), route, index)
  })

  test('each route has one payload for each example', () => {
    const target = { project: '', file: '', relative: '', name: '', steps: '', skill: '', skills: '' }
    for (const { examples, payloads } of listed) expect(payloads(target)).toHaveLength(examples.length)
  })
})
