import { type Level, LEVELS } from './level.ts'
import { shellWord } from './shell/word.ts'
import { flagIn } from './text/flag.ts'

/** The words of one call of our program, without its name. */
export type OurWords = readonly string[]

/** What was typed after the name of a command. */
export interface Typed {
  readonly positionals: readonly string[]
  /** Flags by their declared names; a switch has the value `true`. */
  readonly flags: Readonly<Record<string, string>>
}

/** True if a command, as typed, loosens the rules that hold an agent. */
type Loosens = (typed: Typed) => boolean

const always: Loosens = () => true
const never: Loosens = () => false
/** A value counts whatever it says; also `false` is a reason. */
const withValue =
  (...names: readonly string[]): Loosens =>
  ({ flags }) =>
    names.some((name) => flags[name] !== undefined)
const isOn = ({ flags }: Typed, name: string): boolean => flags[name] !== undefined && flags[name] !== 'false'
const withSwitch =
  (name: string): Loosens =>
  (typed) =>
    isOn(typed, name)

/** Tables with what was read, said and answered, steps included, and SQL that can hide their names. */
const TOLD_TEXTS = /messages|dehydrat|idempotency|u&|query_to|_to_xml|ts_stat|^[@-]/i

const opensGate: Loosens = ({ flags: { session_gate: gate } }) => gate !== undefined && gate !== 'on'

const levelIn = (typed: Typed): Level | undefined =>
  LEVELS.findLast((level) => typed.positionals[0] === level || isOn(typed, level))

const all = <L>(loosens: L, names: string): readonly (readonly [string, L])[] =>
  names
    .trim()
    .split(/\s*,\s*/)
    .map((name) => [name, loosens])

/** Every command, and when it is a door: a way to loosen the rules. Each new command is added here. */
export const COMMAND_DOORS: ReadonlyMap<string, Loosens> = new Map([
  ...all(
    always,
    'init, chain drop, work retry, worker stop, effort approve, effort accept, config set, config unset, daemon stop, daemon rotate-token, hook, backup',
  ),
  ...all((typed: Typed) => !isOn(typed, 'dry_run'), 'uninstall, prune'),
  // An import lets every agent find what other sessions said, and forgetting deletes traces of an agent.
  ...all((typed: Typed) => !isOn(typed, 'dry_run') && !isOn(typed, 'status'), 'import, forget'),
  // An agent must not turn back the state that holds it.
  ['restore', always],
  ['enforce', (typed) => levelIn(typed) !== undefined || opensGate(typed)],
  // What is installed holds an agent, and may take the place of what the user wrote.
  ...all(always, 'skill trust, skill untrust, skill install, skill uninstall'),
  ['skill adopt', (typed) => isOn(typed, 'remove') || isOn(typed, 'replace')],
  ['pause', (typed) => typed.positionals[0] !== 'off' && !isOn(typed, 'off')],
  ['rpc', ({ positionals: [method, params] }) => isMethodDoor(method, params)],
  ['query', ({ positionals: [sql = ''] }) => TOLD_TEXTS.test(sql)],
  ...all(withValue('reason', 'user_approved'), 'effort start, session activate'),
  ...all(withValue('reason', 'user_approved'), 'effort phase, session phase, step go'),
  ...all(withValue('abandon'), 'effort finish, session deactivate'),
  // The user pays for what models answer.
  ['ai test', always],
  // What another session has open is not for an agent to take.
  ...all(withSwitch('take'), 'session continue, agent claim, agent release'),
  // Another skill in place of one that the user asked for drops that one.
  ['chain resume', (typed) => isOn(typed, 'take') || typed.flags['as'] !== undefined],
  ...all(withValue('effort', 'prev_session'), 'session start'),
  ...all(always, 'session finish'),
  ...all(always, 'directive dereference'),
  ...all(
    never,
    `hooks enable, config list, config get, status, recap, fleet, why, prove, span tree, ledger, log, logs,
    doctor, completion, demo, ai status, statusline, daemon start, daemon status, daemon run, backups`,
  ),
  ...all(
    never,
    `effort show, effort list, effort validate, effort find-active, effort tick, step, step done, step fail, step skip,
    pipeline, pipeline start, pipeline next, pipeline done, pipeline fail, pipeline status,
    runbook next, runbook report, runbook status`,
  ),
  ...all(
    never,
    `session dehydrate, session check, session init, session debrief, session idle,
    session restart, session find, session list, session show, task summarize, session heartbeat, session mark-stale,
    session update-context-usage, session update-loaded-files`,
  ),
  ...all(
    never,
    `project list, project upsert, task find, task list, task upsert, artifact list, artifact put,
    agent show, agent list, agent register, directive discover, directive resolve, queue add,
    queue list, queue resolve, work add, work import, work list, work show, work ready, work claim, work renew, work done,
    work fail, work block, work release, work recover,
    implement, worker start, worker run, worker list, search, index, handoff, handoff write, handoff next, learn, todo, todo list, todo add, todo start,
    todo done, todo block, todo cancel, todo next, todo check, todo context, chain, chain list, chain show, chain push, chain next, run list, run show, run publish, run log, skill check, skill list, skill show,
    skill graph, skill new, skill link, skill test`,
  ),
  // Agents write runbooks; a running effort keeps its plan.
  ...all(never, 'runbook check, runbook compile'),
])

