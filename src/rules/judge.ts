import type { Change } from '../model/change.ts'
import type { Decision } from '../model/decision.ts'
import type { HookEvent } from '../model/event.ts'
import type { Subject } from '../model/subject.ts'
import { inOurVoice } from '../model/text/voice.ts'
import type { Facts, Window } from './facts.ts'
import type { Rule, ToldChain, Verdict } from './rule.ts'
import { inOneNotice, refusedLine } from './told/notice.ts'

export interface Judgement {
  readonly decision: Decision
  readonly changes: readonly Change[]
  readonly tellsStanding: boolean
  readonly tellsChain?: ToldChain | undefined
}

/** The rules that an event concerns, in order. Nothing else decides whether an event matters. */
export const woken = (rules: readonly Rule[], subject: Subject, window: Window): readonly Rule[] =>
  rulesAbout(rules, subject.event).filter((rule) => mayWake(rule, subject, window))

/** A rule that throws here still runs: doubt must not disable a gate. */
function mayWake(rule: Rule, subject: Subject, window: Window): boolean {
  try {
    return rule.wakes(subject, window)
  } catch {
    return true
  }
}

type ByKind = Map<HookEvent['kind'], readonly Rule[]>

/** Found once for each kind of event, because every hook asks. */
const found = new WeakMap<readonly Rule[], { readonly own: ByKind; readonly subagents: ByKind }>()

/** The rules that handle events of this kind; the same list each time. */
export function rulesAbout(rules: readonly Rule[], event: HookEvent): readonly Rule[] {
  const lists = found.get(rules) ?? { own: new Map(), subagents: new Map() }
  found.set(rules, lists)
  const list = event.subagent === undefined ? lists.own : lists.subagents
  const about = list.get(event.kind) ?? rules.filter((rule) => isAbout(rule, event))
  list.set(event.kind, about)
  return about
}

const isAbout = ({ on, hearsSubagents }: Rule, { kind, subagent }: HookEvent): boolean =>
  on.includes(kind) && (subagent === undefined || hearsSubagents === true)

/** Runs rules in order. The first refusal ends the run; earlier changes stay and contexts add up. */
export function judge(event: HookEvent, facts: Facts, rules: readonly Rule[]): Judgement {
  const contexts: string[] = []
  const changes: Change[] = []
  const notices: string[] = []
  let tellsStanding = false
  let tellsChain: ToldChain | undefined
  let question: string | undefined
  for (const rule of rules) {
    const verdict = ask(rule, event, facts)
    const observed = facts.level === 'observe'
    const said = verdict?.contexts ?? []
    const isUnsaid = observed && said.length > 0
    changes.push(...(verdict?.changes ?? []).filter(({ kind }) => !isUnsaid || !SAID.has(kind)))
    if (!observed) {
      contexts.push(...said)
      if (verdict?.notice !== undefined) notices.push(verdict.notice)
      tellsStanding ||= verdict?.tellsStanding ?? false
      tellsChain ??= verdict?.tellsChain
    }
    if (verdict?.ask !== undefined) {
      const { question: _, ...asked } = verdict.ask
      changes.push({ kind: 'asked', ...asked })
      question ??= inOurVoice(verdict.ask.question)
    }
    if (verdict?.block === undefined) continue
    // The ledger and the transcript keep the reason as the agent reads it.
    const block = { ...verdict.block, reason: inOurVoice(verdict.block.reason) }
    // INV_NOTHING_SILENT
    changes.push({ kind: 'refused', rule: rule.name, ...block, observed })
    if (observed) continue
    const { reason } = block
    notices.push(refusedLine(event, verdict.block))
    return { decision: { kind: 'block', reason, contexts, ...noticeOf(notices) }, changes, tellsStanding }
  }
  const said = { contexts, ...noticeOf(notices) }
  const decision: Decision =
    question === undefined ? { kind: 'allow', ...said } : { kind: 'ask', reason: question, ...said }
  return { decision, changes, tellsStanding, tellsChain }
}

/** At `observe` nothing is said, so nothing counts as said. */
const SAID: ReadonlySet<Change['kind']> = new Set<Change['kind']>([
  'context.told',
  'directives.told',
  'heartbeat.reminded',
  'losses.told',
  'memory.told',
])

/** INV_HOOK_NEVER_BREAKS_THE_AGENT: a rule that throws allows the event, and the ledger records the failure. */
function ask(rule: Rule, event: HookEvent, facts: Facts): Verdict | undefined {
  try {
    return rule.judge(event, facts)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { changes: [{ kind: 'rule.failed', rule: rule.name, message }] }
  }
}

/** One line per event, because the client shows it in the middle of the conversation. */
const noticeOf = (notices: readonly string[]) =>
  notices.length === 0 ? {} : { notice: inOneNotice(notices) }
