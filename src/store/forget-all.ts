import { blankAnswers, type Erasing, type Forgotten, has, NOTHING, plus, tablesIn } from './forget.ts'
import {
  countProjects,
  forgetProjects,
  forgetSession,
  projectsAt,
  sessionsOfProjects,
  type SessionTarget,
} from './forget-session.ts'
import { forgetText, formsOf, tablesWithText, windowsIn } from './forget-text.ts'
import { type ForgottenMark, SALT_SETTING, settingOf } from './forgotten.ts'
import type { Tx } from './query.ts'

/** What is forgotten, in a form that is the same for the database and for its backups. */
export interface Targets {
  readonly sessions: readonly SessionTarget[]
  /** The folders of projects. */
  readonly folders: readonly string[]
  readonly text?: string | undefined
  /** The salt of the digests. */
  readonly salt: string
  /** What keeps an import from bringing it back. */
  readonly marks: readonly ForgottenMark[]
}

/** Runs one short transaction. */
export type Transact = <T>(run: (tx: Tx) => Promise<T>) => Promise<T>

interface How {
  readonly targets: Targets
  /** Only counts: every transaction is rolled back. */
  readonly dryRun?: boolean
  readonly stopping?: AbortSignal | undefined
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** Deletes the targets from a database of any version, in short transactions; may be repeated after a crash. */
export async function forgetIn(transact: Transact, how: How): Promise<Forgotten> {
  const { targets, dryRun = false, stopping, onProgress } = how
  const tables = await transact(tablesIn)
  const run = (work: (it: Erasing) => Promise<Forgotten>): Promise<Forgotten> => {
    stopping?.throwIfAborted()
    return dryRun ? counted(transact, tables, work) : transact((tx) => work({ tx, tables }))
  }
  if (!dryRun) await transact((tx) => keepMarks({ tx, tables }, targets))
  const projects = await transact((tx) => projectsAt({ tx, tables }, targets.folders))
  const all = await transact((tx) => sessionsOfProjects({ tx, tables }, projects))
  const parts = targets.text === undefined ? [] : await transact((tx) => partsOf({ tx, tables }))
  const total = targets.sessions.length + all.length + parts.length + 1
  let done = 0
  let result = NOTHING
  const add = (more: Forgotten) => {
    result = plus(result, more)
    onProgress?.(++done / total)
  }
  for (const target of targets.sessions) add(await run((it) => forgetSession(it, target)))
  if (projects.length > 0) add(await transact((tx) => countProjects({ tx, tables }, projects)))
  if (projects.length > 0 && !dryRun) {
    // Counted already, because a project is told as a whole.
    for (const target of all) await run((it) => forgetSession(it, target)).then(() => add(NOTHING))
    await run((it) => forgetProjects(it, projects))
  }
  const wanted = formsOf(targets.text ?? '')
  for (const part of parts) add(await run((it) => forgetText(it, part, wanted)))
  if (!dryRun) await transact((tx) => blankAnswers({ tx, tables }))
  return result
}

async function partsOf(it: Erasing): Promise<readonly { table: string; from: number; to: number }[]> {
  const parts = []
  for (const table of tablesWithText(it))
    for (const [from, to] of await windowsIn(it, table)) parts.push({ table, from, to })
  return parts
}

async function keepMarks(it: Erasing, { salt, marks }: Targets): Promise<void> {
  if (!has(it, 'settings', 'name')) return
  const [name, value] = it.tx.kind === 'sqlite' ? ['?', '?'] : ['$1', '$2']
  const insert = `insert into settings (name, value) values (${name}, ${value}) on conflict (name)`
  await it.tx.execute({ sql: `${insert} do nothing`, parameters: [SALT_SETTING, salt] })
  for (const mark of marks) {
    const row = settingOf(mark)
    const sql = `${insert} do update set value = excluded.value`
    await it.tx.execute({ sql, parameters: [row.name, row.value] })
  }
}

/** Carries the count out of a transaction that is rolled back. */
class Counted extends Error {
  readonly result: Forgotten

  constructor(result: Forgotten) {
    super('Only counted.')
    this.result = result
  }
}

async function counted(
  transact: Transact,
  tables: Erasing['tables'],
  work: (it: Erasing) => Promise<Forgotten>,
): Promise<Forgotten> {
  try {
    return await transact(async (tx) => {
      throw new Counted(await work({ tx, tables }))
    })
  } catch (error) {
    if (error instanceof Counted) return error.result
    throw error
  }
}
