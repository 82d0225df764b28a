import type { Client } from '../model/client.ts'
import type { HookEvent } from '../model/event.ts'
import { type Invocation, invocationsOf } from '../model/invocation.ts'
import { readsOf } from '../model/shell-reads.ts'
import { artifactsAround } from '../store/artifact.ts'
import type { Tx } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import { type Arrival, freshSkills, workplaceOf } from './arrival.ts'
import { clientNamed, told } from './client-payload.ts'
import type { Context } from './context.ts'
import type { Subject } from './facts.ts'
import { directivesTouched } from './directives-touched.ts'
import { method, type TransactionMethod } from './method.ts'
import { observe } from './observe.ts'
import { coversIn, type Digests, digestsOf } from './recorded.ts'
import { transcriptOf } from './transcript-tail.ts'
import { seenRuns } from './seen-run.ts'

interface Prepared {
  readonly client: Client
  readonly subject: Subject
  readonly place: Arrival | undefined
}

/** Answers a hook; `event` is the client's name of it where the method says which one it is. */
const hook = (name: string, summary: string, event?: string): TransactionMethod =>
  method({
    name,
    summary,
    effect: 'durable',
    params: told,
    prepare: (context, given) => prepare(context, given.client, named(given.payload, event)),
    async run(tx, _, call) {
      const { client, subject, place } = call.prepared
      const decision = await observe(tx, subject, place, call)
      if (place !== undefined) remember(tx, call.context.store, subject.event)
      const reply = client.encode(decision, subject.event)
      return { decision: decision.kind, ...(reply !== undefined && { reply }) }
    },
  })

export const handle = hook('hooks.handle', 'Answer one hook of one agent client; the payload says which.')
export const sessionStart = hook('hooks.sessionStart', 'A context window begins.', 'SessionStart')
export const sessionEnd = hook('hooks.sessionEnd', 'A client session ends.', 'SessionEnd')
export const userPrompt = hook('hooks.userPrompt', 'The user has submitted a prompt.', 'UserPromptSubmit')
export const preToolUse = hook('hooks.preToolUse', 'A tool is about to be used.', 'PreToolUse')
export const postToolUse = hook('hooks.postToolUse', 'A tool was used.', 'PostToolUse')
export const postToolUseFailure = hook('hooks.postToolUseFailure', 'A tool has failed.', 'PostToolUseFailure')
export const stop = hook('hooks.stop', 'The agent wants to end its turn.', 'Stop')
export const subagentStart = hook('hooks.subagentStart', 'A sub-agent begins.', 'SubagentStart')
export const subagentStop = hook('hooks.subagentStop', 'A sub-agent wants to end.', 'SubagentStop')
export const preCompact = hook('hooks.preCompact', 'The context is about to be compacted.', 'PreCompact')
export const permissionRequest = hook(
  'hooks.permissionRequest',
  'The client asks for a permission.',
  'PermissionRequest',
)
export const notification = hook('hooks.notification', 'The client notifies its user.', 'Notification')
export const taskCompleted = hook('hooks.taskCompleted', 'An item of the todo list is done.', 'TaskCompleted')
export const teammateIdle = hook('hooks.teammateIdle', 'A teammate has nothing to do.', 'TeammateIdle')
export const configChange = hook('hooks.configChange', 'Settings of the client have changed.', 'ConfigChange')

const named = (payload: unknown, event: string | undefined): unknown =>
  event === undefined || typeof payload !== 'object' || payload === null
    ? payload
    : { ...payload, hook_event_name: event }

