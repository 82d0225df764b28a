import { join } from 'node:path'
import { type Answer, makeWorld, type World } from '../../src/engine/world.contract.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import type { Expected, Outcome } from './oracle.ts'
import { payloadOf } from './payload.ts'
import { type Deed, makeProject, pathOf } from './scene.ts'
import { type Stream, streamOf, type Told } from './stream.ts'

export const PROJECTS = 3

export interface Replay {
  readonly seed: number
  readonly events: number
}

/** What differs between the engine and the oracle after so many events of a seed; nothing where all is equal. */
export async function replayed({ seed, events }: Replay): Promise<string | undefined> {
  const stream = streamOf(seed, events, PROJECTS)
  const found = await differences(stream)
  if (found.length === 0) return undefined
  const shortest = await shrink(seed, events)
  const { told } = streamOf(seed, shortest, PROJECTS)
  const last = told.slice(-12).map(({ deed }) => JSON.stringify(deed))
  const [first = found[0]] = await differences(streamOf(seed, shortest, PROJECTS))
  return [
    `seed ${seed}: the first ${shortest} of ${events} events differ.`,
    first,
    'The last of them:',
    ...last,
  ].join('\n')
}

/** What has once happened is in the ledger for good, so that half of a failing prefix fails or the rest of it does. */
async function shrink(seed: number, events: number): Promise<number> {
  let [good, bad] = [0, events]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if ((await differences(streamOf(seed, middle, PROJECTS))).length > 0) bad = middle
    else good = middle
  }
  return bad
}

async function differences({ told, oracle }: Stream): Promise<readonly string[]> {
  const begun = told[0]?.deed.at ?? 0
  let now = begun
  await using world = await makeWorld(temporarySqlite, () => now)
  const folders = Array.from({ length: PROJECTS }, (_, place) => join(world.project, `p${place}`))
  await Promise.all(folders.map(makeProject))
  const found: string[] = []
  const recaps: (() => readonly string[])[] = []
  let ids: ReadonlyMap<string, number> = new Map()
  for (const tick of Map.groupBy(told, ({ deed }) => deed.tick).values()) {
    now = tick[0]?.deed.at ?? now
    await Promise.all(
      tick.map(async ({ deed, outcome }) => {
        const folder = folders[deed.project] ?? ''
        const answer = await perform(world, deed, folder)
        found.push(...judge(deed, outcome, answer))
        recaps.push(() => recapFaults({ deed, outcome }, answer, { folder, ids }))
      }),
    )
  }
  await world.store.flush()
  ids = await effortIds(world)
  found.push(...recaps.flatMap((faults) => faults()))
  for (const [place, folder] of folders.entries()) {
    const mine = told.filter(({ deed }) => deed.project === place)
    found.push(
      ...firstDifference(`ledger of project ${place}`, ledgerOf(mine), await ledgerIn(world, folder)),
    )
    found.push(...(await stateFaults(world, folder, oracle.expected(place))))
  }
  return found
}

async function perform(world: World, deed: Deed, folder: string): Promise<Answer> {
  const payload = payloadOf(deed, folder)
  if (deed.act.kind === 'usage')
    return await world.call('statusline.show', { client: 'claude-code', payload })
  if (payload !== undefined) return await world.call('hooks.handle', { client: 'claude-code', payload })
  if (deed.act.kind === 'log')
    return await world.call('commands.log.append', { native_id: deed.session, text: 'Went on.' })
  const [window] = await rowsOf(
    world,
    `select effort_id from sessions where native_id = '${deed.session}' and ended_at is null`,
  )
  return await world.call('db.effort.finish', { effort_id: window?.['effort_id'] })
}

const isHook = ({ act: { kind } }: Deed): boolean => kind !== 'usage' && kind !== 'log' && kind !== 'finish'

const contextIn = (answer: Answer): string => answer.reply?.hookSpecificOutput?.additionalContext ?? ''

function judge(deed: Deed, { decision, warnings }: Outcome, answer: Answer): readonly string[] {
  if (!isHook(deed)) return []
  const text = contextIn(answer)
  const read = [
    ...(text.includes('without a word in the log') ? ['heartbeat'] : []),
    ...(text.includes('% full') ? ['context'] : []),
  ]
  const [expected, seen] = [`${decision} ${warnings.join(' ')}`, `${answer.decision} ${read.join(' ')}`]
  return expected === seen ? [] : [`${JSON.stringify(deed)} must be "${expected}" and is "${seen}"`]
}

/** A new window is told its skill, its effort and the exact next action. */
function recapFaults(
  { deed, outcome: { recap } }: Told,
  answer: Answer,
  { folder, ids }: { readonly folder: string; readonly ids: ReadonlyMap<string, number> },
): readonly string[] {
  if (deed.act.kind !== 'start') return []
  const text = contextIn(answer)
  const id = ids.get(`${folder} ${recap?.ordinal}`)
  const wanted =
    recap === undefined
      ? []
      : recap.kind === 'waiting'
        ? [`effort ${id}, skill ${recap.skill}`, `holdfast session continue ${id}`]
        : [
            `skill ${recap.skill} as effort ${id}`,
            recap.next === undefined
              ? 'Nothing is left to begin'
              : join(folder, pathOf(recap.skill, recap.next)),
          ]
  const missing = wanted.filter((part) => !text.includes(part))
  const isRight = recap?.kind === 'work' || !text.includes('Holdfast tracks')
  return missing.length === 0 && isRight
    ? []
    : [`${JSON.stringify(deed)} must tell ${wanted.join(' and ') || 'of no work'}, and tells: ${text}`]
}

const ledgerOf = (told: readonly Told[]): readonly string[] => told.flatMap(({ outcome }) => outcome.ledger)

