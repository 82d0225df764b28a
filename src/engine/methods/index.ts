import * as agent from './agent.ts'
import * as ai from './ai.ts'
import * as artifact from './artifact.ts'
import * as approval from './approval.ts'
import * as continuation from './continuation.ts'
import * as daemon from './daemon.ts'
import * as dehydration from './dehydration.ts'
import * as directive from './directive.ts'
import * as door from './door.ts'
import * as effort from './effort.ts'
import * as effortMeant from './effort-meant.ts'
import * as effortStart from './effort-start.ts'
import * as evidence from './evidence.ts'
import * as file from './file.ts'
import * as fleet from './fleet.ts'
import * as handoff from './handoff.ts'
import * as handoffTask from './handoff-task.ts'
import * as hook from './hook.ts'
import * as ledger from './ledger.ts'
import * as log from './log.ts'
import * as memory from './memory.ts'
import * as message from './message.ts'
import type { Method } from '../call/method.ts'
import * as phase from './phase.ts'
import * as pipeline from './pipeline.ts'
import * as planEdit from './plan-edit.ts'
import * as project from './project.ts'
import * as queue from './queue.ts'
import * as recap from './recap.ts'
import * as run from './run.ts'
import * as runbookRun from './runbook-run.ts'
import * as search from './search.ts'
import * as session from './session.ts'
import * as sessionList from './session-list.ts'
import * as sessionShow from './session-show.ts'
import * as sessionContinue from './session-continue.ts'
import * as skill from './skill.ts'
import * as skillFiles from './skill-files.ts'
import * as span from './span.ts'
import * as status from './status.ts'
import * as statusLine from './status-line.ts'
import * as step from './step.ts'
import * as stepChild from './step-child.ts'
import * as stepCommand from './step-command.ts'
import * as stepStart from './step-start.ts'
import * as task from './task.ts'
import * as taskSummary from './task-summary.ts'
import * as todo from './todo.ts'
import * as trust from './trust.ts'
import * as work from './work.ts'
import * as workTurn from './work-turn.ts'
import * as worker from './worker.ts'

const nouns = [
  project,
  status,
  task,
  taskSummary,
  effort,
  effortStart,
  effortMeant,
  phase,
  step,
  stepChild,
  stepStart,
  stepCommand,
  ai,
  artifact,
  evidence,
  recap,
  dehydration,
  approval,
  planEdit,
  door,
  todo,
  pipeline,
  runbookRun,
  work,
  workTurn,
  worker,
  session,
  sessionList,
  sessionShow,
  sessionContinue,
  log,
  span,
  skill,
  skillFiles,
  trust,
  message,
  agent,
  fleet,
  queue,
  handoff,
  handoffTask,
  continuation,
  run,
  search,
  memory,
  directive,
  file,
  hook,
  statusLine,
  ledger,
  daemon,
]

/** Everything that can be called: each export of each noun is a method that says its full name. */
export const methods: readonly Method[] = nouns.flatMap((noun): Method[] => Object.values(noun))

/** The same by name, as a context holds it. */
export const methodsByName: ReadonlyMap<string, Method> = new Map(methods.map((one) => [one.name, one]))