async function prepare(context: Context, name: string, payload: unknown): Promise<Prepared> {
  const client = clientNamed(context, name)
  const event = client.decode(payload)
  const invocations = invocationsIn(event)
  const isCall = invocations.length > 0 || event.kind === 'session.started'
  const place = isCall || !isKnown(context.store, event) ? await workplaceOf(context, event.cwd) : undefined
  // A sub-agent's calls are its own affair, and nobody answers where there is no session.
  const isOurs = event.session !== undefined && event.subagent === undefined
  const skills = isCall && isOurs && place !== undefined ? await freshSkills(context, place) : undefined
  const reads = await readsIn(context, event)
  const seen = await seenRuns(context, event)
  // Who was not heard before, or is back, is told where its work stands.
  const asksForRecords = isOurs && (place !== undefined || isCall || reads.length + seen.length > 0)
  const digests = asksForRecords ? await digestsAround(context, event) : new Map<string, string>()
  const transcript = await transcriptOf(context, client, event)
  const directives = await directivesTouched(context, client, { event, reads })
  const subject = { event, invocations, reads, digests, seen, directives, transcript }
  return { client, subject, place: place === undefined ? undefined : { ...place, skills } }
}

function invocationsIn(event: HookEvent): readonly Invocation[] {
  switch (event.kind) {
    case 'prompt.submitted':
      return event.by === 'user' ? invocationsOf(event.text) : []
    case 'prompt.expanded':
      return invocationsOf(`/${event.command} ${event.args}`)
    case 'tool.before':
      return event.tool.does.kind === 'skill'
        ? invocationsOf(`/${event.tool.does.name} ${event.tool.does.args}`).slice(0, 1)
        : []
    default:
      return []
  }
}

/** What the files are now that somebody in the project has recorded something of. */
async function digestsAround(context: Context, { session }: HookEvent): Promise<Digests> {
  if (session === undefined) return new Map()
  const rows = await context.store.transact((tx) => artifactsAround(tx, { native_id: session }), {
    reads: true,
  })
  return await digestsOf(context, coversIn(rows))
}

const MOST_READS = 50
/** Only Markdown can be a step; a pattern or a folder of steps may stand for some. */
const MAY_BE_STEP = /(\.md|\/steps[^/]*|\/[^/]*[*?[][^/]*)\/?$/i

/** The files that a tool call reads, where they really lie. */
async function readsIn(context: Context, event: HookEvent): Promise<readonly string[]> {
  if (event.kind !== 'tool.before' && event.kind !== 'tool.after') return []
  const { does } = event.tool
  const paths =
    does.kind === 'files'
      ? does.touches.filter(({ how }) => how === 'read').map(({ path }) => path)
      : does.kind === 'command'
        ? readsOf(does.command, event.cwd, context.user.home)
        : []
  const wanted = paths.filter((path) => MAY_BE_STEP.test(path)).slice(0, MOST_READS)
  const real = await Promise.all(wanted.map((path) => realPaths(context, path)))
  return [...new Set(real.flat())]
}

/** A skill's folder, its folder of steps and a step may each be a link; of a pattern only the folder can be resolved. */
function realPaths({ files }: Context, path: string): Promise<readonly string[]> {
  const parts = path.split('/')
  const isPattern = /[*?[]/.test(parts.at(-1) ?? '')
  const resolved = (isPattern ? [1, 2] : [0, 1, 2]).map(async (up) => {
    const folder = parts.slice(0, Math.max(1, parts.length - up)).join('/')
    const rest = path.slice(folder.length)
    // What cannot be resolved is what it says.
    return `${await files.canonical(folder).catch(() => folder)}${rest}`
  })
  return Promise.all(resolved)
}

/** Sessions that have a window: where they work is in the store, so that not every hook asks the disk. */
const known = new WeakMap<Store, Set<string>>()
const MOST_KNOWN = 10_000

const isKnown = (store: Store, { session }: HookEvent): boolean =>
  session !== undefined && known.get(store)?.has(session) === true

function remember(tx: Tx, store: Store, { session, subagent }: HookEvent): void {
  if (session === undefined || subagent !== undefined) return
  const sessions = known.get(store) ?? new Set<string>()
  if (sessions.size >= MOST_KNOWN) sessions.clear()
  known.set(store, sessions.add(session))
  tx.onRollback(() => void sessions.delete(session))
}
