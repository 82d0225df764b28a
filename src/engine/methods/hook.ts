import { isCanary } from '../../model/canary.ts'
import type { Client } from '../../model/client.ts'
import { type Decision, spoken } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { type Call, method, type TransactionMethod } from '../call/method.ts'
import { rehearse } from '../hook/canary.ts'
import { clientNamed, told } from '../hook/client-payload.ts'
import { look } from '../hook/look.ts'
import type { Looked } from '../hook/looks/look.ts'
import { rememberPlace } from '../hook/looks/place.ts'
import { observe, observeAtOnce } from '../hook/observe.ts'
import { isTurn } from '../hook/window.ts'
import { type KeptRun, keepRun, makeRun, recallRun } from '../skill/skill-run.ts'

interface Answer {
  readonly decision: Decision['kind']
  readonly reply?: unknown
  readonly run?: KeptRun['run']
}

interface Prepared {
  readonly client: Client
  readonly looked: Looked
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
      const { looked, rehearsed } = call.prepared
      const decision = rehearsed ?? observeAtOnce(looked, call)
      return decision === undefined ? undefined : answerOf(decision, call.prepared)
    },
    async run(tx, _, call) {
      const { looked, rehearsed } = call.prepared
      const judged = rehearsed ?? (await observe(tx, looked, call))
      const kept = rehearsed !== undefined || isOff(judged, call) ? undefined : await runOf(tx, call)
      const contexts = [...judged.contexts, ...(kept === undefined ? [] : [kept.told])]
      if (looked.place !== undefined) rememberPlace(tx, { context: call.context, event: looked.event })
      const answer = answerOf({ ...judged, contexts }, call.prepared)
      return { ...answer, ...(kept?.run !== undefined && { run: kept.run }) }
    },
    async finish(context, { run, ...answer }) {
      if (run !== undefined) await makeRun(context, run)
      return answer
    },
  })

function answerOf(decision: Decision, { client, looked }: Prepared): Answer {
  const reply = client.encode(spoken(decision), looked.event)
  return { decision: decision.kind, ...(reply !== undefined && { reply }) }
}

/** Whoever has paused, or was refused, begins nothing. */
const isOff = ({ kind }: Decision, { context }: Call): boolean =>
  kind === 'block' || context.pausedUntil() !== undefined

async function runOf(tx: Tx, call: Call<Prepared>): Promise<KeptRun | undefined> {
  const { event, run } = call.prepared.looked
  if (event.subagent !== undefined) return undefined
  if (event.kind === 'session.started') return await recallRun(tx, event.session)
  return run === undefined ? undefined : await keepRun(tx, run, event.session, call)
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

async function prepare(context: Context, client: Client, payload: unknown): Promise<Prepared> {
  const event = client.decode(payload)
  // What windows leave behind is looked for where it is stored; what cannot be written is told later.
  if (isTurn(event)) await context.store.flush().catch(() => undefined)
  const looked = await look(context, client, event)
  return isCanary(event.session)
    ? { client, looked, rehearsed: await rehearse(context, looked) }
    : { client, looked }
}
