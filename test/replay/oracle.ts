import {
  type Course,
  courseOf,
  endAll,
  endWith,
  goTo,
  isRefusal,
  isReported,
  jumpTo,
  resumedAt,
  nameOf,
  nextIn,
  type Stage,
  stageOf,
  type Step,
} from './course.ts'
import { agentOf, linesOf, responseOf } from './payload.ts'
import {
  type Act,
  type Deed,
  DIRECTIVES,
  type Folder,
  type Half,
  HALVES,
  isPlanned,
  LINES,
  type Move,
  shownBy,
  type Skill,
  skillNamed,
  type SkillFile,
  type Source,
  type Todo,
  type Tool,
} from './scene.ts'
import { keepable, type Line, Script } from './script.ts'

/** Sessions that are silent for longer count as stale. */
const SILENT = 300_000
/** A repeated start comes within this time. */
const TWICE = 2000
const [REMIND_AFTER, REFUSE_AFTER] = [3, 10]
const MARKS = [80, 73]
/** Stands for the folder of a project in any text. */
export const PLACE = '/P'

interface Effort {
  readonly ordinal: number
  readonly skill: Skill
  active: boolean
  /** The words of the call that began it. */
  readonly request: string
  readonly task: Task
  /** The steps in the order of their start. */
  readonly visits: string[]
  /** The steps that ended when another one started. */
  readonly done: Set<string>
  /** The steps of which only a part was shown. */
  readonly begun: Set<string>
  /** What each session has seen of them, by session and step. */
  readonly seen: Map<string, ReadonlySet<Half>>
  /** Set for phases. */
  course: Course | undefined
  /** The phase that it entered last. */
  phase: string | undefined
  /** The required todos that were on a list, and those that are done. */
  readonly listed: Set<string>
  readonly ticked: Set<string>
  /** What the user allowed and nobody used yet. */
  readonly approved: string[]
}

/** A folder of work, made for the words of a call. */
interface Task {
  readonly words: string
}

interface Span {
  readonly number: number
  readonly skill: string
  readonly effort: Effort | undefined
  readonly parent: Span | undefined
  status: 'active' | 'suspended' | 'completed'
  readonly steps: string[]
}

interface Window {
  readonly follows: boolean
  readonly begun: number
  effort: Effort | undefined
  /** Undefined in the root of the project. */
  task: Task | undefined
  heard: number
  /** Tool calls since the last log entry. */
  calls: number
  /** Whether the agent was reminded since then. */
  isReminded: boolean
  usage: number
  told: number
  dehydratedAt: number
  /** The directives that the context has, and those that refused a write. */
  readonly directives: Map<Folder, 'told' | 'refused'>
}

/** Steps or a whole skill that one call delegated to a sub-agent that has not returned. */
interface HandedOver {
  readonly call: string
  readonly skill: string
  readonly effort: Effort | undefined
  readonly steps: readonly string[]
  /** The halves that the prompt held. */
  readonly holds: readonly Half[]
  /** What each sub-agent has seen, by sub-agent and step. */
  readonly seen: Map<string, ReadonlySet<Half>>
  /** Set for a whole skill: the words of the call, and its prompt. */
  readonly fork?: { readonly words: string; readonly prompt: string }
  /** The sub-agent, once it is known. */
  agent: string | undefined
  /** The sub-agents that have stopped before. */
  readonly stopped: Set<string>
}

/** What was shown of a step, to the session itself or to a sub-agent that had it. */
interface Shown {
  readonly effort: Effort
  readonly step: string
  readonly halves: ReadonlySet<Half>
  readonly isGiven?: boolean
}

/** A tool call of a sub-agent. */
type Call = Pick<Extract<Act, { kind: 'sub' }>, 'id' | 'tool'>

type Mode = 'full' | 'quick'

/** How a skill becomes active. */
interface Entry {
  /** The effort that it goes on with, if it does not begin anew. */
  readonly effort: Effort | undefined
  readonly words?: string
  readonly mode?: Mode
  readonly anew?: boolean
  readonly finishes?: boolean
  /** The user's own call, which no skill made. */
  readonly byUser?: boolean
}

/** A client, or a sub-agent that has called a skill with a plan and works in a scope of its own. */
interface Client {
  readonly name: string
  readonly project: Project
  /** The client of a sub-agent. */
  readonly parent: Client | undefined
  readonly spans: Span[]
  /** The open window; the last one is kept for a client that returns. */
  window: Window | undefined
  last: Window | undefined
  /** Tool calls that have started and not ended. */
  underWay: Set<string>
  readonly script: Script
  handedOver: HandedOver[]
}

interface Project {
  isKnown: boolean
  readonly efforts: Effort[]
  readonly clients: Client[]
}

/** What a new window must read. */
export interface Recap {
  readonly kind: 'work' | 'waiting'
  readonly skill: string
  readonly ordinal: number
  /** The step to read, unless all were read. */
  readonly next?: string | undefined
  /** The label of the step to end, once all were read. */
  readonly done?: string | undefined
  /** For phases: the current one, if any. */
  readonly phase?: string | null
}

/** What a deed must lead to. */
export interface Outcome {
  readonly decision: 'allow' | 'block'
  /** The ledger entries, in order. */
  readonly ledger: readonly string[]
  /** The warnings that the agent reads. */
  readonly warnings: readonly string[]
  /** What a new window must get: its own work, or else the waiting efforts. */
  readonly recap: Recap | undefined
}

/** The expected store at the end. */
export interface Expected {
  readonly messages: Readonly<Record<string, readonly string[]>>
  readonly spans: Readonly<Record<string, readonly string[]>>
  readonly efforts: readonly string[]
}

/** A simple fold over deeds, written only from the documents; it shares no code with the engine. */
export class Oracle {
  readonly #projects: readonly Project[]
  #ledger: string[] = []
  #warnings: string[] = []
  #now = 0
  #promptId = ''
  #opened = 0
  /** Whether an existing effort was resumed. */
  #takesUp = false

  constructor(projects: number) {
    this.#projects = Array.from({ length: projects }, () => ({ isKnown: false, efforts: [], clients: [] }))
  }

