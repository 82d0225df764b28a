import { type Deed, type Skill, skillNamed, type SkillFile, type Source, type Tool } from './scene.ts'

/** Whoever is silent for longer counts as gone. */
const SILENT = 300_000
/** A start that is told twice comes within this time. */
const TWICE = 2000
const [REMIND_AFTER, REFUSE_AFTER] = [3, 10]
const MARKS = [80, 73]

interface Effort {
  readonly ordinal: number
  readonly skill: Skill
  active: boolean
  /** The steps in the order in which they were begun; all but the last are done. */
  readonly visits: string[]
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
  /** Of its client, from 0 on. */
  readonly number: number
  readonly follows: boolean
  readonly begun: number
  effort: Effort | undefined
  heard: number
  /** Tool calls since the last word in the log. */
  calls: number
  usage: number
  told: number
  dehydratedAt: number
}

interface Client {
  readonly name: string
  readonly project: Project
  readonly spans: Span[]
  /** The open window; the last one is kept for who comes back. */
  window: Window | undefined
  last: Window | undefined
  /** Tool calls that have begun and not ended. */
  underWay: Set<string>
  /** What was said and done, each with the window that it was in. */
  readonly messages: string[]
}

interface Project {
  isKnown: boolean
  readonly efforts: Effort[]
  readonly clients: Client[]
}

interface Recap {
  readonly kind: 'work' | 'waiting'
  readonly skill: string
  readonly ordinal: number
  /** The step to read, unless all were. */
  readonly next: string | undefined
}

/** What a deed must lead to. */
export interface Outcome {
  readonly decision: 'allow' | 'block'
  /** What the ledger gets, in order. */
  readonly ledger: readonly string[]
  /** Which warnings the agent reads. */
  readonly warnings: readonly string[]
  /** What a new window must be told: its own work, else what waits. */
  readonly recap: Recap | undefined
}

/** What must be in the store in the end. */
export interface Expected {
  readonly spans: Readonly<Record<string, readonly string[]>>
  readonly efforts: readonly string[]
  readonly messages: Readonly<Record<string, readonly string[]>>
}

/** A plain fold over deeds, written from the documents alone: it shares no line with what it judges. */
export class Oracle {
  readonly #projects: readonly Project[]
  #ledger: string[] = []
  #warnings: string[] = []
  #now = 0
  #opened = 0
  /** Whether somebody has gone on with an effort that was there. */
  #takesUp = false

  constructor(projects: number) {
    this.#projects = Array.from({ length: projects }, () => ({ isKnown: false, efforts: [], clients: [] }))
  }

