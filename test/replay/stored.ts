import type { World } from '../../src/engine/world.contract.ts'
import { EFFORT, PLACE } from './payload.ts'

/** A row as seen by a reader without the engine. */
type Row = Readonly<Record<string, string>>

export const rowsOf = async (world: World, sql: string): Promise<readonly Row[]> =>
  (await world.opened.look(sql)) as readonly Row[]

/** Steps that are ordered by their numbers are known by their paths. */
const fileOf = (step = ''): string => step.replace(/^steps\/(.*)\.md$/, '$1')

/** PostgreSQL itself knows which values are JSON. */
const jsonIn = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)

/** The efforts of all projects, each by the folder of its project and its number there. */
export async function effortIds(world: World): Promise<ReadonlyMap<string, number>> {
  const efforts = await rowsOf(
    world,
    `select e.id, p.path from efforts e join tasks t on t.dir_path = e.task_id
     join projects p on p.id = t.project_id where e.ordinal > 0 order by e.id`,
  )
  const byProject = Map.groupBy(efforts, ({ path }) => path)
  return new Map(
    [...byProject].flatMap(([path, rows]) =>
      rows.map(({ id }, index) => [`${path} ${index + 1}`, Number(id)] as const),
    ),
  )
}

/** The number of each effort in its project, by its id. */
export const numbersOf = (ids: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
  new Map([...ids].map(([name, id]) => [id, name.slice(name.lastIndexOf(' ') + 1)]))

/** The entries that the oracle predicts, and failures of rules; files and skills have their own tests. */
const COMPARED = new Set(
  'project task session effort span step phase plan approval todo delegation tool context rule'.split(' '),
)

type Numbers = ReadonlyMap<number, string>

export async function ledgerIn(world: World, folder: string, numbers: Numbers): Promise<readonly string[]> {
  const rows = await rowsOf(
    world,
    `select l.*, s.native_id as native from life_event l
     left join efforts e on e.id = l.effort_id
     left join sessions s on s.id = l.window_id
     left join projects p on p.id = l.project_id
     where coalesce(e.task_id, s.task_id, p.path) = '${folder}'
     or coalesce(e.task_id, s.task_id, p.path) like '${folder}/%' order by l.seq`,
  )
  return rows.flatMap(
    (row) => entryOf({ ...row, ordinal: numbers.get(Number(row['effort_id'])) ?? '' }) ?? [],
  )
}

function entryOf({ event_type: type = '', payload: text = '', ...row }: Row): string | undefined {
  const { skill, phase, ordinal, native } = row
  const payload = (text === '' ? {} : jsonIn(text)) as Row & { out_of_order?: boolean; of?: number }
  if (type === 'skill.forked') return `${type} ${skill}`
  const [kind = ''] = type.split('.')
  if (!COMPARED.has(kind)) return undefined
  if (kind === 'span') return `${type} ${skill}`
  if (kind === 'step') {
    const order = payload.out_of_order === true ? ' out of order' : ''
    const part = payload.of === undefined ? '' : ` ${payload['lines']}/${payload.of}`
    const outcome = payload['outcome'] === undefined ? '' : ` ${payload['outcome']}`
    return `${type} ${skill} ${fileOf(phase)} #${ordinal}${order}${part}${outcome}`
  }
  if (kind === 'phase') return `${type} ${skill} ${phase} #${ordinal}`
  if (kind === 'todo') return `${type} ${payload['item']} #${ordinal}`
  if (kind === 'approval') return `${type} ${payload['kind']} ${fileOf(phase)} #${ordinal}`
  if (type === 'effort.finished') return `${type} #${ordinal} ${payload['outcome']}`
  if (kind === 'delegation') return `${type} ${skill} ${payload['outcome']} #${ordinal}`
  if (kind === 'effort' || kind === 'plan') return `${type} #${ordinal}`
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

export async function spansIn(world: World, session: string, numbers: Numbers): Promise<readonly string[]> {
  const rows = await rowsOf(
    world,
    `select * from skill_span where session_id = '${session}' order by span_id`,
  )
  const ids = rows.map(({ span_id }) => span_id)
  return rows.map(({ skill, status, effort_id, parent_span_id: parent, steps }) => {
    const names = (jsonIn(steps) as string[]).map((step) => fileOf(step))
    return `${skill} ${status} #${numbers.get(Number(effort_id)) ?? '-'} in ${parent === null ? '-' : ids.indexOf(parent)}: ${names.join(' ')}`
  })
}

export async function messagesIn(world: World, session: string, folder: string): Promise<readonly string[]> {
  const windows = await rowsOf(world, `select id from sessions where native_id = '${session}' order by id`)
  const rows = await rowsOf(
    world,
    `select m.* from messages m join sessions s on s.id = m.session_id
     where s.native_id = '${session}' order by m.session_id, m.timestamp, m.id`,
  )
  return rows.map(({ session_id, timestamp, role, tool_name: tool, native_id: id, content = '' }) => {
    const window = windows.findIndex((one) => one['id'] === session_id)
    const who = role === 'tool' ? `tool ${tool} ${id}` : role
    // The reason of a refusal is in its answer.
    const said = content
      .replaceAll(folder, PLACE)
      .replace(/ (--effort|effort phase) \w+/, ` $1 ${EFFORT}`)
      .replace(/ → refused: [^]*$/, ' → refused')
    return `${window} ${timestamp} ${who}: ${said}`
  })
}

export async function effortsIn(world: World, folder: string, numbers: Numbers): Promise<readonly string[]> {
  const efforts = await rowsOf(
    world,
    `select * from efforts where task_id like '${folder}/%' and ordinal > 0 order by id`,
  )
  const visits = await rowsOf(
    world,
    `select v.* from step_visits v join efforts e on e.id = v.effort_id where e.task_id like '${folder}/%' order by v.id`,
  )
  return efforts.map(({ id = '', skill, request, lifecycle, current_phase: phase }) => {
    const steps = visits
      .filter(({ effort_id }) => effort_id === id)
      .map(
        ({ step, attempts, outcome }) =>
          `${fileOf(step)} ×${attempts}${outcome === null ? '' : ` ${outcome}`}`,
      )
    return `#${numbers.get(Number(id))} ${skill} "${request}" ${lifecycle} ${phase ?? '-'}: ${steps.join(', ')}`
  })
}
