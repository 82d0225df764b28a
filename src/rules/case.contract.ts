import type { Effort, OpenEffort } from '../model/effort.ts'
import type { Happening, HookEvent } from '../model/event.ts'
import type { Progress } from '../model/plan/advance.ts'
import { NOTHING_RECORDED } from '../model/plan/evidence.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import type { Plan } from '../model/plan/plan.ts'
import { BLANK_SESSION, type Session } from '../model/session.ts'
import type { Span } from '../model/span.ts'
import type { Subject } from '../model/subject.ts'
import { replay } from '../model/plan/visit.ts'
import { type Background, NOTHING_LOOKED_UP } from './told/background.ts'
import type { Facts, SkillFacts, TouchedSkill } from './facts.ts'
import type { Verdict } from './rule.ts'

// Minimal test data for rules; each case names only what differs.

/** A plan with three steps: look → think → do. */
export const FLOW = planOf([
  step('look', { consumes: ['user-request'], produces: ['view'] }),
  step('think', { consumes: ['view'], produces: ['idea'] }),
  step('do', { consumes: ['idea'], produces: ['result'] }),
])

/** The progress of a plan after reading these steps, with nothing recorded. */
export const reading = (plan: Plan, steps: readonly string[]): Progress =>
  replay(plan, steps, NOTHING_RECORDED)

export const effort = (more: Partial<Effort> = {}): Effort => ({
  id: 7,
  task_id: '/p',
  skill: 'flow',
  mode: 'full',
  ordinal: 1,
  lifecycle: 'active',
  current_phase: null,
  discovered_directives: [],
  discovered_directories: [],
  metadata: {},
  agent_id: null,
  workplace_id: 1,
  created_at: '',
  finished_at: null,
  last_session_id: null,
  result: null,
  request: '',
  plan_digest: null,
  artifact_prefix: '1_FLOW',
  ...more,
})

/** An open effort, as another session hears of it. */
export const open = (more: Partial<OpenEffort> = {}): OpenEffort => ({
  ...effort(more),
  position: '1 of 3 steps done',
  heard_at: '2026-03-01T10:00:00.000Z',
  holder: null,
  elsewhere: null,
  ...more,
})

export const skill = (more: Partial<SkillFacts> = {}): SkillFacts => ({
  name: 'flow',
  folder: '/s/flow',
  plan: FLOW,
  enforceable: true,
  requiredTodos: [],
  effort: effort(),
  progress: undefined,
  recorded: NOTHING_RECORDED,
  approved: [],
  ...more,
})

export const span = (id: string, more: Partial<Span> = {}): Span => ({
  span_id: id,
  skill: 'flow',
  parent_span_id: null,
  status: 'active',
  first_step: null,
  last_step: null,
  steps: [],
  started_at: '',
  suspended_at: null,
  completed_at: null,
  session_id: 'native',
  effort_id: 7,
  ...more,
})

export const touch = (id: string | undefined, of: SkillFacts = skill()): TouchedSkill => ({
  path: id === undefined ? '/s/flow/SKILL.md' : `/s/flow/steps/${id}.md`,
  skill: of,
  step: id,
})

export const facts = (more: Partial<Facts> = {}): Facts => ({
  level: 'enforce',
  now: '2026-03-01T12:00:00.000Z',
  session: SESSION,
  spans: [],
  touched: [],
  tracked: [],
  invoked: [],
  sessionFile: undefined,
  shortcuts: { used: [], known: [], sessionFile: undefined, skills: [] },
  moded: { modes: [], text: '' },
  work: undefined,
  open: [],
  lost: [],
  namesake: undefined,
  watch: { heartbeat: undefined, wantsEffort: false },
  memory: undefined,
  queued: [],
  seen: [],
  directives: [],
  reads: [],
  writes: undefined,
  unsureWrite: undefined,
  unsure: undefined,
  move: undefined,
  entered: undefined,
  delegated: undefined,
  delegations: undefined,
  given: undefined,
  lookedUp: NOTHING_LOOKED_UP,
  background: undefined,
  said: undefined,
  traces: undefined,
  doors: undefined,
  leave: false,
  turn: undefined,
  calling: undefined,
  planNews: undefined,
  chain: undefined,
  asked: undefined,
  ...more,
})

/** A session about whose work nothing is known. */
export const NO_BACKGROUND: Background = {
  now: '2026-03-01T12:00:00.000Z',
  dehydrations: [],
  lostCalls: [],
  changedFiles: [],
  files: [],
  finished: [],
  path: { visits: [] },
  contents: [],
  standards: [],
  queue: [],
  artifacts: [],
  approvals: [],
  others: [],
  loadedFiles: [],
  requiredFiles: [],
  related: [],
  root: '/p',
}

/** An event with no facts besides its own fields. */
export const subject = (of: HookEvent, more: Partial<Subject> = {}): Subject => ({
  event: of,
  invocations: [],
  reads: [],
  seen: [],
  directives: [],
  ...more,
})

/** A session with these open calls. */
export const during = (open_calls: Session['open_calls']) => ({ session: { ...SESSION, open_calls } })

export const SESSION: Session = {
  ...BLANK_SESSION,
  id: 1,
  task_id: '/p',
  effort_id: 7,
  native_id: 'native',
  client: 'claude-code',
}

const TOOL = { name: 'Read', does: { kind: 'other' }, input: null } as const
const HAPPENINGS = {
  started: { kind: 'session.started', source: 'startup' },
  ended: { kind: 'session.ended' },
  prompt: { kind: 'prompt.submitted', text: '', by: 'user' },
  before: { kind: 'tool.before', tool: TOOL },
  after: { kind: 'tool.after', tool: { ...TOOL, result: null, ended: true } },
} as const satisfies Record<string, Happening>

export const event = (what: keyof typeof HAPPENINGS, more: Partial<Happening> = {}): HookEvent =>
  ({ client: 'claude-code', ...HAPPENINGS[what], ...more }) as HookEvent

/** A call of a skill by its name. */
export const called = (of = skill(), more: object = {}): Facts['invoked'][number] => ({
  name: of.name,
  args: '',
  quick: false,
  skill: of,
  ...more,
})

/** A skill whose effort the session serves. */
export const served = (more: Partial<Effort> = {}) =>
  skill({ effort: effort({ request: 'a login page', ...more }) })

/** The efforts that a verdict begins or resumes. */
export const wish = (verdict: Verdict | undefined) =>
  verdict?.changes?.flatMap((change) => (change.kind === 'span.opened' ? [change.effort] : []))
