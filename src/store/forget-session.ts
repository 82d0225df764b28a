import {
  detach,
  type Erasing,
  forAll,
  type Forgotten,
  has,
  NOTHING,
  remove,
  withOpenLedger,
} from './forget.ts'

/** One session: by the client's id, or by ours if no client knows it. */
export type SessionTarget = { readonly native: string } | { readonly window: number }

const MOVES = `event_type in ('session.started', 'session.switched')`

/** Deletes a session with its sub-agents, what it alone worked on, and all that it said. */
export async function forgetSession(it: Erasing, target: SessionTarget): Promise<Forgotten> {
  const found = await windowsOf(it, target)
  const windows = found.map(({ id }) => id)
  const natives = [
    ...new Set([
      ...('native' in target ? [target.native] : []),
      ...found.flatMap(({ native_id: id }) => id ?? []),
    ]),
  ]
  const served = await effortsOf(it, windows)
  const efforts: number[] = []
  for (const effort of served) if (!(await isServedByOthers(it, effort, windows))) efforts.push(effort)
  const tasks = await tasksOf(it, efforts)
  const pieces = await spokenPieces(it, natives)
  const messages = await remove(it, 'messages', 'session_id', windows)
  const others = await traces(it, { windows, natives, efforts })
  await firstWords(
    it,
    windows,
    served.filter((effort) => !efforts.includes(effort)),
  )
  const sessions = natives.length > 0 || windows.length > 0 ? await remove(it, 'sessions', 'id', windows) : 0
  const gone = await forgetEfforts(it, efforts)
  const folders = await forgetTasks(it, tasks)
  const entries = await blankEntries(it, { windows, natives, efforts, tasks: folders })
  return {
    ...NOTHING,
    sessions: sessions > 0 ? 1 : 0,
    messages,
    efforts: gone,
    tasks: folders.length,
    pieces,
    entries,
    others,
  }
}

/** The pieces of what was said; documents stay where their files are. */
const spokenPieces = async (it: Erasing, natives: readonly string[]): Promise<number> =>
  has(it, 'embeddings', 'source_path')
    ? (
        await forAll(
          it,
          `delete from embeddings where source_type = 'message' and source_path in ($) returning 1 as gone`,
          natives,
        )
      ).length
    : 0

function windowsOf(it: Erasing, target: SessionTarget) {
  const columns = has(it, 'sessions', 'native_id') ? 'id, native_id' : 'id, null as native_id'
  if ('window' in target)
    return forAll<Window>(it, `select ${columns} from sessions where id in ($)`, [target.window])
  if (!has(it, 'sessions', 'native_id')) return Promise.resolve([])
  const scopes = has(it, 'sessions', 'scope_of') ? ' or scope_of in ($)' : ''
  return forAll<Window>(it, `select ${columns} from sessions where native_id in ($)${scopes}`, [
    target.native,
  ])
}

interface Window {
  readonly id: number
  readonly native_id: string | null
}

const ids = async (rows: Promise<readonly { id: number | null }[]>): Promise<readonly number[]> => [
  ...new Set((await rows).flatMap(({ id }) => id ?? [])),
]

const inLedger = (it: Erasing): boolean => has(it, 'life_event', 'window_id', 'effort_id')

/** The efforts of skills that these windows serve or served. */
async function effortsOf(it: Erasing, windows: readonly number[]): Promise<readonly number[]> {
  const now = await ids(forAll(it, 'select effort_id as id from sessions where id in ($)', windows))
  const before = inLedger(it)
    ? await ids(
        forAll(it, `select effort_id as id from life_event where window_id in ($) and ${MOVES}`, windows),
      )
    : []
  const all = [...new Set([...now, ...before])]
  return await ids(forAll(it, 'select id from efforts where id in ($) and ordinal > 0', all))
}

async function isServedByOthers(it: Erasing, effort: number, windows: readonly number[]): Promise<boolean> {
  const own = new Set(windows)
  const now = await ids(forAll(it, 'select id from sessions where effort_id in ($)', [effort]))
  const before = inLedger(it)
    ? await ids(
        forAll(
          it,
          `select window_id as id from life_event where effort_id in ($) and ${MOVES}
            and exists (select 1 from sessions where id = life_event.window_id)`,
          [effort],
        ),
      )
    : []
  return [...now, ...before].some((window) => !own.has(window))
}