  fold(deed: Deed): Outcome {
    // A change of the daemon does not affect the clients; only reminders may come again.
    if (deed.act.kind === 'restart') {
      for (const { clients } of this.#projects)
        for (const { window } of clients) if (window !== undefined) window.isReminded = false
      return { decision: 'allow', ledger: [], warnings: [], recap: undefined }
    }
    const { project: place, session, act, at } = deed
    const project = this.#at(place)
    const client = this.#client(project, session)
    this.#ledger = []
    this.#warnings = []
    this.#now = at
    this.#promptId = deed.prompt
    this.#takesUp = false
    // The window that a start or an end closes gets the rest of its transcript before.
    if (act.kind === 'start' || (act.kind === 'end' && client.window !== undefined)) client.script.read()
    const decision = this.#perform(client, act)
    this.#write(client, act, decision === 'block')
    // Taking over the effort of a silent session ends that session.
    if (this.#takesUp) this.#endOrphans(client)
    const recap = act.kind === 'start' ? this.#recap(client) : undefined
    return { decision, ledger: this.#ledger, warnings: this.#warnings, recap }
  }

  #perform(client: Client, act: Exclude<Act, { kind: 'restart' }>): Outcome['decision'] {
    switch (act.kind) {
      case 'start':
        this.#start(client, act.source)
        break
      case 'prompt':
        this.#prompt(client, act.text)
        break
      case 'before':
        return this.#before(client, act.id, act.tool)
      case 'after':
        this.#after(client, act.id, act.tool)
        break
      case 'failed':
        if (!this.#heard(client)) break
        client.underWay.delete(act.id)
        this.#endDelegations(client, ({ call }) => call === act.id, 'failed')
        break
      case 'stop':
        if (this.#heard(client)) client.underWay.clear()
        break
      case 'notification':
        this.#heard(client)
        break
      case 'compacting':
        if (this.#heard(client)) this.#dehydrate(client)
        break
      case 'end':
        if (this.#heard(client)) this.#end(client)
        break
      case 'sub':
        return this.#sub(client, act)
      case 'usage':
        if (client.window !== undefined) client.window.usage = act.percent
        break
      case 'log':
        this.#log(client)
        break
      case 'unheard':
        break
      case 'finish':
        return this.#finishBy(client, act)
      case 'move':
        return this.#move(client, act.move)
      case 'tick':
        return this.#tick(client, act.item)
      case 'approve':
        return this.#approve(client, act.subject)
      default:
        act satisfies never
    }
    return 'allow'
  }

  /** A message is known if a hook of an open window reports it. */
  #write({ window, script }: Client, act: Act, isRefused: boolean): void {
    const lines = linesOf(act, isRefused, PLACE)
    const told =
      act.kind === 'after' ? JSON.stringify(responseOf({ ...act, result: keepable(act.result) })) : undefined
    const say = (line: Line) =>
      window === undefined || act.kind === 'unheard'
        ? script.write(line, this.#now)
        : script.tell(line, this.#now, told)
    for (const line of lines.before) say(line)
    if (window !== undefined && (act.kind === 'stop' || act.kind === 'compacting')) script.read()
    if (lines.half !== undefined) script.write(lines.half, this.#now)
    for (const line of lines.after) say(line)
  }

  /** The expected store of a project. */
  expected(place: number): Expected {
    const { clients, efforts } = this.#at(place)
    return {
      messages: Object.fromEntries(clients.map(({ name, script }) => [name, script.messages])),
      spans: Object.fromEntries(
        clients.map(({ name, spans }) => [
          name,
          spans.map(
            (span) =>
              `${span.skill} ${span.status} #${span.effort?.ordinal ?? '-'} in ${span.parent === undefined ? '-' : spans.indexOf(span.parent)}: ${span.steps.join(' ')}`,
          ),
        ]),
      ),
      efforts: efforts.map(
        ({ ordinal, skill, request, active, phase = '-', ...way }) =>
          `#${ordinal} ${skill.name} "${request}" ${active ? 'active' : 'finished'} ${phase}: ${visitsIn(way).join(', ')}`,
      ),
    }
  }

  /** For the generator of deeds: the work of a client, and its calls. */
  look(place: number, session: string) {
    const { window, spans } = this.#client(this.#at(place), session)
    return {
      hasEffort: window?.effort?.active === true,
      isWatched: window?.effort?.active === true && window.effort.skill.heartbeat === true,
      next: this.#nextIn(spans),
      course: window?.effort?.active === true ? window.effort.course : undefined,
      approved: window?.effort?.approved ?? [],
      todos: window?.effort?.active === true ? todosOf(window.effort) : [],
    }
  }

  /** The same for a sub-agent, if it has a scope. */
  nextOfAgent(place: number, session: string, agent: string): SkillFile | undefined {
    const scope = this.#at(place).clients.find(({ name }) => name === `${session}/${agent}`)
    return this.#nextIn(scope?.spans ?? [])
  }

  /** The steps that a sub-agent may have been given. */
  handedTo(place: number, session: string, agent: string): readonly SkillFile[] {
    return this.#client(this.#at(place), session)
      .handedOver.filter(({ call }) => agentOf(call) === agent)
      .flatMap(({ skill, steps }) => steps.map((file) => ({ skill, file })))
  }

  #nextIn(spans: readonly Span[]): SkillFile | undefined {
    const open = spans.findLast(({ status }) => status === 'active')
    const next = open?.effort === undefined ? undefined : nextOf(open.effort)
    return open === undefined || next === undefined ? undefined : { skill: open.skill, file: next }
  }

  #at(place: number): Project {
    const project = this.#projects[place]
    if (project === undefined) throw new Error(`There is no project ${place}.`)
    return project
  }

  #client(project: Project, name: string, parent?: Client): Client {
    const known = project.clients.find((one) => one.name === name)
    if (known !== undefined) return known
    const client: Client = {
      name,
      project,
      parent,
      spans: [],
      window: undefined,
      last: undefined,
      underWay: new Set(),
      script: new Script(),
      handedOver: [],
    }
    project.clients.push(client)
    return client
  }

  #say(...entries: readonly string[]): void {
    this.#ledger.push(...entries)
  }

  // Windows

  /** An event of an open or unknown session; a late event after the end has no effect. */
  #heard(client: Client): boolean {
    if (client.window === undefined && client.last === undefined) this.#open(client)
    if (client.window === undefined) return false
    client.window.heard = this.#now
    return true
  }

  /** A prompt or tool call without a start resumes the session. */
  #atWork(client: Client): Window {
    const isBack = client.window === undefined && client.last !== undefined
    const window = client.window ?? this.#open(client)
    if (isBack) this.#resume(client, 'resume')
    window.heard = this.#now
    return window
  }

  /** A cleared context has no directives. */
  #open(client: Client, forgets = false): Window {
    const { project, window: before } = client
    const known = forgets ? [] : ((before ?? client.last)?.directives ?? [])
    if (!project.isKnown) this.#say('project.registered', 'task.created')
    project.isKnown = true
    if (before !== undefined) this.#close(client, 'continued')
    const work = client.last?.effort
    // However silent the other session is: only an explicit continue takes an effort.
    const isFree = work?.active === true && (before !== undefined || !this.#isServed(work, client))
    client.window = {
      follows: client.last !== undefined,
      begun: this.#now,
      effort: isFree ? work : undefined,
      task: client.last?.task ?? before?.task ?? client.parent?.window?.task,
      heard: this.#now,
      calls: 0,
      isReminded: false,
      usage: 0,
      told: 0,
      dehydratedAt: -1,
      directives: new Map(known),
    }
    client.script.open()
    // The list has the order of the windows.
    project.clients.splice(project.clients.indexOf(client), 1)
    project.clients.push(client)
    this.#say(`session.started ${client.name}`)
    return client.window
  }

  #close(client: Client, reason: string): void {
    const { window } = client
    if (window === undefined) return
    if (window.dehydratedAt !== this.#now) this.#dehydrate(client)
    this.#say(`session.ended ${client.name} ${reason}`)
    client.last = window
    client.window = undefined
  }

  #dehydrate({ window }: Client): void {
    if (window?.effort?.active !== true) return
    window.dehydratedAt = this.#now
    this.#say(`effort.dehydrated #${window.effort.ordinal}`)
  }

  #start(client: Client, source: Source): void {
    const { window } = client
    const isNext = source === 'compact' || source === 'resume'
    const isTwice =
      window !== undefined &&
      (window.follows || source === 'resume') &&
      window.calls === 0 &&
      this.#now - window.begun < TWICE
    if (window === undefined || (isNext && !isTwice)) this.#open(client, source !== 'resume')
    if (source !== 'compact') this.#loseSubagents(client)
    this.#resume(client, source)
    if (client.window !== undefined) client.window.heard = this.#now
  }

