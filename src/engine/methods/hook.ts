import { isCanary } from '../../model/canary.ts'
import type { Client } from '../../model/client.ts'
import { addressed, type Decision, spoken } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method, type TransactionMethod } from '../call/method.ts'
import { rehearse } from '../hook/canary.ts'
import { bothForms, clientNamed, otherEvent } from '../hook/client-payload.ts'
import { look } from '../hook/look.ts'
import type { Looked } from '../hook/looks/look.ts'
import { rememberPlace } from '../hook/looks/place.ts'
import { flushByModel } from '../hook/model-flush.ts'
import { observe, observeAtOnce } from '../hook/observe.ts'
import { keepEnvironment } from '../session/environment.ts'
import { forgetAgentCall, noteAgentCall } from '../skill/agent-calls.ts'
import { keepIgnores, ownTaskRoot } from '../skill/our-folder.ts'
import { plainDecision, plainState } from '../hook/plain-answer.ts'
import { EXAMPLES, type HookParams, isPlainKind, paramsFor, plainEvent } from '../hook/plain-event.ts'
import { type KeptRun, keepRun, makeRun, recallRun } from '../skill/skill-run.ts'

interface Answer {
  readonly decision: Decision['kind']
  readonly reply?: unknown
  readonly run?: KeptRun['run']
  /** The project whose folder of ours holds the task of a call. */
  readonly root?: string | undefined
  /** The session whose context is compacted. */
  readonly compacted?: string | undefined
}

interface Prepared {
  readonly client: Client
  readonly looked: Looked
  /** The decision on a canary event. */
  readonly rehearsed?: Decision
  /** True if the caller told the event by plain fields. */
  readonly isPlain: boolean
  /** What one of our commands printed. */
  readonly report: string | undefined
}

/** The names of the methods, by the events that they identify. */
const methodsByKind = new Map<HookEvent['kind'], string>()

/** Handles a hook; `kind` is set if the method name identifies the event. */
function hook(name: string, summary: string, kind?: HookEvent['kind']): TransactionMethod {
  if (kind !== undefined) methodsByKind.set(kind, name)
  return method({
    name,
    summary,
    effect: 'hook',
    params: paramsFor(kind),
    ...(isPlainKind(kind) && { examples: [EXAMPLES[kind]] }),
    async prepare(context, given: HookParams, ask) {
      const client = clientNamed(context, given.client)
      const isPlain = given.payload === undefined && isPlainKind(kind)
      const event = isPlain ? plainEvent(client, kind, given) : payloadEvent(client, given, kind)
      const { agent_id: agent, has_command: isCommand } = given
      if (isCommand !== undefined && event.session !== undefined)
        context.programs.note(event.session, isCommand)
      const told = agent === undefined ? event : { ...event, agent }
      if (!isCanary(event.session)) noteAgentCall(event)
      return { ...(await prepare(context, told, { client, ask })), isPlain, report: given.report }
    },
    atOnce(call) {
      const { looked, rehearsed, isPlain, report } = call.prepared
      if (isPlain || report !== undefined) return undefined
      const decision = rehearsed ?? observeAtOnce(looked, call)
      return decision === undefined ? undefined : answerOf(decision, call)
    },
    async run(tx, given: HookParams, call) {
      const { looked, rehearsed, isPlain, report } = call.prepared
      if (rehearsed === undefined) await keepEnvironment(tx, looked.event, given.environment, call)
      const judged = rehearsed ?? (await observe(tx, looked, call))
      const kept = rehearsed === undefined ? await keepOrRecallRun(tx, judged, call) : undefined
      // A recap has told the run already.
      const isRecap = looked.event.kind === 'session.started'
      const contexts = [...judged.contexts, ...(kept === undefined || isRecap ? [] : [kept.told])]
      for (const { place, event } of [looked, looked.scope ?? looked])
        if (place !== undefined) rememberPlace(tx, { context: call.context, event })
      const answer = answerOf(reported({ ...judged, contexts }, report), call)
      const state = isPlain && rehearsed === undefined ? await plainState(tx, looked.event, call) : {}
      const root = begins(looked) ? await ownTaskRoot(tx, (looked.scope ?? looked).event.session) : undefined
      const compacted =
        isCompaction(looked.event) && rehearsed === undefined ? looked.event.session : undefined
      return { ...answer, ...state, root, compacted, ...(kept?.run !== undefined && { run: kept.run }) }
    },
    async finish(context, { run, root, compacted, ...answer }) {
      if (compacted !== undefined) flushByModel(context, compacted)
      // The call goes on without it.
      if (root !== undefined) await keepIgnores(context, root).catch(() => undefined)
      if (run !== undefined) await makeRun(context, run)
      return answer
    },
  })
}

const isCompaction = ({ kind, subagent }: HookEvent): boolean =>
  kind === 'compact.before' && subagent === undefined

