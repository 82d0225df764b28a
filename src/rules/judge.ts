import type { Change } from '../model/change.ts'
import type { Decision } from '../model/decision.ts'
import type { HookEvent } from '../model/event.ts'
import { rules as all } from './index.ts'
import type { Facts, Rule, Verdict } from './rule.ts'

export interface Judgement {
  readonly decision: Decision
  readonly changes: readonly Change[]
  readonly tellsStanding: boolean
}

/** Asks every rule in order. The first refusal ends it, and what earlier ones changed stays; contexts add up. */
export function judge(event: HookEvent, facts: Facts, rules: readonly Rule[] = all): Judgement {
  const contexts: string[] = []
  const changes: Change[] = []
  const notices: string[] = []
  let tellsStanding = false
  for (const rule of rules) {
    if (!rule.on.includes(event.kind)) continue
    const verdict = ask(rule, event, facts)
    contexts.push(...(verdict?.contexts ?? []))
    changes.push(...(verdict?.changes ?? []))
    if (verdict?.notice !== undefined) notices.push(verdict.notice)
    tellsStanding ||= verdict?.tellsStanding ?? false
    if (verdict?.block === undefined) continue
    const { block } = verdict
    const observed = facts.level === 'observe'
    // INV_NOTHING_SILENT
    changes.push({ kind: 'refused', rule: rule.name, ...block, observed })
    if (observed) continue
    const { reason } = block
    return { decision: { kind: 'block', reason, contexts, ...noticeOf(notices) }, changes, tellsStanding }
  }
  return { decision: { kind: 'allow', contexts, ...noticeOf(notices) }, changes, tellsStanding }
}

/** INV_HOOK_NEVER_BREAKS_THE_AGENT: a rule that throws has nothing to say, and the ledger says that it threw. */
function ask(rule: Rule, event: HookEvent, facts: Facts): Verdict | undefined {
  try {
    return rule.judge(event, facts)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { changes: [{ kind: 'rule.failed', rule: rule.name, message }] }
  }
}

const noticeOf = (notices: readonly string[]) => (notices.length === 0 ? {} : { notice: notices.join('\n') })