  #resume(client: Client, source: Source): void {
    const work = client.window?.effort
    const isInCharge = client.spans.some(({ status }) => status === 'active')
    if (work?.active === true && !isInCharge) this.#takeCharge(client, work.skill, { effort: work })
    if (source !== 'compact') {
      this.#say(...[...client.underWay].map((id) => `tool.unknown ${id}`))
      client.underWay.clear()
    }
    this.#endOrphans(client)
  }

  /** A killed client sends no end, so the next session ends it. */
  #endOrphans({ name, project }: Client): void {
    const gone = project.clients.filter(
      (one) => one.name !== name && one.window !== undefined && !this.#isAlive(one),
    )
    for (const one of gone) this.#close(one, 'orphaned')
    for (const one of gone) this.#completeAll(one)
  }

  #end(client: Client): void {
    this.#loseSubagents(client)
    if (client.parent === undefined) this.#finishAllOver(client)
    this.#dehydrate(client)
    this.#completeAll(client)
    // A client ends with its sub-agents.
    for (const one of client.project.clients.filter(({ parent }) => parent === client)) {
      if (one.window === undefined) continue
      this.#completeAll(one)
      this.#close(one, 'finished')
    }
    this.#close(client, 'finished')
  }

  /** Work that needs no more ends with its session, unless somebody else is at it. */
  #finishAllOver(client: Client): void {
    const { project, window } = client
    for (const effort of new Set([window?.effort, ...openSpans(client).map((span) => span.effort)])) {
      const isElsewhere = project.clients.some((one) => one !== client && one.window?.effort === effort)
      if (effort?.active === true && isFulfilled(effort) && !isElsewhere) this.#finish(project, effort)
    }
  }

  #completeAll(client: Client): void {
    for (const span of openSpans(client)) this.#complete(span)
  }

  #isAlive = ({ window }: Client): boolean => window !== undefined && window.heard >= this.#now - SILENT

  /** Another live session works on it, or will return to it. */
  #isHeld = (effort: Effort, client: Client): boolean =>
    this.#isServed(effort, client, (one) => this.#isAlive(one))

  /** Another open session works on it, or will return to it. */
  #isServed = (
    effort: Effort,
    { name, project }: Client,
    counts = ({ window }: Client): boolean => window !== undefined,
  ): boolean =>
    project.clients.some(
      (one) =>
        one.name !== name &&
        counts(one) &&
        (one.window?.effort === effort || openSpans(one).some((span) => span.effort === effort)),
    )

  // Skills

  #prompt(client: Client, text: string): void {
    this.#atWork(client)
    const [, name = '', words = ''] = /^\/(\w+)(?: -(?=\s))?\s*(.*)$/s.exec(text) ?? []
    const skill = skillNamed(name)
    const isQuick = /^\/\w+ -\s/.test(text)
    if (skill?.forks === true) this.#fork(client, skill, this.#promptId, isQuick ? `- ${words}` : words)
    else if (skill !== undefined)
      this.#call(client, skill, { words, by: 'user', mode: isQuick ? 'quick' : 'full' })
    this.#warn(client)
  }

  /** The words of a user decide what a call goes on with; an agent goes on with what it has. */
  #call(
    client: Client,
    skill: Skill,
    {
      words,
      by,
      mode = 'full',
    }: { readonly words: string; readonly by: 'user' | 'agent'; readonly mode?: Mode },
  ): void {
    const own = this.#ownEffort(client, skill)
    const byUser = by === 'user' && client.parent === undefined
    if (words === '--continue' && (isPlanned(skill) || skill.headings !== undefined)) {
      const open = client.project.efforts.filter((one) => one.skill === skill && one.active)
      const free = open.findLast((one) => !this.#isHeld(one, client))
      // A sub-agent carries the skill out in any case.
      if (own === undefined && free === undefined && client.parent === undefined) return
      this.#takeCharge(client, skill, { effort: own ?? free, words: '', byUser })
      return
    }
    const work = client.window?.effort
    if (by === 'user' && work?.active === true && work.skill !== skill && isFulfilled(work))
      this.#finish(client.project, work)
    const isOther = by === 'user' && own !== undefined && words !== '' && words !== own.request
    const isUntouched = own?.request === '' && own.visits.length === 0 && (own.course?.tries.size ?? 0) === 0
    const finishes = own !== undefined && (isOver(own) || (isOther && isUntouched))
    this.#takeCharge(client, skill, { effort: own, words, mode, anew: isOther || finishes, finishes, byUser })
  }

  /** The skill becomes active: its span continues, resumes or starts, and the active one is suspended. */
  #takeCharge(client: Client, skill: Skill, entry: Entry): void {
    const { effort, words = '', mode = 'full', anew: isNew = false, finishes = false, byUser = false } = entry
    const open = openSpans(client)
    const own = open.filter((span) => span.skill === skill.name)
    const others = open.filter((span) => span.skill !== skill.name)
    const caller = byUser ? undefined : (others.find(({ status }) => status === 'active') ?? others[0])
    for (const span of others.filter(({ status }) => status === 'active')) {
      span.status = 'suspended'
      this.#say(`span.suspended ${span.skill}`)
    }
    const mine = own.find((span) => span.effort === effort)
    if (mine !== undefined && !isNew) {
      if (mine.status === 'active') return
      mine.status = 'active'
      this.#say(`span.resumed ${mine.skill}`)
      this.#serve(client, mine.effort)
      return
    }
    for (const span of own) this.#complete(span)
    if (finishes) this.#finish(client.project, effort)
    const work = !isPlanned(skill)
      ? undefined
      : isNew || effort === undefined
        ? this.#begin(client, skill, { request: words, mode, byUser })
        : effort
    const begun = { skill: skill.name, effort: work, parent: caller, status: 'active' } as const
    client.spans.push({ ...begun, number: this.#opened++, steps: [] })
    this.#say(`span.opened ${skill.name}`)
    this.#serve(client, work)
    this.#takesUp ||= work !== undefined && work === effort
  }

  /** The effort of the skill that this session serves. */
  #ownEffort(client: Client, skill: Skill): Effort | undefined {
    const own = openSpans(client).find((span) => span.skill === skill.name)?.effort ?? client.window?.effort
    return own?.active === true && own.skill === skill ? own : undefined
  }

  #begin(
    { project, window }: Client,
    skill: Skill,
    { request, mode, byUser }: { readonly request: string; readonly mode: Mode; readonly byUser: boolean },
  ): Effort {
    const isOther = byUser && request !== '' && request !== window?.task?.words
    const known = isOther ? undefined : window?.task
    if (known === undefined) this.#say('task.created')
    const task = known ?? { words: request }
    const about = { skill, request, task, active: true }
    const effort: Effort = { ordinal: project.efforts.length + 1, ...about, ...unbegun(skill.stages, mode) }
    project.efforts.push(effort)
    this.#say(`effort.started #${effort.ordinal}`)
    return effort
  }

  #finish({ clients }: Project, effort: Effort | undefined, outcome = 'completed'): void {
    if (effort === undefined || !effort.active) return
    const spans = clients.flatMap((one) => openSpans(one)).filter((span) => span.effort === effort)
    for (const span of spans.toSorted((a, b) => a.number - b.number)) this.#complete(span)
    // What was started and owes nothing ends well with its effort.
    const course = effort.course === undefined ? undefined : endAll(effort.course, new Set())
    if (course?.status === 'completed') effort.course = course
    if (isOver(effort)) for (const step of effort.visits) effort.done.add(step)
    effort.active = false
    this.#say(`effort.finished #${effort.ordinal} ${outcome}`)
  }

  #serve({ window, name }: Client, effort: Effort | undefined): void {
    if (window === undefined || effort === undefined || window.effort === effort) return
    window.effort = effort
    window.task = effort.task
    window.calls = 0
    window.isReminded = false
    this.#say(`session.switched ${name} #${effort.ordinal}`)
  }

  #complete(span: Span): void {
    span.status = 'completed'
    this.#say(`span.completed ${span.skill}`)
  }

  // Plans

  /** The proof that a move has: what it gives, and what the user waived. */
  #proof({ approved }: Effort, gives: readonly string[]): ReadonlySet<string> {
    const waived = approved.filter((one) => one.startsWith('proof ')).map((one) => one.slice('proof '.length))
    return new Set([...gives, ...waived])
  }

  #move(client: Client, move: Move): Outcome['decision'] {
    const effort = client.window?.effort
    if (effort?.course === undefined) throw new Error('Only an effort with phases moves.')
    const { course, skill, ordinal } = effort
    const { by, to, outcome, gives } = move
    const about = `${skill.name} ${to} #${ordinal}`
    const stage = stageOf(course, to)
    if (stage === undefined) {
      if (by === 'phase') this.#say(`phase.refused ${about}`)
      return 'block'
    }
    const proof = this.#proof(effort, gives)
    if (by === 'done') {
      if (isReported(course, to, outcome)) return 'allow'
      const ended = endWith(course, { label: to, outcome }, proof)
      if (isRefusal(ended)) return this.#refuseMove(`step.refused ${about}`)
      this.#say(`${outcome === 'fail' ? 'step.failed' : 'step.completed'} ${about} ${outcome}`)
      this.#go(client, effort, ended, gives)
      return 'allow'
    }
    if (course.current === to) return 'allow'
    const planned = goTo(course, to, proof)
    if (!isRefusal(planned)) {
      this.#go(client, effort, planned, gives)
      return 'allow'
    }
    const isBack =
      course.stages.indexOf(stage) < course.stages.findIndex(({ label }) => label === course.current)
    const isAllowed = (!planned.owes || isBack) && use(effort.approved, `phase ${nameOf(stage)}`)
    if (!isAllowed) return this.#refuseMove(`${by === 'phase' ? 'phase' : 'step'}.refused ${about}`)
    this.#say(`phase.skipped ${skill.name} ${nameOf(stage)} #${ordinal}`)
    this.#go(client, effort, jumpTo(course, to, proof), gives)
    return 'allow'
  }

  /** A command that enters a phase is judged before it runs, unless the user has allowed the phase. */
  #command(client: Client, id: string, move: Move): Outcome['decision'] {
    const effort = client.window?.effort
    const { by, to, gives } = move
    if (effort?.course === undefined || !effort.active) return 'allow'
    const { course, skill, ordinal } = effort
    const stage = stageOf(course, to)
    if (by !== 'done' && course.current !== to) {
      const mayGo = stage !== undefined && !isRefusal(goTo(course, to, this.#proof(effort, gives)))
      const name = stage === undefined ? to : nameOf(stage)
      if (!mayGo && !effort.approved.includes(`phase ${name}`))
        return this.#refuse(client, id, `phase.refused ${skill.name} ${name} #${ordinal}`)
    }
    this.#move(client, move)
    return 'allow'
  }

  #refuseMove(entry: string): 'block' {
    this.#say(entry)
    return 'block'
  }

  /** A waiver is used up when a phase ends well by it. */
  #go(client: Client, effort: Effort, { course, left }: Step, gives: readonly string[]): void {
    const before = effort.course
    effort.course = course
    if (before !== undefined && left?.outcome === 'ok')
      for (const field of stageOf(before, left.label)?.proof ?? [])
        if (!gives.includes(field)) use(effort.approved, `proof ${field}`)
    const stage = stageOf(course, course.current)
    const { skill, ordinal } = effort
    if (stage !== undefined) {
      this.#beat(client, effort)
      this.#say(`phase.entered ${skill.name} ${nameOf(stage)} #${ordinal}`)
      effort.phase = nameOf(stage)
    }
    if (course.status === 'parked') this.#say(`plan.parked #${ordinal}`)
    if (course.status === 'completed' && course.open.length === 0) this.#finish(client.project, effort)
  }

  /** Only todos that the skill names itself are ticked by hand. */
  #tick({ window }: Client, item: string): Outcome['decision'] {
    const effort = window?.effort
    if (effort?.skill.todos?.includes(item) !== true) return 'block'
    if (!effort.ticked.has(item)) this.#say(`todo.done ${item} #${effort.ordinal}`)
    effort.ticked.add(item)
    return 'allow'
  }

  /** A list must have every required todo that is not done, until all have been on a list. */
  #lacksTodos({ window }: Client, items: readonly Todo[]): boolean {
    const effort = window?.effort
    if (effort?.active !== true) return false
    const { listed, ticked } = effort
    const required = todosOf(effort)
    const isKnown = required.every((text) => listed.has(text) || ticked.has(text))
    const isThere = (text: string) => items.some(({ content }) => content === text)
    return !isKnown && required.some((text) => !ticked.has(text) && !isThere(text))
  }

  #heardTodos({ window }: Client, items: readonly Todo[]): void {
    const effort = window?.effort
    if (effort?.active !== true) return
    const { listed, ticked, ordinal } = effort
    for (const text of todosOf(effort)) {
      const about = items.filter(({ content }) => content === text)
      const isDone = about.some(({ status }) => status === 'completed')
      const marks = isDone ? ticked : listed
      const isNews = about.length > 0 && !ticked.has(text) && !marks.has(text)
      if (isNews) this.#say(`${isDone ? 'todo.done' : 'todo.listed'} ${text} #${ordinal}`)
      if (isNews) marks.add(text)
    }
  }

  #approve({ window }: Client, subject: string): Outcome['decision'] {
    const effort = window?.effort
    if (effort?.active !== true) throw new Error('Nobody approves anything of no work.')
    const stage = effort.course === undefined ? undefined : stageOf(effort.course, subject)
    const isField = effort.course?.stages.some(({ proof = [] }) => proof.includes(subject)) === true
    if (stage === undefined && !isField) return 'block'
    const found = stage === undefined ? `proof ${subject}` : `phase ${nameOf(stage)}`
    // A blocked plan continues there, which uses the approval up.
    if (stage !== undefined && effort.course?.status === 'parked')
      effort.course = resumedAt(effort.course, subject)
    else effort.approved.push(found)
    this.#say(`approval.given ${found} #${effort.ordinal}`)
    return 'allow'
  }

  /** What owes nothing ends well with the effort; anything else that is open must be abandoned. */
  #finishBy({ project, window }: Client, act: Extract<Act, { kind: 'finish' }>): Outcome['decision'] {
    const effort = window?.effort
    if (effort?.active !== true) return 'allow'
    const { visits, begun, done, ordinal } = effort
    const course =
      effort.course === undefined ? undefined : endAll(effort.course, this.#proof(effort, act.gives))
    const isDone = course === undefined ? isOver(effort) : course.status === 'completed'
    if (!isDone && !act.abandons && effort.skill.numbered !== true)
      return this.#refuseMove(`effort.refused #${ordinal}`)
    for (const step of visits) if (!begun.has(step)) done.add(step)
    effort.course = course
    this.#finish(project, effort, isDone || !act.abandons ? 'completed' : 'abandoned')
    return 'allow'
  }

  // Tools

  #before(client: Client, id: string, tool: Tool): Outcome['decision'] {
    const window = this.#atWork(client)
    const { calls, effort, isReminded } = window
    // All rules use the state before the event.
    const isWatched = effort?.active === true && effort.skill.heartbeat === true
    window.calls++
    client.underWay.add(id)
    const refused =
      tool.kind === 'read' ? this.#refused(client, tool.files) : this.#refusedToHand(client, tool)
    if (refused !== undefined) return this.#refuse(client, id, refused)
    if (tool.kind === 'todos' && this.#lacksTodos(client, tool.items))
      return this.#refuse(client, id, 'tool.refused todo-check')
    const skill = tool.kind === 'skill' ? skillNamed(tool.name) : undefined
    // A refused call starts no sub-agent.
    const isRefused = isWatched && calls >= REFUSE_AFTER
    if (skill?.forks === true) {
      if (!isRefused) this.#fork(client, skill, id, '')
    } else if (skill !== undefined) this.#call(client, skill, { words: '', by: 'agent' })
    if (isWatched && tool.kind !== 'todos' && tool.kind !== 'ours') {
      if (calls >= REFUSE_AFTER) return this.#refuse(client, id, 'tool.refused heartbeat')
      if (calls >= REMIND_AFTER && !isReminded) return this.#remind(client, id, { tool, effort })
    }
    return this.#allow(client, id, tool)
  }

  /** A call that another rule refuses, or that begins other work, leaves the reminder to a later one. */
  #remind(
    client: Client,
    id: string,
    { tool, effort }: { readonly tool: Tool; readonly effort: Effort },
  ): Outcome['decision'] {
    this.#warnings.push('heartbeat')
    const decision = this.#allow(client, id, tool)
    const { window } = client
    if (window !== undefined && window.effort === effort && decision === 'allow') window.isReminded = true
    return decision
  }

  #allow(client: Client, id: string, tool: Tool): Outcome['decision'] {
    if (tool.kind === 'work') return this.#work(client, id, tool)
    if (tool.kind === 'command') return this.#command(client, id, tool.move)
    if (tool.kind === 'agent') this.#handOver(client, id, tool)
    return 'allow'
  }

  /** Directives are sent once; a write before a required one is read is refused once. */
  #work(client: Client, id: string, { by, folder }: Extract<Tool, { kind: 'work' }>): Outcome['decision'] {
    const known = client.window?.directives
    if (by === 'directive' || known?.get(folder) === 'told') return 'allow'
    if (by === 'Edit' && DIRECTIVES[folder].isHard && known?.get(folder) === undefined) {
      known?.set(folder, 'refused')
      return this.#refuse(client, id, 'tool.refused directive-gate')
    }
    known?.set(folder, 'told')
    this.#warnings.push('directive')
    return 'allow'
  }

  // Sub-agents

  /** Delegating a step starts it; each of several counts as done for the next. */
  #refusedToHand(client: Client, tool: Tool): string | undefined {
    if (tool.kind !== 'agent') return undefined
    const imagined = new Map<Effort, Effort>()
    for (const { skill, file } of tool.steps) {
      const effort = openSpans(client).find((span) => span.skill === skill)?.effort
      if (effort === undefined) continue
      const now = imagined.get(effort) ?? {
        ...effort,
        visits: [...effort.visits],
        begun: new Set(effort.begun),
      }
      imagined.set(effort, now)
      if (mayBegin(now, file)) {
        now.visits.push(file)
        now.begun.delete(file)
      } else if (effort.skill.numbered !== true) return `step.refused ${skill} ${file} #${effort.ordinal}`
    }
    return undefined
  }

  /** The call waits at the main thread, because clients report every sub-agent there. */
  #fork({ parent, ...client }: Client, skill: Skill, call: string, words: string): void {
    const { handedOver } = parent ?? client
    const fork = { words, prompt: this.#promptId }
    const nothing = { effort: undefined, steps: [], holds: [], seen: new Map() }
    const given = { call, skill: skill.name, ...nothing, stopped: new Set<string>() }
    handedOver.push({ ...given, agent: undefined, fork })
    this.#say(`skill.forked ${skill.name}`)
  }

  /** A new sub-agent takes the oldest call of its prompt, as its own call. */
  #takeFork(client: Client, agent: string): boolean {
    if (client.handedOver.some((one) => one.agent === agent)) return false
    const waiting = client.handedOver.find(
      (one) => one.fork?.prompt === this.#promptId && one.agent === undefined,
    )
    const skill = skillNamed(waiting?.skill ?? '')
    if (waiting?.fork === undefined || skill === undefined) return false
    waiting.agent = agent
    const scope = this.#client(client.project, `${client.name}/${agent}`, client)
    this.#atWork(scope)
    this.#call(scope, skill, { words: waiting.fork.words.replace(/^- /, ''), by: 'user' })
    return true
  }

  #handOver(client: Client, call: string, { steps: files, holds }: Extract<Tool, { kind: 'agent' }>): void {
    for (const [skill, steps] of Map.groupBy(files, (one) => one.skill)) {
      const effort = openSpans(client).find((span) => span.skill === skill)?.effort
      if (effort === undefined) continue
      const names = steps.map(({ file }) => file)
      this.#say(...names.map((step) => `step.delegated ${skill} ${step} #${effort.ordinal}`))
      const given = { call, skill, effort, steps: names, holds }
      client.handedOver.push({ ...given, seen: new Map(), agent: undefined, stopped: new Set() })
    }
  }

  /** A sub-agent shows that its client lives, ends what it was given, and works in its scope if it has one. */
  #sub(client: Client, act: Extract<Act, { kind: 'sub' }>): Outcome['decision'] {
    const { event, agent, tool } = act
    if (client.window === undefined) return 'allow'
    client.window.heard = this.#now
    if (event === 'StopFailure') this.#endDelegations(client, (one) => one.agent === agent, 'failed')
    if (event === 'SubagentStop') {
      for (const one of client.handedOver) if (one.agent === undefined) one.stopped.add(agent)
      this.#endDelegations(client, (one) => one.agent === agent, 'ok')
    }
    if (event === 'PostToolUse' && tool.kind === 'read') this.#wasShown(client, agent, tool)
    const name = `${client.name}/${agent}`
    const scope = client.project.clients.find((one) => one.name === name)
    const calls = event === 'PreToolUse' && tool.kind === 'skill' ? skillNamed(tool.name) : undefined
    const isBack = scope?.last?.effort?.active === true
    const isNew = event === 'SubagentStart' && scope?.window === undefined
    if (isNew && this.#takeFork(client, agent)) return 'allow'
    if (scope?.window !== undefined || isBack) return this.#inScope(scope, act)
    // Only a skill with steps needs a scope.
    if (calls === undefined || !isPlanned(calls)) return 'allow'
    if (calls.forks === true) {
      this.#fork(client, calls, act.id, '')
      return 'allow'
    }
    return this.#inScope(scope ?? this.#client(client.project, name, client), act)
  }

  /** What a sub-agent reads counts for the steps that it may have been given. */
  #wasShown({ handedOver }: Client, agent: string, tool: Extract<Tool, { kind: 'read' }>): void {
    for (const { skill, steps, seen } of handedOver)
      for (const one of tool.files)
        if (one.skill === skill && steps.includes(one.file)) {
          const key = `${agent} ${one.file}`
          seen.set(key, new Set([...(seen.get(key) ?? []), ...shownBy(tool)]))
        }
  }

  /** In its scope, a sub-agent is what the main thread is in its window. */
  #inScope(scope: Client, { event, id, tool }: Extract<Act, { kind: 'sub' }>): Outcome['decision'] {
    switch (event) {
      case 'SubagentStart':
        if (scope.window === undefined) this.#start(scope, 'resume')
        return 'allow'
      case 'PreToolUse': {
        const decision = this.#before(scope, id, tool)
        this.#writeIn(scope, { id, tool }, decision === 'block' ? 'refused' : undefined)
        return decision
      }
      case 'PostToolUse':
        this.#after(scope, id, tool)
        this.#writeIn(scope, { id, tool }, JSON.stringify(responseOf({ id, tool })))
        return 'allow'
      case 'SubagentStop':
      case 'StopFailure':
        this.#stopIn(scope, event === 'SubagentStop')
        return 'allow'
      default:
        return event satisfies never
    }
  }

  /** A sub-agent that stops well has finished what it carried out. */
  #stopIn(scope: Client, isWell: boolean): void {
    if (scope.window === undefined) return
    scope.underWay.clear()
    const { effort } = scope.window
    if (isWell && effort?.active === true && isOver(effort)) this.#finish(scope.project, effort)
    this.#end(scope)
  }

  /** Only hooks report what a sub-agent does. */
  #writeIn({ window, script }: Client, call: Call, outcome?: string): void {
    if (window === undefined || outcome === undefined) return
    for (const line of linesOf({ kind: 'before', ...call }, false, PLACE).before)
      script.write(line, this.#now)
    script.tell({ kind: 'result', id: call.id, outcome }, this.#now)
  }

  #answered(client: Client, id: string, isBehind: boolean): void {
    for (const one of client.handedOver) if (one.call === id) one.agent ??= agentOf(id)
    const isBack = ({ call, stopped }: HandedOver) => call === id && (!isBehind || stopped.has(agentOf(id)))
    this.#endDelegations(client, isBack, 'ok')
  }

  /** A successful sub-agent counts for its effort, if the skill still works on it. */
  #endDelegations(client: Client, isIt: (one: HandedOver) => boolean, outcome: 'ok' | 'failed'): void {
    const ended = client.handedOver.filter(isIt)
    client.handedOver = client.handedOver.filter((one) => !ended.includes(one))
    for (const { skill, effort, steps, holds, seen, agent } of ended) {
      const span = openSpans(client).find((one) => one.skill === skill)
      if (outcome === 'ok' && effort !== undefined && span?.effort === effort)
        for (const step of steps) {
          const halves = new Set([...holds, ...(seen.get(`${agent} ${step}`) ?? [])])
          this.#visit(client, span, { effort, step, halves, isGiven: true })
        }
      this.#say(`delegation.ended ${skill} ${outcome} #${effort?.ordinal ?? ''}`)
    }
  }

  /** The sub-agents of a client end with it; one in the background outlives the sub-agent that started it. */
  #loseSubagents(client: Client): void {
    if (client.parent === undefined) this.#endDelegations(client, () => true, 'failed')
  }

  // Reading

  #refuse({ underWay }: Client, id: string, entry: string): 'block' {
    underWay.delete(id)
    this.#say(entry)
    return 'block'
  }

  /** A step of an open skill with an explicit plan, before its inputs exist. */
  #refused(client: Client, files: readonly SkillFile[]): string | undefined {
    for (const { skill, file } of files) {
      const effort = openSpans(client).find((span) => span.skill === skill)?.effort
      if (effort === undefined || file === 'SKILL' || effort.skill.numbered === true) continue
      if (!mayBegin(effort, file)) return `step.refused ${skill} ${file} #${effort.ordinal}`
    }
    return undefined
  }

  #after(client: Client, id: string, tool: Tool): void {
    if (!this.#heard(client)) return
    client.underWay.delete(id)
    if (tool.kind === 'read') this.#wasRead(client, tool)
    if (tool.kind === 'todos') this.#heardTodos(client, tool.items)
    if (tool.kind === 'agent') this.#answered(client, id, tool.isBehind)
    if (tool.kind === 'work' && tool.by === 'directive') client.window?.directives.set(tool.folder, 'told')
    this.#warn(client)
  }

  /** Reading SKILL.md starts a skill; reading a step of a closed skill is browsing. */
  #wasRead(client: Client, tool: Extract<Tool, { kind: 'read' }>): void {
    const before = openSpans(client)
    const halves = new Set(shownBy(tool))
    const files = tool.files.filter(({ file }) => file === 'SKILL' || halves.size > 0)
    const spanOf = (skill: string) => before.find((span) => span.skill === skill)
    const atWork = files.filter(({ skill, file }) => file === 'SKILL' || spanOf(skill) !== undefined)
    const last = skillNamed(atWork.at(-1)?.skill ?? '')
    if (last !== undefined) this.#takeCharge(client, last, { effort: this.#ownEffort(client, last) })
    for (const { skill, file } of atWork) {
      const span = spanOf(skill)
      if (file !== 'SKILL' && span?.effort !== undefined)
        this.#visit(client, span, { effort: span.effort, step: file, halves })
    }
  }

  /** A step counts by all that its session was shown; what a sub-agent was shown counts on its own. */
  #visit({ name }: Client, span: Span, { effort, step, halves, isGiven = false }: Shown): void {
    const { visits, begun, seen, done, ordinal } = effort
    const key = `${name} ${step}`
    const before = isGiven ? new Set<Half>() : (seen.get(key) ?? new Set())
    const now = new Set([...before, ...halves])
    const isWhole = now.size === HALVES.length
    const isKnown = visits.includes(step)
    const isOld = !begun.has(step) || (!isWhole && (isGiven || now.size === before.size))
    if (isKnown && isOld) return
    const isInOrder = mayBegin(effort, step)
    if (!isInOrder && span.steps.includes(step)) return
    if (!span.steps.includes(step)) span.steps.push(step)
    const about = `step.visited ${span.skill} ${step} #${ordinal}`
    if (!isInOrder) return this.#say(`${about} out of order`)
    if (!isKnown) {
      for (const one of visits) if (!begun.has(one)) done.add(one)
      visits.push(step)
    }
    if (isWhole) {
      begun.delete(step)
      seen.delete(key)
      return this.#say(about)
    }
    begun.add(step)
    seen.set(key, isGiven ? new Set() : now)
    this.#say(`${about} ${(now.size * LINES) / HALVES.length}/${LINES}`)
  }

  #warn({ window }: Client): void {
    if (window === undefined) return
    const mark = MARKS.find((one) => window.usage >= one) ?? 0
    if (mark > window.told) {
      this.#say(`context.warned ${mark}`)
      this.#warnings.push('context')
    }
    window.told = mark
  }

  /** A log entry is a heartbeat of all sessions that serve the effort. */
  #log(client: Client): void {
    this.#beat(client, client.window?.effort)
  }

  #beat({ project }: Client, effort: Effort | undefined): void {
    for (const one of project.clients)
      if (one.window !== undefined && one.window.effort === effort) {
        one.window.calls = 0
        one.window.isReminded = false
        one.window.heard = this.#now
      }
  }

  #recap(client: Client): Recap | undefined {
    const work = client.window?.effort
    const isWork = work?.active === true
    const waits = (one: Effort) => one.active && !this.#isHeld(one, client)
    const effort = isWork ? work : client.project.efforts.findLast(waits)
    if (effort === undefined) return undefined
    const { skill, ordinal } = effort
    const [kind, next] = [isWork ? ('work' as const) : ('waiting' as const), nextOf(effort)]
    if (effort.course !== undefined)
      return { kind, skill: skill.name, ordinal, phase: effort.phase ?? null, next: nextIn(effort.course) }
    return {
      kind,
      skill: skill.name,
      ordinal,
      next,
      done: next === undefined ? startedIn(effort) : undefined,
    }
  }
}