function firstDifference(
  what: string,
  expected: readonly string[],
  seen: readonly string[],
): readonly string[] {
  const at = expected.findIndex((entry, index) => entry !== seen[index])
  const index = at < 0 && seen.length > expected.length ? expected.length : at
  if (index < 0) return []
  const before = expected.slice(Math.max(0, index - 5), index).join(' · ')
  const shown = (list: readonly string[]) => list.slice(index, index + 4).join(' · ') || 'nothing'
  return [`${what}: after ${before} comes ${shown(expected)}, not ${shown(seen)}`]
}

type Row = Readonly<Record<string, string>>

const rowsOf = async (world: World, sql: string): Promise<readonly Row[]> =>
  (await world.opened.look(sql)) as readonly Row[]

async function effortIds(world: World): Promise<ReadonlyMap<string, number>> {
  const rows = await rowsOf(world, 'select id, task_id, ordinal from efforts')
  return new Map(rows.map(({ id, task_id, ordinal }) => [`${task_id} ${ordinal}`, Number(id)]))
}

/** What the oracle speaks of, and that a rule has failed; files and skills have tests of their own. */
const COMPARED = new Set('project task session effort span step tool context rule'.split(' '))

async function ledgerIn(world: World, folder: string): Promise<readonly string[]> {
  const rows = await rowsOf(
    world,
    `select l.*, e.ordinal as ordinal, s.native_id as native from life_event l
     left join efforts e on e.id = l.effort_id
     left join sessions s on cast(s.id as text) = l.session_id
     left join projects p on p.id = l.project_id
     where coalesce(e.task_id, s.task_id, p.path) = '${folder}' order by l.seq`,
  )
  return rows.flatMap((row) => entryOf(row) ?? [])
}

function entryOf({ event_type: type = '', payload: text = '', ...row }: Row): string | undefined {
  const { skill, phase, ordinal, native } = row
  const payload = JSON.parse(text === '' ? '{}' : text) as Row & { out_of_order?: boolean }
  const [kind = ''] = type.split('.')
  if (!COMPARED.has(kind)) return undefined
  if (kind === 'span') return `${type} ${skill}`
  if (kind === 'step') {
    const step = phase?.replace(/^steps\/(.*)\.md$/, '$1')
    return `${type} ${skill} ${step} #${ordinal}${payload.out_of_order === true ? ' out of order' : ''}`
  }
  if (kind === 'effort') return `${type} #${ordinal}`
  const about: Readonly<Record<string, string | undefined>> = {
    'session.started': native,
    'session.ended': `${native} ${payload['reason']}`,
    'session.switched': `${native} #${ordinal}`,
    'tool.refused': payload['rule'],
    'tool.unknown': payload['id'],
    'context.warned': payload['mark'],
  }
  return `${type} ${about[type] ?? ''}`.trim()
}

async function stateFaults(world: World, folder: string, expected: Expected): Promise<readonly string[]> {
  const sessions = await Promise.all(
    Object.entries(expected.spans).map(async ([name, spans]) =>
      firstDifference(`spans of ${name}`, spans, await spansIn(world, name)),
    ),
  )
  const said = await Promise.all(
    Object.entries(expected.messages).map(async ([name, messages]) =>
      firstDifference(`messages of ${name}`, messages, await messagesIn(world, name)),
    ),
  )
  return [
    ...sessions.flat(),
    ...said.flat(),
    ...firstDifference(`visits in ${folder}`, expected.efforts, await effortsIn(world, folder)),
  ]
}

async function spansIn(world: World, session: string): Promise<readonly string[]> {
  const rows = await rowsOf(
    world,
    `select s.*, e.ordinal as ordinal from skill_span s left join efforts e on e.id = s.effort_id
     where s.session_id = '${session}' order by s.span_id`,
  )
  const ids = rows.map(({ span_id }) => span_id)
  return rows.map(({ skill, status, ordinal, parent_span_id: parent, steps }) => {
    const names = (JSON.parse(steps ?? '[]') as string[]).map((step) =>
      step.replace(/^steps\/(.*)\.md$/, '$1'),
    )
    return `${skill} ${status} #${ordinal ?? '-'} in ${parent === null ? '-' : ids.indexOf(parent)}: ${names.join(' ')}`
  })
}

/** A call by its id and how it ended, everything else word by word. */
async function messagesIn(world: World, session: string): Promise<readonly string[]> {
  const windows = await rowsOf(world, `select id from sessions where native_id = '${session}' order by id`)
  const rows = await rowsOf(
    world,
    `select m.* from messages m join sessions s on s.id = m.session_id
     where s.native_id = '${session}' order by m.timestamp, m.id`,
  )
  return rows.map(({ session_id, role, content = '', native_id }) => {
    const number = windows.findIndex(({ id }) => id === session_id)
    const ended = content.endsWith(' → failed: It failed.') ? 'failed' : 'ended'
    return `${number}: ${role} ${role === 'tool' ? `${native_id} ${ended}` : content}`
  })
}

async function effortsIn(world: World, folder: string): Promise<readonly string[]> {
  const efforts = await rowsOf(
    world,
    `select * from efforts where task_id = '${folder}' and ordinal > 0 order by ordinal`,
  )
  const visits = await rowsOf(
    world,
    `select v.* from step_visits v join efforts e on e.id = v.effort_id where e.task_id = '${folder}' order by v.id`,
  )
  return efforts.map(({ id, ordinal, skill, lifecycle }) => {
    const steps = visits
      .filter(({ effort_id }) => effort_id === id)
      .map(({ step, outcome }) => {
        const name = (step ?? '').replace(/^steps\/(.*)\.md$/, '$1')
        return outcome === null ? name : `${name} ${outcome}`
      })
    return `#${ordinal} ${skill} ${lifecycle}: ${steps.join(', ')}`
  })
}