/** Commands that change work for the session that calls, and must not act for another one. */
export const ACTING: ReadonlySet<string> = new Set(
  all(
    true,
    `effort start, effort phase, effort finish, effort tick, step, step go, step done, step fail, step skip,
    session activate, session phase, session deactivate, session start, session continue, session dehydrate,
    session debrief, session idle, session restart, pipeline start, pipeline next, pipeline done, pipeline fail,
    runbook next, runbook report, agent claim, agent release, chain push, chain resume, artifact put, prove, log, run log,
    handoff write, rpc`,
  ).map(([name]) => name),
)

/** True if a call with these parameters loosens the rules. */
type MethodLoosens = (params: Readonly<Record<string, unknown>>) => boolean

const given =
  (...names: readonly string[]): MethodLoosens =>
  (params) =>
    names.some((name) => params[name] !== undefined && params[name] !== null)

const takes: MethodLoosens = ({ take }) => take !== undefined && take !== false

/** The same for every method that a caller names; our own commands are judged as commands. */
export const METHOD_DOORS: ReadonlyMap<string, MethodLoosens> = new Map<string, MethodLoosens>([
  ...all<MethodLoosens>(
    () => true,
    `db.effort.accept, db.effort.approve, db.project.setLevel, db.project.setSessionGate, db.skills.delete, work.allow, worker.stop,
    db.skills.upsert, continuation.drop, daemon.stop, daemon.handOver, daemon.prune, daemon.rotateToken, db.session.finish,
    skill.trust, skill.untrust, memory.import`,
  ),
  ['memory.forget', ({ dry_run: isDry }) => isDry !== true],
  ...all<MethodLoosens>(given('reason'), 'db.effort.phase, step.enter'),
  ['db.effort.finish', given('abandon')],
  ['commands.effort.start', given('user_approved')],
  ['db.session.start', given('effort_id', 'prev_session_id')],
  ...all<MethodLoosens>(takes, 'commands.session.continue, db.agents.claim, db.agents.release'),
  ['continuation.resume', (params) => takes(params) || given('as')(params)],
  // Only `prove` runs the command of the plan; another caller could report any exit code.
  ...all<MethodLoosens>(() => true, 'evidence.begin, evidence.finish, step.run'),
  // Later sessions are told what somebody said, so an agent must not say it for them.
  ['db.messages.append', ({ role }) => role !== 'tool' && role !== 'system'],
  // Only our own command tells what git says.
  ['runbook.next', () => true],
  // These read and write files of a project past the gates, or show what others have read.
  ...all<MethodLoosens>(
    () => true,
    'fs.files.read, fs.files.append, agent.directives.dereference, db.messages.list',
  ),
  // The user pays for what models answer; a search pays only for its question.
  ...all<MethodLoosens>(() => true, 'ai.embed, ai.generate'),
  // Only our own program tells who calls it.
  ...all<MethodLoosens>(() => true, 'door.open, door.pass'),
  // Only a client tells what happened in it.
  ...all<MethodLoosens>(
    () => true,
    `hooks.configChange, hooks.handle, hooks.notification, hooks.permissionRequest, hooks.postToolUse,
    hooks.postToolUseFailure, hooks.preCompact, hooks.preToolUse, hooks.sessionEnd, hooks.sessionStart,
    hooks.stop, hooks.subagentStart, hooks.subagentStop, hooks.taskCompleted, hooks.teammateIdle,
    hooks.userPrompt`,
  ),
  ...all<MethodLoosens>(
    () => false,
    `ai.status, agent.directives.discover, agent.directives.resolve, agent.skills.list, agent.skills.parse,
    artifact.list, artifact.put, commands.effort.meant, commands.log.append,
    continuation.list, continuation.next, continuation.push,
    daemon.canary, daemon.methods, daemon.ping, daemon.prunable, daemon.status, db.agents.get,
    db.agents.list, db.agents.register, db.effort.dehydrate, db.effort.findActive,
    db.effort.get, db.effort.list, db.effort.recap, db.effort.start, db.effort.tick, db.effort.validate,
    db.project.list, db.project.status, db.project.upsert,
    db.session.find, db.session.list, db.session.show, db.session.heartbeat, db.session.markStale,
    db.session.updateContextUsage, db.session.updateLoadedFiles, db.skills.find, db.skills.get,
    db.skills.list, db.task.find, db.task.list, db.task.upsert, task.summarize, fleet.list, fs.paths.resolve,
    handoff.add, handoff.check, handoff.learn, handoff.set, handoff.show, handoff.write, ledger.list,
    ledger.subscribe, memory.known, memory.resume, memory.status, pipeline.continue, pipeline.done, pipeline.fail, pipeline.next,
    pipeline.start, pipeline.status, queue.add, queue.list, queue.resolve, run.list, run.log, run.publish,
    run.show, runbook.report, runbook.status, search.delete, search.directives,
    search.docs, search.query, search.reindex, search.sessions, search.status, search.upsert, span.list, span.tree, scheduler.expire, scheduler.recover, statusline.show, work.add, work.claim, work.list, work.renew, work.report, work.show, worker.beat, worker.end, worker.list, worker.start, step.child, step.leave, step.show, step.start`,
  ),
])