/** The user asked for the report, so it is given at every level; the user sees one line of it at once. */
const reported = (decision: Decision, report: string | undefined): Decision =>
  report === undefined
    ? decision
    : {
        ...decision,
        contexts: [...decision.contexts, report],
        ...(!report.includes('\n') && { notice: report }),
      }

/** Whether the event may have started an effort. */
const begins = ({ event, invocations }: Looked): boolean =>
  invocations.length > 0 || event.kind === 'subagent.started'

/** Decodes a payload; a method that names its event refuses the payload of another one. */
function payloadEvent(client: Client, given: HookParams, kind: HookEvent['kind'] | undefined): HookEvent {
  const { payload } = given
  if (given.session_id !== undefined) throw bothForms()
  const event = client.decode(payload)
  if (kind === undefined) return event
  if (event.name === undefined) return client.decode(client.named(payload, kind))
  const named = client.events.get(event.name)?.kind
  if (named !== kind) throw otherEvent(event.name, (named && methodsByKind.get(named)) ?? 'hooks.handle')
  return event
}

function answerOf(decision: Decision, { context, prepared }: Call<Prepared>): Answer {
  const { client, looked, isPlain } = prepared
  if (decision.kind === 'block') forgetAgentCall(looked.event)
  const said = addressed(spoken(decision), context.programs.of(looked.event.session))
  const reply = client.encode(said, looked.event)
  return {
    decision: decision.kind,
    ...(reply !== undefined && { reply }),
    ...(isPlain && plainDecision(said)),
  }
}

/** A paused or refused call starts no run. */
const isOff = ({ kind }: Decision, { context }: Call): boolean =>
  kind === 'block' || context.pausedUntil() !== undefined

async function keepOrRecallRun(tx: Tx, judged: Decision, call: Call<Prepared>): Promise<KeptRun | undefined> {
  const { looked } = call.prepared
  const { event, run } = looked.event.subagent === undefined ? looked : (looked.scope ?? looked)
  const isStart = event.kind === 'session.started'
  if (event.subagent !== undefined || (!isStart && run === undefined) || isOff(judged, call)) return undefined
  return isStart || run === undefined
    ? await recallRun(tx, event.session)
    : await keepRun(tx, run, event.session, call)
}

const PLAIN_RETURNS =
  'Takes a payload, or plain fields; the answer then also has allow or block with the reason, injections, session and effort.'

export const handle = hook('hooks.handle', 'Handle a hook event of a client; the payload names the event.')
export const sessionStart = hook(
  'hooks.sessionStart',
  `Handle the start of a session. ${PLAIN_RETURNS}`,
  'session.started',
)
export const sessionEnd = hook('hooks.sessionEnd', 'Handle the end of a session.', 'session.ended')
export const userPrompt = hook(
  'hooks.userPrompt',
  `Handle a prompt that the user submitted. ${PLAIN_RETURNS}`,
  'prompt.submitted',
)
export const preToolUse = hook(
  'hooks.preToolUse',
  `Handle a tool call before it runs. ${PLAIN_RETURNS}`,
  'tool.before',
)
export const postToolUse = hook(
  'hooks.postToolUse',
  `Handle a tool call that succeeded. ${PLAIN_RETURNS}`,
  'tool.after',
)
export const postToolUseFailure = hook(
  'hooks.postToolUseFailure',
  'Handle a tool call that failed.',
  'tool.failed',
)
export const stop = hook('hooks.stop', 'Handle the end of a turn of the agent.', 'turn.stopped')
export const subagentStart = hook(
  'hooks.subagentStart',
  'Handle the start of a sub-agent.',
  'subagent.started',
)
export const subagentStop = hook('hooks.subagentStop', 'Handle the end of a sub-agent.', 'subagent.stopped')
export const preCompact = hook('hooks.preCompact', 'Handle a compaction before it runs.', 'compact.before')
export const permissionRequest = hook(
  'hooks.permissionRequest',
  'Handle a permission request of the client.',
  'permission.requested',
)
export const notification = hook(
  'hooks.notification',
  'Handle a notification of the client to its user.',
  'notification',
)
export const taskCompleted = hook(
  'hooks.taskCompleted',
  'Handle a completed item of the todo list.',
  'todo.completed',
)
export const teammateIdle = hook('hooks.teammateIdle', 'Handle an idle teammate.', 'teammate.idle')
export const configChange = hook(
  'hooks.configChange',
  'Handle a change of the client settings.',
  'config.changed',
)

async function prepare(
  context: Context,
  event: HookEvent,
  { client, ask }: { readonly client: Client; readonly ask: Ask },
): Promise<Omit<Prepared, 'isPlain' | 'report'>> {
  // Rules read messages from the store, so pending ones are written first; a failure surfaces later.
  if (event.kind === 'session.started') await context.store.flush().catch(() => undefined)
  const looked = await look(context, client, event, ask)
  return isCanary(event.session)
    ? { client, looked, rehearsed: await rehearse(context, looked) }
    : { client, looked }
}
