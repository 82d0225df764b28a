import type { Client } from '../../model/client.ts'
import type { HookEvent } from '../../model/event.ts'
import { type Invocation, invocationsOf, saidIn } from '../../model/invocation.ts'
import { inScope } from '../../model/scope.ts'
import { BLANK_SESSION } from '../../model/session.ts'
import { rulesAbout, woken } from '../../rules/judge.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { askedOnce } from './asked-once.ts'
import { loaders } from './facts/index.ts'
import { type LookName, looks } from './looks/index.ts'
import type { Look, Looked, Looking } from './looks/look.ts'
import { messages } from './messages.ts'
import { recorders } from './recorders.ts'

/** Gathers facts before the transaction: from the event, the disk and at most one read of the store. */
export async function look(
  context: Context,
  client: Client,
  event: HookEvent,
  ask: Ask = (read) => context.store.transact((tx) => read(tx, {}), { reads: true }),
): Promise<Looked> {
  const isOurs = event.session !== undefined && event.subagent === undefined
  const wanted = looksFor(context.rules, event).filter((one) => isOurs || one.isOfSession !== true)
  const looking = { context: asSeenBy(event, context), client, event, found: unlooked(event) }
  const learn = (news: Partial<Looked>) => Object.assign(looking.found, news)
  for (const one of wanted) {
    const finding = one.find?.(looking)
    if (finding !== undefined) learn(await finding)
  }
  let known: ReadonlySet<Look> | undefined
  const needed = () => (known ??= neededIn(looking))
  const questions = wanted
    .filter((one) => one.isForFactsOnly !== true || needed().has(one))
    .flatMap((one) => one.ask?.(looking) ?? [])
  if (questions.length > 0) {
    const answers = await ask(async (tx) => {
      const all: Awaited<ReturnType<(typeof questions)[number]>>[] = []
      for (const question of questions) all.push(await question(tx))
      return all
    })
    for (const answer of answers) learn(await answer(looking))
  }
  const own = mayBeInScope(looking)
  return own === undefined ? looking.found : learn({ scope: await look(context, client, own, ask) })
}

/** Several looks ask what the paths of a file tool are; each answer of the disk takes a turn of the daemon. */
const asSeenBy = (event: HookEvent, context: Context): Context =>
  'tool' in event && event.tool.does.kind === 'files'
    ? { ...context, files: askedOnce(context.files) }
    : context

/** The event in the scope of its sub-agent; undefined if memory shows that there can be none. */
function mayBeInScope({ context, event, found }: Looking): HookEvent | undefined {
  const own = inScope(event)
  const parent = own && context.store.volatile.openWindows.get(event.session ?? '')
  const isCall = event.kind === 'tool.before' && found.invocations.length > 0
  const isFree = parent !== undefined && parent.watch.hasScopes !== true && !isCall
  return isFree ? undefined : own
}

/** An event without any facts besides its own. */
export const unlooked = (event: HookEvent): Looked => ({
  event,
  invocations: invocationsIn(event),
  reads: [],
  seen: [],
  directives: [],
  digests: NO_DIGESTS,
})

function invocationsIn(event: HookEvent): readonly Invocation[] {
  const said = saidIn(event)
  if (said === undefined) return []
  // A tool calls one skill, whatever its arguments say.
  return invocationsOf(said).slice(0, event.kind === 'tool.before' ? 1 : undefined)
}

/** A window that is not in memory; what its plan gates is unknown. */
const UNKNOWN = {
  session: BLANK_SESSION,
  watch: { heartbeat: undefined, wantsEffort: false, hasPlan: true, gatesWrites: true },
}

const EVERY_LOOK: ReadonlySet<Look> = new Set(Object.values(looks))

/** The looks of the rules that may wake; all of them for a new or returning session, which gets a recap. */
function neededIn({ context, event, found }: Looking): ReadonlySet<Look> {
  if (found.place !== undefined) return EVERY_LOOK
  const window = context.store.volatile.openWindows.get(event.session ?? '') ?? UNKNOWN
  const rules = woken(context.rules, found, window)
  return new Set(
    rules.flatMap(({ needs }) => needs.flatMap((name) => loaders[name].looks)).map((name) => looks[name]),
  )
}

/** By the rules of a kind of event. */
const looksOf = new WeakMap<readonly Rule[], readonly Look[]>()

/** The looks that rules, recorders and messages need for such an event, and its place. */
function looksFor(rules: readonly Rule[], event: HookEvent): readonly Look[] {
  const about = rulesAbout(rules, event)
  const before = looksOf.get(about)
  if (before !== undefined) return before
  const isOwn = event.subagent === undefined
  const recorded = isOwn ? [...recorders, messages].filter(({ on }) => on.includes(event.kind)) : []
  const names = new Set<LookName>([
    'place',
    'run',
    'results',
    'tasks',
    ...about.flatMap(({ needs }) => needs.flatMap((name) => loaders[name].looks)),
    ...recorded.flatMap((recorder) => recorder.looks),
  ])
  const wanted = Object.entries(looks).flatMap(([name, one]) => (names.has(name as LookName) ? [one] : []))
  looksOf.set(about, wanted)
  return wanted
}
