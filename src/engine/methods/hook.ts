import { isCanary } from '../../model/canary.ts'
import type { Client } from '../../model/client.ts'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import { type Invocation, invocationsOf } from '../../model/invocation.ts'
import { isHandOver } from '../../rules/subagent-steps.ts'
import { artifactsAround } from '../../store/artifact.ts'
import type { Tx } from '../../store/query.ts'
import type { Store } from '../../store/store.ts'
import { type Arrival, freshSkills, workplaceOf } from '../skill/arrival.ts'
import { rehearse } from '../hook/canary.ts'
import { clientNamed, told } from '../hook/client-payload.ts'
import type { Context } from '../call/context.ts'
import type { Subject } from '../hook/facts.ts'
import { directivesTouched } from '../hook/directives-touched.ts'
import { type Call, method, type TransactionMethod } from '../call/method.ts'
import { observe, observeAtOnce } from '../hook/observe.ts'
import { phaseMentionIn } from '../plan/phase-move.ts'
import { filesIn } from '../hook/reads.ts'
import { coversIn, type Digests, digestsOf } from '../plan/recorded.ts'
import { transcriptOf } from '../hook/transcript-tail.ts'
import { seenRuns } from '../hook/seen-run.ts'
import { type KeptRun, keepRun, lookForRun, makeRun, recallRun, type RunPlace } from '../skill/skill-run.ts'

interface Answer {
  readonly decision: Decision['kind']
  readonly reply?: unknown
  readonly run?: KeptRun['run']
}

interface Prepared {
  readonly client: Client
  readonly subject: Subject
  readonly place: Arrival | undefined
  readonly runs: RunPlace | undefined
  /** Of an event that only tries whether hooks come through. */
  readonly rehearsed?: Decision
}

/** Answers a hook; `kind` is set if the method says which event it is. */
const hook = (name: string, summary: string, kind?: HookEvent['kind']): TransactionMethod =>
  method({
    name,
    summary,
    effect: 'durable',
    params: told,
    prepare(context, given) {
      const client = clientNamed(context, given.client)
      return prepare(context, client, kind === undefined ? given.payload : client.named(given.payload, kind))
    },
    atOnce(call) {
      const decision = observeAtOnce(call.prepared.subject, call)
      return decision === undefined ? undefined : answerOf(decision, call.prepared)
    },
    async run(tx, _, call) {
      const { subject, place, rehearsed } = call.prepared
      const judged = rehearsed ?? (await observe(tx, subject, place, call))
      const kept = rehearsed !== undefined || isOff(judged, call) ? undefined : await runOf(tx, call)
      const decision = {
        ...judged,
        contexts: [...judged.contexts, ...(kept === undefined ? [] : [kept.told])],
      }
      if (place !== undefined) remember(tx, call.context.store, subject.event)
      const answer = answerOf(decision, call.prepared)
      return { ...answer, ...(kept?.run !== undefined && { run: kept.run }) }
    },
    async finish(context, { run, ...answer }) {
      if (run !== undefined) await makeRun(context, run)
      return answer
    },
  })

function answerOf(decision: Decision, { client, subject }: Prepared): Answer {
  const reply = client.encode(decision, subject.event)
  return { decision: decision.kind, ...(reply !== undefined && { reply }) }
}

/** Whoever wants peace, or was refused, begins nothing. */
const isOff = ({ kind }: Decision, { context }: Call): boolean =>
  kind === 'block' || context.pausedUntil() !== undefined

async function runOf(tx: Tx, call: Call<Prepared>): Promise<KeptRun | undefined> {
  const { subject, runs } = call.prepared
  const { kind, session, subagent } = subject.event
  if (subagent !== undefined) return undefined
  if (kind === 'session.started') return await recallRun(tx, session)
  return runs === undefined ? undefined : await keepRun(tx, runs, session, call)
}