/** An effort whose plan was not touched. */
const unbegun = (stages: readonly Stage[] | undefined, mode: Mode) => ({
  visits: [],
  done: new Set<string>(),
  begun: new Set<string>(),
  seen: new Map(),
  course: stages === undefined ? undefined : courseOf(stages, mode),
  phase: undefined,
  listed: new Set<string>(),
  ticked: new Set<string>(),
  approved: [],
})

/** The phases of its mode are todos, unless the skill names others. */
const todosOf = ({ skill, course }: Effort): readonly string[] =>
  skill.todos ?? (course?.stages ?? []).filter(({ optional }) => optional !== true).map(({ name }) => name)

/** Uses up one approval, if there is one. */
function use(approved: string[], what: string): boolean {
  const at = approved.indexOf(what)
  if (at >= 0) approved.splice(at, 1)
  return at >= 0
}

/** Newest first. */
const openSpans = ({ spans }: Client): readonly Span[] =>
  spans.filter(({ status }) => status !== 'completed').toReversed()

/** `user-request` always exists, optional steps are not required, and the next step ends the one before. */
function mayBegin({ skill, visits, begun }: Effort, step: string): boolean {
  if (visits.includes(step)) return true
  if (skill.numbered === true) return begun.size === 0 && skill.steps[visits.length]?.file === step
  const consumes = skill.steps.find(({ file }) => file === step)?.consumes ?? []
  return consumes.every((artifact) => {
    const producers = skill.steps.filter(({ produces = [] }) => produces.includes(artifact))
    return (
      producers.length === 0 ||
      producers.some(({ file, optional }) => optional === true || (visits.includes(file) && !begun.has(file)))
    )
  })
}