  fold({ project: place, session, act, at }: Deed): Outcome {
    const project = this.#at(place)
    const client = this.#client(project, session)
    this.#ledger = []
    this.#warnings = []
    this.#now = at
    this.#takesUp = false
    let decision: Outcome['decision'] = 'allow'
    switch (act.kind) {
      case 'start':
        this.#start(client, act.source)
        break
      case 'prompt':
        this.#prompt(client, act.text)
        break
      case 'before':
        decision = this.#before(client, act.id, act.tool)
        break
      case 'after':
        this.#after(client, act.id, act.tool)
        break
      case 'failed':
        if (this.#heard(client)) client.underWay.delete(act.id)
        note(client, `tool ${act.id} failed`)
        break
      case 'stop':
        if (this.#heard(client)) client.underWay.clear()
        note(client, `assistant ${act.words}`)
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
        if (client.window !== undefined) client.window.heard = at
        break
      case 'usage':
        if (client.window !== undefined) client.window.usage = act.percent
        break
      case 'log':
        this.#log(client)
        break
      case 'finish':
        this.#finish(project, client.window?.effort)
        break
      default:
        act satisfies never
    }
    // Whoever takes up what a silent one was at says goodbye for it.
    if (this.#takesUp) this.#endOrphans(client)
    const recap = act.kind === 'start' ? this.#recap(client) : undefined
    return { decision, ledger: this.#ledger, warnings: this.#warnings, recap }
  }

  /** What the store must hold of a project. */
  expected(place: number): Expected {
    const { clients, efforts } = this.#at(place)
    return {
      spans: Object.fromEntries(
        clients.map(({ name, spans }) => [
          name,
          spans.map(
            (span) =>
              `${span.skill} ${span.status} #${span.effort?.ordinal ?? '-'} in ${span.parent === undefined ? '-' : spans.indexOf(span.parent)}: ${span.steps.join(' ')}`,
          ),
        ]),
      ),
      messages: Object.fromEntries(clients.map(({ name, messages }) => [name, messages])),
      efforts: efforts.map(
        ({ ordinal, skill, active, visits }) =>
          `#${ordinal} ${skill.name} ${active ? 'active' : 'finished'}: ${visits.map((step, index) => `${step}${index < visits.length - 1 ? ' ok' : ''}`).join(', ')}`,
      ),
    }
  }

  /** For whoever makes up the deeds: what a client is at, and what its calls are. */
  look(place: number, session: string) {
    const { window, underWay, spans } = this.#client(this.#at(place), session)
    const open = spans.findLast(({ status }) => status === 'active')
    const next = open?.effort === undefined ? undefined : nextOf(open.effort)
    return {
      isOpen: window !== undefined,
      hasEffort: window?.effort?.active === true,
      underWay,
      next: open === undefined || next === undefined ? undefined : { skill: open.skill, file: next },
    }
  }

  #at(place: number): Project {
    const project = this.#projects[place]
    if (project === undefined) throw new Error(`There is no project ${place}.`)
    return project
  }

  #client(project: Project, name: string): Client {
    const known = project.clients.find((one) => one.name === name)
    if (known !== undefined) return known
    const client: Client = {
      name,
      project,
      spans: [],
      window: undefined,
      last: undefined,
      underWay: new Set(),
      messages: [],
    }
    project.clients.push(client)
    return client
  }

  #say(...entries: readonly string[]): void {
    this.#ledger.push(...entries)
  }

  // Windows

  /** An event of somebody who is at work or was never heard of; what comes late, after the end, is nothing. */
  #heard(client: Client): boolean {
    if (client.window === undefined && client.last === undefined) this.#open(client)
    if (client.window === undefined) return false
    client.window.heard = this.#now
    return true
  }

