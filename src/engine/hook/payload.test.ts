import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captured, mutated, stringsOf } from '../../clients/payload.contract.ts'
import type { Client } from '../../model/client.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { clientIn, skillOf } from './client.contract.ts'
import { type Answer, makeWorld, type World } from '../world.contract.ts'

const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 5)
const CAPTURED_IN = '/home/user/project'

let world: World
let project: string
beforeAll(async () => {
  world = await makeWorld(temporarySqlite)
  project = join(world.project, 'repo')
  await mkdir(join(project, '.git'), { recursive: true })
  // The skills that the captured sessions used, such that there is something to refuse.
  const { add } = clientIn(world, project)
  await add(
    'demo-skill',
    skillOf('demo-skill', { '00-before': 'produces: [x]', '01-first': 'consumes: [x]' }),
  )
  await add(
    'release-checklist',
    skillOf('release-checklist', {
      '01-prepare': 'produces: [prepared]',
      '02-verify': 'consumes: [prepared]\nproduces: [verified]',
      '03-gated': 'consumes: [verified]',
    }),
  )
})
afterAll(() => world[Symbol.asyncDispose]())

const here = (payload: unknown): unknown =>
  JSON.parse(JSON.stringify(payload).replaceAll(CAPTURED_IN, project)) as unknown
const handle = (client: Client, payload: unknown): Promise<Answer> =>
  world.call('hooks.handle', { client: client.name, payload })

/** What is wrong with an answer: a reply that the client would drop or misread is worse than none. */
function faultsOf(client: Client, payload: unknown, { decision, reply }: Answer): readonly string[] {
  const { kind, name = '' } = client.decode(payload)
  const honours = client.events.get(name)
  const { hookSpecificOutput: specific, systemMessage, ...top } = reply ?? {}
  const refuses = specific?.permissionDecision === 'deny' || top.decision === 'block'
  const as = refuses ? 'block' : 'allow'
  const checks = {
    'a decision that is none': decision !== 'allow' && decision !== 'block',
    'a reply to what is no event': reply !== undefined && honours?.kind !== kind,
    'a reply that is no JSON':
      JSON.stringify(JSON.parse(JSON.stringify(reply ?? {}))) !== JSON.stringify(reply ?? {}),
    'a text that is too long': stringsOf(reply).some((text) => text.length > 10_000),
    'a refusal of what cannot be refused': refuses && honours?.block === undefined,
    'another refusal than was decided': refuses !== (decision === 'block' && honours?.block !== undefined),
    'the name of another event': specific !== undefined && specific.hookEventName !== name,
    'a context that nobody reads':
      specific?.additionalContext !== undefined && honours?.context.includes(as) !== true,
    'a notice that nobody sees': systemMessage !== undefined && honours?.notice.includes(as) !== true,
  }
  return Object.entries(checks).flatMap(([fault, isSo]) => (isSo ? [fault] : []))
}

/** What must hold of the store, whatever it was told. */
async function checkStore(): Promise<void> {
  const look = (sql: string) => world.opened.look(sql)
  const twice = `group by session_id having count(*) > 1`
  expect(await look(`select session_id from skill_span where status = 'active' ${twice}`)).toEqual([])
  expect(
    await look(
      `select skill from skill_span where status <> 'completed' group by session_id, skill having count(*) > 1`,
    ),
  ).toEqual([])
  expect(
    await look(`select * from skill_span where status = 'active' and effort_id in
    (select id from efforts where lifecycle = 'finished')`),
  ).toEqual([])
  expect(await look(`select * from life_event where event_type = 'rule.failed'`)).toEqual([])
}

describe('what was captured of a client', () => {
  test('is answered, all of it and twice, as the client would take it', async () => {
    for (let times = 0; times < 2; times++)
      for (const { client, payload } of captured) {
        const given = here(payload)
        expect(faultsOf(client, given, await handle(client, given))).toEqual([])
      }
    await checkStore()
    const spans = await world.opened.look('select distinct skill from skill_span order by skill')
    expect(spans).toMatchObject([{ skill: 'demo-skill' }, { skill: 'release-checklist' }])
    // Something was refused, so that what was checked above includes it.
    expect(
      await world.opened.look(`select 1 as x from life_event where event_type = 'step.refused'`),
    ).not.toEqual([])
  })

  test.each(captured)('$client.name: $event $index survives any change', async ({ client, payload }) => {
    await fc.assert(
      fc.asyncProperty(mutated(here(payload)), async (changed) => {
        expect(faultsOf(client, changed, await handle(client, changed))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('leaves the store in order after all of that', checkStore)
})