export const handle = hook('hooks.handle', 'Answer one hook of one agent client; the payload says which.')
export const sessionStart = hook('hooks.sessionStart', 'A context window begins.', 'session.started')
export const sessionEnd = hook('hooks.sessionEnd', 'A client session ends.', 'session.ended')
export const userPrompt = hook('hooks.userPrompt', 'The user has submitted a prompt.', 'prompt.submitted')
export const preToolUse = hook('hooks.preToolUse', 'A tool is about to be used.', 'tool.before')
export const postToolUse = hook('hooks.postToolUse', 'A tool was used.', 'tool.after')
export const postToolUseFailure = hook('hooks.postToolUseFailure', 'A tool has failed.', 'tool.failed')
export const stop = hook('hooks.stop', 'The agent wants to end its turn.', 'turn.stopped')
export const subagentStart = hook('hooks.subagentStart', 'A sub-agent begins.', 'subagent.started')
export const subagentStop = hook('hooks.subagentStop', 'A sub-agent wants to end.', 'subagent.stopped')
export const preCompact = hook('hooks.preCompact', 'The context is about to be compacted.', 'compact.before')
export const permissionRequest = hook(
  'hooks.permissionRequest',
  'The client asks for a permission.',
  'permission.requested',
)
export const notification = hook('hooks.notification', 'The client notifies its user.', 'notification')
export const taskCompleted = hook(
  'hooks.taskCompleted',
  'An item of the todo list is done.',
  'todo.completed',
)
export const teammateIdle = hook('hooks.teammateIdle', 'A teammate has nothing to do.', 'teammate.idle')
export const configChange = hook(
  'hooks.configChange',
  'Settings of the client have changed.',
  'config.changed',
)

/** Where one context ends and another begins. */
const TURNS: ReadonlySet<HookEvent['kind']> = new Set<HookEvent['kind']>([
  'session.started',
  'session.ended',
  'compact.before',
])

async function prepare(context: Context, client: Client, payload: unknown): Promise<Prepared> {
  const event = client.decode(payload)
  const invocations = invocationsIn(event)
  if (isCanary(event.session)) {
    const tried = {
      event,
      invocations,
      ...(await filesIn(context, event)),
      digests: new Map(),
      seen: [],
      directives: [],
      transcript: undefined,
    }
    return {
      client,
      subject: tried,
      place: undefined,
      runs: undefined,
      rehearsed: await rehearse(context, tried),
    }
  }
  // What a window leaves behind or begins with is looked for where it is stored; what cannot be written is told later.
  if (TURNS.has(event.kind)) await context.store.flush().catch(() => undefined)
  const isCall = invocations.length > 0 || event.kind === 'session.started'
  const place = isCall || !isKnown(context.store, event) ? await workplaceOf(context, event.cwd) : undefined
  // A sub-agent's calls are its own affair, and nobody answers where there is no session.
  const isOurs = event.session !== undefined && event.subagent === undefined
  const skills = isCall && isOurs && place !== undefined ? await freshSkills(context, place) : undefined
  const touched = await filesIn(context, event)
  const seen = await seenRuns(context, event)
  const phase = await phaseMentionIn(context, event)
  // Who was not heard before, or is back, is told where its work stands.
  const asksForRecords =
    isOurs &&
    (place !== undefined ||
      isCall ||
      touched.reads.length + seen.length > 0 ||
      phase !== undefined ||
      isHandOver(event))
  const digests = asksForRecords ? await digestsAround(context, event) : new Map<string, string>()
  const runs =
    isOurs && place !== undefined ? await lookForRun(context, { ...place, skills }, invocations) : undefined
  const transcript = await transcriptOf(context, client, event)
  const directives = await directivesTouched(context, client, { event, ...touched })
  const subject = { event, invocations, ...touched, digests, seen, phase, directives, transcript }
  return { client, subject, place: place === undefined ? undefined : { ...place, skills }, runs }
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