const tasksOf = async (it: Erasing, efforts: readonly number[]): Promise<readonly string[]> =>
  (
    await forAll<{ id: string }>(it, 'select distinct task_id as id from efforts where id in ($)', efforts)
  ).map(({ id }) => id)

interface Traced {
  readonly windows: readonly number[]
  readonly natives: readonly string[]
  readonly efforts: readonly number[]
}

/** Everything beside the messages that knows of these windows; what others need only loses the link. */
async function traces(it: Erasing, { windows, natives, efforts }: Traced): Promise<number> {
  const spans = has(it, 'skill_span', 'session_id')
    ? await forAll<{ id: string }>(
        it,
        'select span_id as id from skill_span where session_id in ($)',
        natives,
      )
    : []
  await detach(
    it,
    'skill_span',
    { set: 'parent_span_id', where: 'parent_span_id' },
    spans.map(({ id }) => id),
  )
  await detach(it, 'sessions', { set: 'prev_session_id', where: 'prev_session_id' }, windows)
  await detach(it, 'efforts', { set: 'last_session_id', where: 'last_session_id' }, windows)
  let count = 0
  for (const [table, column, values] of [
    ['skill_runs', 'span_id', spans.map(({ id }) => id)],
    ['skill_runs', 'effort_id', efforts],
    ['skill_span', 'session_id', natives],
    ['delegations', 'session_id', natives],
    ['environments', 'session_id', natives],
    ['continuations', 'session_id', natives],
    ['dehydrations', 'session_id', windows],
    ['dehydrations', 'native_id', natives],
    ['effort_files', 'session_id', windows],
    ['effort_files', 'effort_id', efforts],
  ] as const)
    count += await remove(it, table, column, values)
  return count
}

/** An effort that others go on with loses the words that one of these windows began it with. */
async function firstWords(
  it: Erasing,
  windows: readonly number[],
  efforts: readonly number[],
): Promise<void> {
  if (!inLedger(it) || !has(it, 'efforts', 'request')) return
  const own = new Set(windows)
  for (const effort of efforts) {
    const [first] = await forAll<{ id: number | null }>(
      it,
      `select window_id as id from life_event where effort_id in ($) and ${MOVES} order by seq limit 1`,
      [effort],
    )
    if (typeof first?.id === 'number' && own.has(first.id))
      await forAll(it, 'update efforts set request = null, metadata = null where id in ($)', [effort])
  }
}

/** The database takes what belongs to them along. */
const forgetEfforts = (it: Erasing, efforts: readonly number[]): Promise<number> =>
  remove(it, 'efforts', 'id', efforts)

/** Deletes tasks that nobody works on any more; their folders are files of the user. Returns those that are gone. */
async function forgetTasks(it: Erasing, tasks: readonly string[]): Promise<readonly string[]> {
  const roots = has(it, 'workplaces', 'path')
    ? 'and not exists (select 1 from workplaces where path = tasks.dir_path)'
    : ''
  const idle = await forAll<{ id: string }>(
    it,
    `select dir_path as id from tasks where dir_path in ($)
      and not exists (select 1 from efforts where task_id = tasks.dir_path and ordinal > 0)
      and not exists (select 1 from sessions where task_id = tasks.dir_path) ${roots}`,
    tasks,
  )
  const folders = idle.map(({ id }) => id)
  await remove(it, 'efforts', 'task_id', folders)
  await remove(it, 'tasks', 'dir_path', folders)
  return folders
}

