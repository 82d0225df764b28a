import { contextBudget } from './context-budget.ts'
import { continuationNext } from './continuation-next.ts'
import { directiveDiscovery } from './directive-discovery.ts'
import { directiveGate } from './directive-gate.ts'
import { doorGate } from './door-gate.ts'
import { firstStepGate } from './first-step-gate.ts'
import { evidenceSeen } from './evidence-seen.ts'
import { dehydrate } from './dehydrate.ts'
import { effortLostRule } from './effort-lost.ts'
import { heartbeat } from './heartbeat.ts'
import { hooksKept } from './hooks-kept.ts'
import { memory } from './memory.ts'
import { modes } from './modes.ts'
import { outsideGate } from './outside-gate.ts'
import { phaseEntered } from './phase-entered.ts'
import { phaseOrder } from './phase-order.ts'
import { phaseProof } from './phase-proof.ts'
import { planEdit } from './plan-edit.ts'
import { queueFlush } from './queue-flush.ts'
import { queueReminder } from './queue-reminder.ts'
import { readUnresolved } from './read-unresolved.ts'
import { recap } from './recap.ts'
import type { Rule } from './rule.ts'
import { sessionBegin } from './session-begin.ts'
import { sessionEnd } from './session-end.ts'
import { sessionGate } from './session-gate.ts'
import { shortcuts } from './shortcuts.ts'
import { skillInvoked } from './skill-invoked.ts'
import { spanSwitch } from './span-switch.ts'
import { stageTrack } from './stage-track.ts'
import { stepGate } from './step-gate.ts'
import { stepVisit } from './step-visit.ts'
import { stopGate } from './stop-gate.ts'
import { subagentGate } from './subagent-gate.ts'
import { subagentSteps } from './subagent-steps.ts'
import { todoCheck } from './todo-check.ts'
import { writeGate } from './write-gate.ts'
import { writeUnresolved } from './write-unresolved.ts'

/** All rules, in the order in which they run. A new rule is one line here. */
export const rules: readonly Rule[] = [
  // Before the call of another skill takes the session elsewhere.
  firstStepGate,
  skillInvoked,
  continuationNext,
  modes,
  shortcuts,
  doorGate,
  outsideGate,
  hooksKept,
  stageTrack,
  stepGate,
  subagentGate,
  readUnresolved,
  phaseOrder,
  phaseProof,
  todoCheck,
  heartbeat,
  sessionGate,
  directiveGate,
  writeGate,
  writeUnresolved,
  subagentSteps,
  spanSwitch,
  stepVisit,
  evidenceSeen,
  phaseEntered,
  directiveDiscovery,
  stopGate,
  contextBudget,
  queueReminder,
  memory,
  queueFlush,
  effortLostRule,
  planEdit,
  sessionBegin,
  recap,
  dehydrate,
  sessionEnd,
]