  /** Who prompts or calls a tool without a start has resumed all the same. */
  #atWork(client: Client): Window {
    const isBack = client.window === undefined && client.last !== undefined
    const window = client.window ?? this.#open(client)
    if (isBack) this.#resume(client, 'resume')
    window.heard = this.#now
    return window
  }

  #open(client: Client): Window {
    const { project, window: before } = client
    if (!project.isKnown) this.#say('project.registered', 'task.created')
    project.isKnown = true
    if (before !== undefined) this.#close(client, 'continued')
    const work = client.last?.effort
    const isFree = work?.active === true && (before !== undefined || !this.#isHeld(work, client))
    client.window = {
      number: client.last === undefined ? 0 : client.last.number + 1,
      follows: client.last !== undefined,
      begun: this.#now,
      effort: isFree ? work : undefined,
      heard: this.#now,
      calls: 0,
      usage: 0,
      told: 0,
      dehydratedAt: -1,
    }
    // The order of the windows is that of the list.
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
    if (window === undefined || (isNext && !isTwice)) this.#open(client)
    this.#resume(client, source)
    if (client.window !== undefined) client.window.heard = this.#now
  }

  #resume(client: Client, source: Source): void {
    const work = client.window?.effort
    const isInCharge = client.spans.some(({ status }) => status === 'active')
    if (work?.active === true && !isInCharge) this.#takeCharge(client, work.skill, false, work)
    if (source !== 'compact') {
      this.#say(...[...client.underWay].map((id) => `tool.unknown ${id}`))
      client.underWay.clear()
    }
    this.#endOrphans(client)
  }

  /** Who was killed never said goodbye: the next one says it for them. */
  #endOrphans({ name, project }: Client): void {
    const gone = project.clients.filter(
      (one) => one.name !== name && one.window !== undefined && !this.#isAlive(one),
    )
    for (const one of gone) this.#close(one, 'orphaned')
    for (const one of gone) this.#completeAll(one)
  }

  #end(client: Client): void {
    this.#dehydrate(client)
    this.#completeAll(client)
    this.#close(client, 'finished')
  }

  #completeAll(client: Client): void {
    for (const span of openSpans(client)) this.#complete(span)
  }

  #isAlive = ({ window }: Client): boolean => window !== undefined && window.heard >= this.#now - SILENT

  /** Somebody else who lives works on it, or will come back to it. */
  #isHeld = (effort: Effort, { name, project }: Client): boolean =>
    project.clients.some(
      (one) =>
        one.name !== name &&
        this.#isAlive(one) &&
        (one.window?.effort === effort || openSpans(one).some((span) => span.effort === effort)),
    )

  // Skills

  #prompt(client: Client, text: string): void {
    this.#atWork(client)
    note(client, `user ${text}`)
    const skill = skillNamed(/^\/(\w+)/.exec(text)?.[1] ?? '')
    if (skill !== undefined) this.#takeCharge(client, skill, true)
    this.#warn(client)
  }

  /** The skill is the one in charge: its span goes on, comes back or begins, and what was active waits. */
  #takeCharge(client: Client, skill: Skill, asked = false, effort = this.#effortFor(client, skill)): void {
    const open = openSpans(client)
    const own = open.filter((span) => span.skill === skill.name)
    const others = open.filter((span) => span.skill !== skill.name)
    const caller = others.find(({ status }) => status === 'active') ?? others[0]
    const isNew = asked && effort !== undefined && isOver(effort)
    for (const span of others.filter(({ status }) => status === 'active')) {
      span.status = 'suspended'
      this.#say(`span.suspended ${span.skill}`)
    }
    const [mine] = own
    if (mine !== undefined && !isNew) {
      if (mine.status === 'active') return
      mine.status = 'active'
      this.#say(`span.resumed ${mine.skill}`)
      this.#serve(client, mine.effort)
      return
    }
    for (const span of own) this.#complete(span)
    if (isNew) this.#finish(client.project, effort)
    const work =
      skill.steps.length === 0
        ? undefined
        : isNew || effort === undefined
          ? this.#begin(client, skill)
          : effort
    const begun = { skill: skill.name, effort: work, parent: caller, status: 'active' } as const
    client.spans.push({ ...begun, number: this.#opened++, steps: [] })
    this.#say(`span.opened ${skill.name}`)
    this.#serve(client, work)
    this.#takesUp ||= work !== undefined && work === effort
  }

  /** What its span works on, else the newest that nobody is at. */
  #effortFor(client: Client, skill: Skill): Effort | undefined {
    const own = openSpans(client).find((span) => span.skill === skill.name)?.effort
    if (own?.active === true) return own
    return client.project.efforts.findLast(
      (effort) => effort.skill === skill && effort.active && !this.#isHeld(effort, client),
    )
  }

  #begin({ project }: Client, skill: Skill): Effort {
    const effort: Effort = { ordinal: project.efforts.length + 1, skill, active: true, visits: [] }
    project.efforts.push(effort)
    this.#say(`effort.started #${effort.ordinal}`)
    return effort
  }

  #finish({ clients }: Project, effort: Effort | undefined): void {
    if (effort === undefined || !effort.active) return
    const spans = clients.flatMap((one) => openSpans(one)).filter((span) => span.effort === effort)
    for (const span of spans.toSorted((a, b) => a.number - b.number)) this.#complete(span)
    effort.active = false
    this.#say(`effort.finished #${effort.ordinal}`)
  }

  #serve({ window, name }: Client, effort: Effort | undefined): void {
    if (window === undefined || effort === undefined || window.effort === effort) return
    window.effort = effort
    window.calls = 0
    this.#say(`session.switched ${name} #${effort.ordinal}`)
  }

  #complete(span: Span): void {
    span.status = 'completed'
    this.#say(`span.completed ${span.skill}`)
  }

  // Tools

  #before(client: Client, id: string, tool: Tool): Outcome['decision'] {
    const window = this.#atWork(client)
    const { calls, effort } = window
    // All rules judge by what was when the event came.
    const isWatched = effort?.active === true && effort.skill.heartbeat === true
    window.calls++
    client.underWay.add(id)
    const refused = tool.kind === 'read' ? this.#refused(client, tool.files) : undefined
    if (refused !== undefined) return this.#refuse(client, id, refused)
    const skill = tool.kind === 'skill' ? skillNamed(tool.name) : undefined
    if (skill !== undefined) this.#takeCharge(client, skill, true)
    if (!isWatched || tool.kind === 'todos' || tool.kind === 'ours') return 'allow'
    if (calls === REMIND_AFTER) this.#warnings.push('heartbeat')
    return calls < REFUSE_AFTER ? 'allow' : this.#refuse(client, id, 'tool.refused heartbeat')
  }

  #refuse({ underWay }: Client, id: string, entry: string): 'block' {
    underWay.delete(id)
    this.#say(entry)
    return 'block'
  }

  /** A step of a skill that is open and whose plan is written, before what it consumes is there. */
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
    note(client, `tool ${id} ended`)
    client.underWay.delete(id)
    if (tool.kind === 'read') this.#wasRead(client, tool.files)
    this.#warn(client)
  }

  /** Reading SKILL.md begins a skill; reading a step of one that is not open is browsing. */
  #wasRead(client: Client, files: readonly SkillFile[]): void {
    const before = openSpans(client)
    const spanOf = (skill: string) => before.find((span) => span.skill === skill)
    const atWork = files.filter(({ skill, file }) => file === 'SKILL' || spanOf(skill) !== undefined)
    const last = skillNamed(atWork.at(-1)?.skill ?? '')
    if (last !== undefined) this.#takeCharge(client, last)
    for (const { skill, file } of atWork) {
      const span = spanOf(skill)
      if (file !== 'SKILL' && span?.effort !== undefined) this.#visit(span, span.effort, file)
    }
  }

  #visit(span: Span, effort: Effort, step: string): void {
    if (effort.visits.includes(step)) return
    const isInOrder = mayBegin(effort, step)
    if (!isInOrder && span.steps.includes(step)) return
    if (isInOrder) effort.visits.push(step)
    if (!span.steps.includes(step)) span.steps.push(step)
    const order = isInOrder ? '' : ' out of order'
    this.#say(`step.visited ${span.skill} ${step} #${effort.ordinal}${order}`)
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

  /** A word in the log is a sign of life of all who serve the effort. */
  #log({ window, project }: Client): void {
    for (const one of project.clients)
      if (one.window !== undefined && one.window.effort === window?.effort) {
        one.window.calls = 0
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
    return { kind: isWork ? 'work' : 'waiting', skill: skill.name, ordinal, next: nextOf(effort) }
  }
}

/** What is told after the end is in no window. */
function note({ window, messages }: Client, what: string): void {
  if (window !== undefined) messages.push(`${window.number}: ${what}`)
}

/** Newest first. */
const openSpans = ({ spans }: Client): readonly Span[] =>
  spans.filter(({ status }) => status !== 'completed').toReversed()

/** `user-request` is always there, what is optional is not waited for, and going on ends what was begun. */
function mayBegin({ skill, visits }: Effort, step: string): boolean {
  if (visits.includes(step)) return true
  if (skill.numbered === true) return skill.steps[visits.length]?.file === step
  const consumes = skill.steps.find(({ file }) => file === step)?.consumes ?? []
  return consumes.every((artifact) => {
    const producers = skill.steps.filter(({ produces = [] }) => produces.includes(artifact))
    return (
      producers.length === 0 ||
      producers.some(({ file, optional }) => optional === true || visits.includes(file))
    )
  })
}

const isOver = ({ skill, visits }: Effort): boolean =>
  skill.steps.every(({ file, optional }) => optional === true || visits.includes(file))

const nextOf = (effort: Effort): string | undefined =>
  effort.skill.steps.find(({ file }) => !effort.visits.includes(file) && mayBegin(effort, file))?.file
