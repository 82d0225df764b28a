import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captured, mutated, stringsOf } from '../clients/payload.contract.ts'
import type { Client } from '../model/client.ts'
import { temporarySqlite } from '../store/open.contract.ts'
import { clientIn, skillOf } from './client.contract.ts'
import { type Answer, makeWorld, type World } from './world.contract.ts'

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

/** A reply that the client would drop or misread is worse than none. */
function check(client: Client, payload: unknown, { decision, reply }: Answer): void {
  expect(['allow', 'block']).toContain(decision)
  if (reply === undefined) return
  const { kind, name = '' } = client.decode(payload)
  const honours = client.events.get(name)
  expect(honours?.kind).toBe(kind)
  expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
  expect(Math.max(...stringsOf(reply).map((text) => text.length))).toBeLessThanOrEqual(10_000)
  const { hookSpecificOutput: specific, systemMessage, ...top } = reply
  const refuses = specific?.permissionDecision === 'deny' || top.decision === 'block'
  const as = refuses ? 'block' : 'allow'
  expect(refuses && honours?.block === undefined).toBe(false)
  expect(refuses).toBe(decision === 'block' && honours?.block !== undefined)
  if (specific !== undefined) expect(specific.hookEventName).toBe(name)
  expect(specific?.additionalContext === undefined || honours?.context.includes(as)).toBe(true)
  expect(systemMessage === undefined || honours?.notice.includes(as)).toBe(true)
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
        check(client, given, await handle(client, given))
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
        check(client, changed, await handle(client, changed))
      }),
      { numRuns: RUNS },
    )
  })

  test('leaves the store in order after all of that', checkStore)
})
