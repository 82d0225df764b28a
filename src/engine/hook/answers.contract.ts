import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutated, stringsOf } from '../../clients/payload.contract.ts'
import type { Subject } from '../../clients/subject.contract.ts'
import { skillsFolder } from '../../model/client-files.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { type Answer, makeWorld, type World, writeFiles } from '../world.contract.ts'
import { skillOf } from './client.contract.ts'

/** Each payload, in every run of the tests; `npm run torture -- random` changes them far more often. */
const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 2)
const CAPTURED_IN = '/home/user/project'

/** The skills of the captured sessions, with steps to refuse. */
const SKILLS = {
  'demo-skill': skillOf('demo-skill', { '00-before': 'produces: [x]', '01-first': 'consumes: [x]' }),
  'release-checklist': skillOf('release-checklist', {
    '01-prepare': 'produces: [prepared]',
    '02-verify': 'consumes: [prepared]\nproduces: [verified]',
    '03-gated': 'consumes: [verified]',
  }),
}

/** The engine answers captured and mutated payloads with replies that the client accepts. */
export function answersContract({ client, voice, captured }: Subject): void {
  let world: World
  let project: string
  beforeAll(async () => {
    world = await makeWorld(temporarySqlite, Date.now, { clients: new Map([[client.name, client]]) })
    project = join(world.project, 'repo')
    await mkdir(join(project, '.git'), { recursive: true })
    for (const [skill, files] of Object.entries(SKILLS))
      await writeFiles(files, join(project, skillsFolder(client), skill))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const here = (payload: unknown): unknown =>
    JSON.parse(JSON.stringify(payload).replaceAll(CAPTURED_IN, project)) as unknown
  const handle = (payload: unknown): Promise<Answer> =>
    world.call('hooks.handle', { client: client.name, payload })

  /** The faults of an answer; a reply that the client misreads is worse than none. */
  function faultsOf(payload: unknown, { decision, reply }: Answer): readonly string[] {
    const { kind, name = '' } = client.decode(payload)
    const honours = client.events.get(name)
    const heard = client.heard(reply === undefined ? '' : JSON.stringify(reply), name)
    const checks = {
      'a decision that is none': decision !== 'allow' && decision !== 'block',
      'a reply to what is no event': reply !== undefined && honours?.kind !== kind,
      'a reply that is no JSON':
        JSON.stringify(JSON.parse(JSON.stringify(reply ?? {}))) !== JSON.stringify(reply ?? {}),
      'a reply that cannot be read': heard === 'unreadable',
      'a text that is too long': stringsOf(reply).some((text) => text.length > 10_000),
      'a refusal that is not heard':
        decision === 'block' && honours?.block !== undefined && heard !== 'refusal',
      'a refusal that was not decided': decision !== 'block' && heard === 'refusal',
      ...voice.faults(reply, { name, decision, honours }),
    }
    return Object.entries(checks).flatMap(([fault, isSo]) => (isSo ? [fault] : []))
  }

  /** What must hold in the store after any events. */
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

  test('fit the client for every captured payload, even if it comes twice', async () => {
    for (let times = 0; times < 2; times++)
      for (const { payload } of captured) {
        const given = here(payload)
        expect(faultsOf(given, await handle(given))).toEqual([])
      }
    await checkStore()
    const spans = await world.opened.look('select distinct skill from skill_span order by skill')
    expect(spans.map(({ skill }) => skill)).toEqual(voice.skills)
    // Refusals occurred, so the checks above cover them.
    expect(
      await world.opened.look(`select 1 as x from life_event where event_type = 'step.refused'`),
    ).not.toEqual([])
  })

  test.each(captured)('survive any change: $event $index', async ({ payload }) => {
    await fc.assert(
      fc.asyncProperty(mutated(here(payload)), async (changed) => {
        expect(faultsOf(changed, await handle(changed))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('leave the store consistent after all changes', checkStore)
}