/** Takes the content out of the entries of what is forgotten; that something happened stays. */
async function blankEntries(
  it: Erasing,
  { windows, natives, efforts, tasks }: Traced & { readonly tasks: readonly string[] },
): Promise<number> {
  const blank = (where: string) =>
    `update life_event set payload = '', session_id = '' where (payload <> '' or session_id <> '') and ${where} returning 1 as gone`
  return await withOpenLedger(it, async () => {
    let count = 0
    const of = async (column: string, values: readonly (string | number)[]) => {
      if (has(it, 'life_event', column)) count += (await forAll(it, blank(`${column} in ($)`), values)).length
    }
    await of('window_id', windows)
    await of('session_id', natives)
    await of('effort_id', efforts)
    // Entries about a task name its folder, in which words of the request stand.
    for (const task of tasks) await of('payload', [JSON.stringify({ dir_path: task })])
    return count
  })
}

/** The sessions of projects, whichever version wrote them. */
export async function sessionsOfProjects(
  it: Erasing,
  projects: readonly number[],
): Promise<readonly SessionTarget[]> {
  const native = has(it, 'sessions', 'native_id') ? 'native_id' : 'null'
  const scope = has(it, 'sessions', 'scope_of') ? 'and scope_of is null' : ''
  const rows = await forAll<Window>(
    it,
    `select max(id) as id, max(${native}) as native_id from sessions where task_id in
      (select dir_path from tasks where project_id in ($)) ${scope}
      group by coalesce(${native}, cast(id as text))`,
    projects,
  )
  return rows.map(({ id, native_id }) => (native_id === null ? { window: id } : { native: native_id }))
}

/** The ids of projects by their folders. */
export const projectsAt = async (it: Erasing, folders: readonly string[]): Promise<readonly number[]> =>
  await ids(
    forAll(
      it,
      has(it, 'projects', 'main_id')
        ? 'select coalesce(main_id, id) as id from projects where path in ($)'
        : 'select id from projects where path in ($)',
      folders,
    ),
  )

/** How much the database knows of projects. */
export async function countProjects(it: Erasing, projects: readonly number[]): Promise<Forgotten> {
  const count = async (from: string, ...needs: readonly string[]): Promise<number> => {
    const [table = '', ...columns] = needs
    if (!has(it, table, ...columns)) return 0
    const rows = await forAll<{ count: number }>(it, `select count(*) as count from ${from}`, projects)
    return rows.reduce((sum, row) => sum + row.count, 0)
  }
  const tasks = 'select dir_path from tasks where project_id in ($)'
  const sessions = `select id from sessions where task_id in (${tasks})`
  return {
    sessions: (await sessionsOfProjects(it, projects)).length,
    messages: await count(`messages where session_id in (${sessions})`, 'messages'),
    efforts: await count(`efforts where ordinal > 0 and task_id in (${tasks})`, 'efforts'),
    tasks: await count(`tasks where project_id in ($)`, 'tasks'),
    pieces: await count('embeddings where project_id in ($)', 'embeddings', 'project_id'),
    entries: await count(`life_event where payload <> '' and project_id in ($)`, 'life_event', 'project_id'),
    others: await count('queue where project_id in ($)', 'queue'),
  }
}

/** Deletes what belongs to projects beside their sessions; the projects with their settings and skills stay. */
export async function forgetProjects(it: Erasing, projects: readonly number[]): Promise<Forgotten> {
  const tasks = (
    await forAll<{ id: string }>(it, 'select dir_path as id from tasks where project_id in ($)', projects)
  ).map(({ id }) => id)
  const efforts = await ids(forAll(it, 'select id from efforts where task_id in ($)', tasks))
  // A session may have begun meanwhile.
  const windows = await ids(forAll(it, 'select id from sessions where task_id in ($)', tasks))
  await traces(it, { windows, natives: [], efforts })
  for (const table of ['embeddings', 'queue', 'continuations', 'skill_runs', 'workers'])
    await remove(it, table, 'project_id', projects)
  await remove(it, 'sessions', 'id', windows)
  await remove(it, 'efforts', 'id', efforts)
  await remove(it, 'tasks', 'dir_path', tasks)
  if (has(it, 'life_event', 'project_id'))
    await withOpenLedger(it, () =>
      forAll(
        it,
        `update life_event set payload = '', session_id = ''
          where (payload <> '' or session_id <> '') and project_id in ($)`,
        projects,
      ),
    )
  return NOTHING
}
