import * as z from 'zod'
import { AD_HOC_ORDINAL, artifactPath, type Effort } from '../../model/effort.ts'
import { adHocEffort, agentNotFound, effortNotFound, taskNotFound } from '../../model/error.ts'
import { logEntry } from '../../model/text/log-entry.ts'
import { findAgent } from '../../store/agent.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { findTask } from '../../store/task.ts'
import type { Tx } from '../../store/query.ts'
import { appendOnce, recallAppend } from '../call/append-once.ts'
import { canonical } from '../call/paths.ts'
import { confine, type Place } from '../call/confine.ts'
import { digestOf } from '../call/digest.ts'
import { inTurn } from '../call/turn.ts'
import type { Context } from '../call/context.ts'
import { oneEffort } from '../effort/find-work.ts'
import { directMethod, KEY } from '../call/method.ts'
import * as p from '../call/params.ts'
import { resetHeartbeats } from '../session/session-window.ts'

const APPEND = 'commands.log.append'

const params = z.strictObject({
  text: z
    .string()
    .max(262_144)
    .refine((text) => /\S/.test(text.replace(/^[#\s]+/, '')), 'must say something')
    .describe('The entry; its first line becomes the heading, with the time.'),
  effort_id: p.id.optional().describe('The effort whose log it is; else the one that is active.'),
  dir: p.taskId.optional(),
  cwd: p.path.optional().describe('Where the caller works, to find the effort by.'),
  agent_id: p.name.optional().describe('The agent that works on the effort.'),
  native_id: p.name.optional().describe("The client's own id of the session that works on the effort."),
  idempotency_key: KEY,
})

type Params = z.output<typeof params>

export const append = directMethod({
  name: APPEND,
  summary: 'Add an entry with its time to the log of an effort; its sessions have given a sign of life.',
  effect: 'effect',
  params,
  async call(context, { idempotency_key: key, ...given }) {
    const keyed = { method: APPEND, key, digest: digestOf(given) }
    const known = await recallAppend<{ effort_id: number }>(context, keyed)
    if (known?.result !== undefined) return known.result
    // A repetition is for the effort of the first call, whatever is active by now.
    const effort = await effortOf(context, {
      ...given,
      effort_id: known?.meant?.effort_id ?? given.effort_id,
    })
    const place = await confine(context, artifactPath(effort, 'LOG'))
    return await inTurn(`file ${place.path}`, () =>
      write(context, { ...keyed, place, effort, text: given.text }),
    )
  },
})

async function effortOf(context: Context, given: Omit<Params, 'idempotency_key' | 'text'>): Promise<Effort> {
  const { effort_id: id, dir, cwd, agent_id, native_id } = given
  const task_id = dir === undefined ? undefined : await canonical(context, 'dir', dir)
  const folder = cwd === undefined ? undefined : await canonical(context, 'cwd', cwd)
  return await context.store.transact(
    async (tx) => {
      if (agent_id !== undefined && (await findAgent(tx, { id: agent_id })) === undefined)
        throw agentNotFound(agent_id)
      return id === undefined
        ? await oneEffort(tx, { task_id: await knownTask(tx, task_id), folder, agent_id, native_id })
        : await effortWith(tx, id)
    },
    { reads: true },
  )
}

async function knownTask(tx: Tx, path: string | undefined): Promise<string | undefined> {
  if (path !== undefined && (await findTask(tx, { dir_path: path })) === undefined) throw taskNotFound(path)
  return path
}

async function effortWith(tx: Tx, id: number): Promise<Effort> {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  if (row.ordinal === AD_HOC_ORDINAL) throw adHocEffort(id, 'logged to', row.task_id)
  return toEffort(row)
}

interface Entry {
  readonly method: string
  readonly key: string | undefined
  readonly digest: string
  readonly place: Place
  readonly effort: Effort
  readonly text: string
}

/** The folder of a task need not be there yet; where the entry cannot be written, it is not there afterwards either. */
async function write(context: Context, { effort, text, ...keyed }: Entry) {
  const { place } = keyed
  const made = await context.files.makeFolders({ path: effort.task_id, root: place.root })
  return await appendOnce(context, {
    ...keyed,
    meant: { effort_id: effort.id },
    content: (now) => logEntry(text, now),
    about: { effort_id: effort.id, skill: effort.skill, phase: effort.current_phase ?? '' },
    answer: (written, now) => ({ effort_id: effort.id, ...written, at: now }),
    done: (tx, call) => resetHeartbeats(tx, effort.id, call),
  }).catch(async (error: unknown) => {
    await context.files.removeFolders(made)
    throw error
  })
}
