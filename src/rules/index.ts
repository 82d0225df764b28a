import { contextBudget } from './context-budget.ts'
import { directiveDiscovery } from './directive-discovery.ts'
import { directiveGate } from './directive-gate.ts'
import { evidenceSeen } from './evidence-seen.ts'
import { dehydrate } from './dehydrate.ts'
import { heartbeat } from './heartbeat.ts'
import { queueFlush } from './queue-flush.ts'
import { queueReminder } from './queue-reminder.ts'
import { recap } from './recap.ts'
import type { Rule } from './rule.ts'
import { sessionEnd } from './session-end.ts'
import { sessionGate } from './session-gate.ts'
import { skillInvoked } from './skill-invoked.ts'
import { spanSwitch } from './span-switch.ts'
import { stepGate } from './step-gate.ts'
import { stepVisit } from './step-visit.ts'

/** In the order in which they are asked. A new rule is a line here. */
export const rules: readonly Rule[] = [
  skillInvoked,
  stepGate,
  heartbeat,
  sessionGate,
  directiveGate,
  spanSwitch,
  stepVisit,
  evidenceSeen,
  directiveDiscovery,
  contextBudget,
  queueReminder,
  queueFlush,
  recap,
  dehydrate,
  sessionEnd,
]