/** Everything that a method could be told to loosen with. */
const ANYTHING = {
  reason: '',
  abandon: '',
  user_approved: '',
  take: true,
  as: '',
  role: '',
  effort_id: 0,
  prev_session_id: 0,
}

/** True if a method can be called in a way that loosens the rules. */
export const mayLoosen = (method: string): boolean => METHOD_DOORS.get(method)?.(ANYTHING) ?? false

function isMethodDoor(method: string | undefined, params: string | undefined): boolean {
  return METHOD_DOORS.get(method ?? '')?.(parsed(params)) ?? false
}

/** What cannot be read here may say anything. */
function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {}
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return ANYTHING
  }
}

/** True if these words call a door. */
export function isDoor(words: OurWords): boolean {
  const { name, rest } = named(words)
  return COMMAND_DOORS.get(name)?.(typedIn(rest)) ?? false
}

/** The longest name of a command that the words begin with, and what follows it. */
export function named(words: OurWords): { readonly name: string; readonly rest: OurWords } {
  const from = words.findIndex((word) => !word.startsWith('-'))
  const own = from === -1 ? [] : words.slice(from)
  for (const length of [3, 2, 1]) {
    const name = own.slice(0, length).join(' ')
    if (own.length >= length && COMMAND_DOORS.has(name)) return { name, rest: own.slice(length) }
  }
  return { name: '', rest: [] }
}