const isOver = ({ skill, visits, begun }: Effort): boolean =>
  skill.stages === undefined &&
  begun.size === 0 &&
  skill.steps.every(({ file, optional }) => optional === true || visits.includes(file))

/** True if the plan needs no more, although nobody said so. */
function isFulfilled(effort: Effort): boolean {
  if (effort.course === undefined) return isOver(effort)
  const isTicked = (effort.skill.todos ?? []).every((text) => effort.ticked.has(text))
  return isTicked && effort.course.tries.size > 0 && endAll(effort.course, new Set()).status === 'completed'
}

/** What was read in part comes first. */
const nextOf = (effort: Effort): string | undefined =>
  effort.visits.find((step) => effort.begun.has(step)) ??
  effort.skill.steps.find(({ file }) => !effort.visits.includes(file) && mayBegin(effort, file))?.file

/** The label of the step that was started last, and not ended. */
function startedIn({ skill, visits, done }: Effort): string | undefined {
  const started = visits.findLast((step) => !done.has(step))
  const at = skill.steps.findIndex(({ file }) => file === started)
  return skill.numbered === true ? `${at + 1}` : started
}

/** The steps in the order of their start, with their outcomes; a phase also with the number of its entries. */
function visitsIn({ visits, done, course }: Pick<Effort, 'visits' | 'done' | 'course'>): readonly string[] {
  if (course === undefined) return visits.map((step) => `${step} ×1${done.has(step) ? ' ok' : ''}`)
  return [...course.tries].map(([label, tries]) =>
    `${label} ×${tries} ${course.outcomes.get(label) ?? ''}`.trim(),
  )
}