/** Flags before a level that take the next word; the commands are not known here. */
export const VALUE_FLAGS: ReadonlySet<string> = new Set(['project', 'session_gate', 'scope', 'client'])

function typedIn(words: OurWords): Typed {
  const positionals: string[] = []
  const flags: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') {
      positionals.push(...words.slice(at + 1))
      break
    }
    const flag = flagIn(word)
    if (flag === undefined) positionals.push(word)
    else if (VALUE_FLAGS.has(flag.name)) flags[flag.name] = flag.given ?? words[++at] ?? ''
    // A switch that is on stays on.
    else if (flags[flag.name] !== 'true') flags[flag.name] = flag.given ?? 'true'
  }
  return { positionals, flags }
}

/** True if these words take or end what another session has open, instead of loosening a rule. */
const takesWork = (words: OurWords): boolean => {
  const { name, rest } = named(words)
  if (name === 'chain resume') return isOn(typedIn(rest), 'take')
  return ['session continue', 'session start', 'session finish', 'agent claim', 'agent release'].includes(
    name,
  )
}

/** True if these words send texts to a model. */
const spends = (words: OurWords): boolean => {
  const { name, rest } = named(words)
  return (
    name === 'ai test' ||
    (name === 'rpc' && /^ai\.(?:embed|generate)$/.test(typedIn(rest).positionals[0] ?? ''))
  )
}

/** What doors do, in words for the user. */
export function whatDoorsDo(doors: readonly OurWords[], rules = 'loosen the rules'): string {
  if (doors.every(takesWork)) return 'take work from another session'
  return doors.every(spends) ? 'send texts to a model, which may cost money' : rules
}

/** Why an agent may not open doors, and who may; work that the user takes goes to the session that asked. */
export const onlyTheUser = (doors: readonly OurWords[], session: string | undefined): string =>
  `Only the user can ${whatDoorsDo(doors)}. Next: ask the user to run ${doors.map((words) => asCommand(inSession(words, session))).join(' and ')} in a terminal of their own, outside of the client, or go on within the plan (holdfast step shows how).`

const inSession = (words: OurWords, session: string | undefined): OurWords =>
  session === undefined || named(words).name !== 'session continue'
    ? words
    : [...words, '--native-id', session]

const raises = (wanted: Level | undefined, from: Level): boolean =>
  wanted === undefined || LEVELS.indexOf(wanted) >= LEVELS.indexOf(from)

/** True if these words only raise a level that is this now, or keep it; `locked` also writes hooks anew, as `init` does. */
export function isRaise(words: OurWords, levels: LevelsNow): boolean {
  const { name, rest } = named(words)
  return name === 'enforce' && levelIn(typedIn(rest)) !== 'locked' && keepsLevel(typedIn(rest), levels)
}

const keepsLevel = (typed: Typed, { own, general }: LevelsNow): boolean =>
  !opensGate(typed) && raises(levelIn(typed), isOn(typed, 'default') ? general : own)

/** True if the user loosens nothing with these words. For an agent, `init` and `enforce locked` stay doors. */
export function isTightening(words: OurWords, levels: LevelsNow): boolean {
  const { name, rest } = named(words)
  const typed = typedIn(rest)
  if (name !== 'init') return name === 'enforce' && keepsLevel(typed, levels)
  const wanted = levelIn(typed)
  const allowsMore = isOn(typed, 'allow_holdfast') || isOn(typed, 'allow_skills')
  return !allowsMore && raises(wanted, levels.own) && raises(wanted, levels.general)
}

/** The level of a project, and of projects without one of their own. */
export interface LevelsNow {
  readonly own: Level
  readonly general: Level
}

/** A call as the user would type it. */
export const asCommand = (words: OurWords): string => ['holdfast', ...words.map(shellWord)].join(' ')

/** The same for the ledger, which must not say what is forgotten. */
export function asRecorded(words: OurWords): string {
  const { name, rest } = named(words)
  const forgets = name === 'forget' || (name === 'import' && isOn(typedIn(rest), 'forget'))
  return forgets ? 'holdfast forget …' : asCommand(words)
}
