import * as fc from 'fast-check'
import type { Answer, Params } from '../world.contract.ts'

/**
 * A simple second model of tasks, efforts, phases, sessions and agents, without code of the engine.
 */
export interface Model {
  readonly tasks: Map<string, { title: string | null; keywords: string[]; ordinals: number }>
  readonly efforts: Effort[]
  readonly agents: Map<string, Agent>
  readonly sessions: Session[]
  /** What happened, in order. */
  readonly ledger: string[]
}

interface Effort {
  readonly id: number
  readonly task: string
  readonly skill: string
  readonly ordinal: number
  finished: boolean
  phase: string | null
  readonly history: { readonly phase_label: string; readonly proof: unknown }[]
  agent: string | null
}

interface Agent {
  label: string | null
  claims: readonly string[]
  effort: Effort | undefined
}

interface Session {
  readonly id: number
  task: string
  /** Undefined for the ad-hoc effort of the task. */
  effort: Effort | undefined
  readonly native: string | null
  readonly prev: number | null
  agent: string | null
  ended: string | null
  payload: string | null
  /** Every state since the last durable one; a crash may leave any of them. The newest is visible. */
  states: State[]
}

export interface State {
  readonly beats: number
  readonly usage: number | null
  readonly files: readonly string[]
}

/** A call, with its expected error or its effect on the model. */
export interface Move {
  readonly method: string
  readonly params: Params
  /** May be lost in a crash. */
  readonly volatile?: boolean
  readonly outcome: { readonly error: string; readonly told?: string } | ((answer: Answer) => void)
}

/** Chooses a call that can be made in this state, if there is one. */
export type Choose = (model: Model) => Move | undefined

/** The skill `planned`: the next phases of each phase, and the proof to leave it. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  '': ['1'],
  '1': ['1.1', '2'],
  '1.1': ['2'],
  '2': ['2.A', '2.B'],
  '2.A': ['3'],
  '2.B': ['3'],
  '3': [],
}
const PROOF: Readonly<Record<string, string>> = { '1': 'ok', '2.B': 'done' }
const DECLARED = ['1', '2', '2.A', '2.B', '3']
const ORDER = ['1', '1.1', '2', '2.A', '2.B', '3']

export const PLANNED = DECLARED.map((label) => ({
  label,
  name: 'x',
  proof: PROOF[label] === undefined ? [] : [PROOF[label]],
}))

/** The calls of a test; `tasks` are the folders of all possible tasks. */
export function moves(tasks: readonly string[]): readonly fc.Arbitrary<{ name: string; choose: Choose }>[] {
  const which = fc.oneof(fc.nat(1), fc.nat(50))
  const task = fc.constantFrom(...tasks)
  const agent = fc.constantFrom('fox', 'owl')
  const named =
    (name: string) =>
    <T>(choose: (choice: T) => Choose, choices: fc.Arbitrary<T>) =>
      choices.map((choice) => ({ name: `${name} ${JSON.stringify(choice)}`, choose: choose(choice) }))
  const starts = fc.record({
    task,
    skill: fc.constantFrom('planned', 'planned', 'free'),
    agent: maybe(agent),
  })
  const enters = {
    label: fc.oneof(
      { weight: 3, arbitrary: fc.nat(3) },
      { weight: 2, arbitrary: fc.constantFrom('1', '2', '2.A', '2.B', '3', '1.1', '4', '2.C') },
    ),
    proof: fc.constantFrom(
      undefined,
      { ok: true, done: false },
      { ok: 0, done: 0 },
      { ok: false },
      { ok: '' },
    ),
    reason: fc.constantFrom(undefined, undefined, undefined, 'because'),
  }
  const opens = fc.record({
    task,
    which: maybe(which),
    agent: maybe(agent),
    native: maybe(fc.constantFrom('n1', 'n2')),
    prev: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: which }),
  })
  const labels = {
    label: maybe(fc.constantFrom('', 'L', 'M')),
    claims: maybe(fc.constantFrom('', 'a', 'a,planned')),
  }
  const words = maybe(fc.constantFrom('', 'k', 'k,l', 'm'))
  const some = fc.integer({ min: 0, max: 9 })
  return [
    named('task')(upsertTask, fc.record({ task, title: maybe(fc.constantFrom('x', 'y')) })),
    named('register')(register, fc.record({ id: agent, ...labels })),
    named('start')(start, starts),
    named('start')(start, starts),
    named('finish')(finish, fc.record({ which, keywords: words })),
    named('phase')(enter, fc.record({ ...enters, which })),
    ...Array.from({ length: 6 }, () =>
      named('phase')(enter, fc.record({ ...enters, which: fc.constant('furthest' as const) })),
    ),
    named('claim')(claim, fc.record({ agent, which })),
    named('release')(release, fc.record({ agent })),
    named('session')(open, opens),
    named('session')(open, opens),
    named('end')(close, fc.record({ which, payload: maybe(fc.constantFrom('p', 'q')) })),
    named('beat')(beat, fc.record({ which })),
    named('usage')(usage, fc.record({ which, n: some })),
    named('files')(files, fc.record({ which, n: some })),
  ]
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })

/** Counted from the newest, because most calls are about it. */
const pick = <T>(list: readonly T[], which: number | undefined): T | undefined =>
  which === undefined ? undefined : list[list.length - 1 - (which % Math.max(1, list.length))]

const nothing = () => undefined

const upsertTask =
  ({ task, title }: { task: string; title: string | undefined }): Choose =>
  (model) => ({
    method: 'db.task.upsert',
    params: { dir_path: task, ...(title !== undefined && { title }) },
    outcome() {
      const known = model.tasks.get(task)
      const next = { keywords: [], ordinals: 0, ...known, title: title ?? known?.title ?? null }
      if (known === undefined) model.ledger.push('task.created')
      else if (known.title !== next.title) model.ledger.push('task.updated')
      model.tasks.set(task, next)
    },
  })

const register =
  ({ id, label, claims }: { id: string; label: string | undefined; claims: string | undefined }): Choose =>
  (model) => ({
    method: 'db.agents.register',
    params: { id, ...(label !== undefined && { label }), ...(claims !== undefined && { claims }) },
    outcome() {
      const known = model.agents.get(id)
      const next: Agent = {
        label: label === undefined || label === '' ? (known?.label ?? null) : label,
        claims: claims === undefined || claims === '' ? (known?.claims ?? []) : claims.split(','),
        effort: known?.effort,
      }
      const same = known?.label === next.label && known.claims.join() === next.claims.join()
      if (!same) model.ledger.push('agent.registered')
      model.agents.set(id, next)
    },
  })

interface Start {
  readonly task: string
  readonly skill: string
  readonly agent?: string | undefined
}

export const start =
  ({ task, skill, agent: id }: Start): Choose =>
  (model) => {
    const agent = id === undefined ? undefined : model.agents.get(id)
    const move = {
      method: 'db.effort.start',
      params: { task_id: task, skill, ...(id !== undefined && { agent_id: id }) },
    }
    const known = model.tasks.get(task)
    if (known === undefined) return { ...move, outcome: { error: 'not-found' } }
    if (id !== undefined && agent === undefined) return { ...move, outcome: { error: 'not-found' } }
    if (agent?.effort !== undefined) return { ...move, outcome: { error: 'conflict', told: 'agent.refused' } }
    return {
      ...move,
      outcome({ id: effortId }) {
        const ordinal = ++known.ordinals
        const fresh = { finished: false, phase: null, history: [], agent: null }
        const effort: Effort = { id: effortId, task, skill, ordinal, ...fresh }
        model.efforts.push(effort)
        model.ledger.push('effort.started')
        if (id !== undefined && agent !== undefined) own(model, id, effort)
      },
    }
  }

function own(model: Model, id: string, effort: Effort): void {
  const agent = model.agents.get(id)
  if (agent !== undefined) agent.effort = effort
  effort.agent = id
  model.ledger.push('agent.claimed')
}

const ownerOf = (model: Model, effort: Effort | undefined) =>
  effort === undefined ? undefined : [...model.agents].find(([, agent]) => agent.effort === effort)?.[0]

const finish =
  ({ which, keywords }: { which: number; keywords: string | undefined }): Choose =>
  (model) => {
    const effort = pick(model.efforts, which)
    if (effort === undefined) return undefined
    return {
      method: 'db.effort.finish',
      params: { effort_id: effort.id, abandon: 'enough', ...(keywords !== undefined && { keywords }) },
      outcome() {
        if (effort.finished) return
        effort.finished = true
        const owner = model.agents.get(ownerOf(model, effort) ?? '')
        if (owner !== undefined) owner.effort = undefined
        const known = model.tasks.get(effort.task)?.keywords ?? []
        const words = keywords === undefined || keywords === '' ? [] : keywords.split(',')
        known.push(...words.filter((word) => !known.includes(word)))
        model.ledger.push('effort.finished')
      },
    }
  }

interface Enter {
  readonly which: number | 'furthest'
  /** A label, or one of the next phases. */
  readonly label: string | number
  readonly proof: Params | undefined
  readonly reason: string | undefined
}

const enter =
  ({ which, label, proof, reason }: Enter): Choose =>
  (model) => {
    const effort = which === 'furthest' ? furthest(model) : pick(model.efforts, which)
    if (effort === undefined) return undefined
    const from = effort.phase?.split(':')[0] ?? ''
    const ways = WAYS[from] ?? []
    const to = typeof label === 'string' ? label : (pick(ways, label) ?? '1')
    const params = {
      effort_id: effort.id,
      label: to,
      ...(proof !== undefined && { proof }),
      ...(reason !== undefined && { reason }),
    }
    const move = { method: 'db.effort.phase', params }
    if (effort.finished) return { ...move, outcome: { error: 'conflict' } }
    if (from === to) return { ...move, outcome: nothing }
    const free = effort.skill === 'free'
    // A part that the effort added stays in its plan.
    const isOwn = effort.history.some(({ phase_label: known }) => known === to)
    const isKnown = free || DECLARED.includes(to) || ways.includes(to) || isOwn
    if (!isKnown) return { ...move, outcome: { error: 'not-found', told: 'phase.refused' } }
    const isGood = free || (ways.includes(to) && isProven(from, proof))
    // A reason changes the order; only going back needs no proof.
    const isBack = ORDER.indexOf(to) < ORDER.indexOf(from)
    const isOwed = !isProven(from, proof) && !isBack
    if (!isGood && (reason === undefined || isOwed))
      return { ...move, outcome: { error: 'refused', told: 'phase.refused' } }
    const phase = !free && DECLARED.includes(to) ? `${to}: x` : to
    return {
      ...move,
      outcome() {
        if (!isGood) model.ledger.push('phase.skipped')
        model.ledger.push('phase.entered')
        effort.phase = phase
        effort.history.push({ phase_label: phase, proof: proof ?? null })
        for (const session of model.sessions)
          if (session.effort === effort && session.ended === null)
            session.states = [{ ...newest(session), beats: 0 }]
      },
    }
  }

/** Late phases are reached only by an effort that moves many times. */
function furthest(model: Model): Effort | undefined {
  const active = model.efforts.filter(
    ({ finished, skill, phase }) => !finished && skill === 'planned' && phase !== '3: x',
  )
  return active.toSorted((a, b) => b.history.length - a.history.length)[0]
}

function isProven(phase: string, proof: Params | undefined): boolean {
  const field = PROOF[phase]
  return field === undefined || (proof?.[field] !== undefined && proof[field] !== '')
}

const claim =
  ({ agent: id, which }: { agent: string; which: number }): Choose =>
  (model) => {
    const effort = pick(model.efforts, which)
    if (effort === undefined) return undefined
    const move = { method: 'db.agents.claim', params: { agent_id: id, effort_id: effort.id } }
    const agent = model.agents.get(id)
    if (agent === undefined) return { ...move, outcome: { error: 'not-found' } }
    if (effort.finished) return { ...move, outcome: { error: 'conflict' } }
    if (agent.effort === effort) return { ...move, outcome: nothing }
    const isUnclaimed = agent.claims.length > 0 && !agent.claims.includes(effort.skill)
    if (isUnclaimed || agent.effort !== undefined || ownerOf(model, effort) !== undefined)
      return { ...move, outcome: { error: 'conflict', told: 'agent.refused' } }
    return { ...move, outcome: () => own(model, id, effort) }
  }

const release =
  ({ agent: id }: { agent: string }): Choose =>
  (model) => {
    const agent = model.agents.get(id)
    const move = { method: 'db.agents.release', params: { agent_id: id } }
    if (agent === undefined) return { ...move, outcome: { error: 'not-found' } }
    return {
      ...move,
      outcome() {
        if (agent.effort === undefined) return
        agent.effort.agent = null
        agent.effort = undefined
        model.ledger.push('agent.released')
      },
    }
  }

interface Open {
  readonly task: string
  readonly which: number | undefined
  readonly agent: string | undefined
  readonly native: string | undefined
  readonly prev: number | undefined
}

const open =
  ({ task, which, agent: given, native, prev }: Open): Choose =>
  (model) => {
    const named = pick(model.efforts, which)
    const previous = pick(model.sessions, prev)
    const effort = named ?? (previous?.effort?.finished === true ? undefined : previous?.effort)
    const params = {
      task_id: task,
      ...(named !== undefined && { effort_id: named.id }),
      ...(given !== undefined && { agent_id: given }),
      ...(native !== undefined && { native_id: native }),
      ...(previous !== undefined && { prev_session_id: previous.id }),
    }
    const move = { method: 'db.session.start', params }
    if (!model.tasks.has(task)) return { ...move, outcome: { error: 'not-found' } }
    if (previous !== undefined && previous.task !== task) return { ...move, outcome: { error: 'conflict' } }
    if (effort !== undefined && (effort.task !== task || effort.finished))
      return { ...move, outcome: { error: 'conflict' } }
    const owner = ownerOf(model, effort)
    const agent = given ?? owner
    if (agent !== undefined && !model.agents.has(agent)) return { ...move, outcome: { error: 'not-found' } }
    if (owner !== undefined && owner !== agent)
      return { ...move, outcome: { error: 'conflict', told: 'agent.refused' } }
    return { ...move, outcome: ({ id }) => opened(model, { id, task, effort, agent, native, previous }) }
  }

interface Opening {
  readonly id: number
  readonly task: string
  readonly effort: Effort | undefined
  readonly agent: string | undefined
  readonly native: string | undefined
  readonly previous: Session | undefined
}

function opened(model: Model, { id, task, effort, agent, native, previous }: Opening): void {
  const isOpen = (session: Session) => session.ended === null
  const same = model.sessions.filter((one) => isOpen(one) && native !== undefined && one.native === native)
  const mine = model.sessions.filter((one) => isOpen(one) && agent !== undefined && one.agent === agent)
  const goesOn = previous === undefined ? same[0] : undefined
  if (previous !== undefined) ended(model, previous, 'continued')
  for (const session of [...mine, ...same]) if (session !== goesOn) ended(model, session, 'superseded')
  if (goesOn === undefined) {
    const states = [{ beats: 0, usage: null, files: [] }]
    const links = { native: native ?? null, prev: previous?.id ?? null, agent: agent ?? null }
    model.sessions.push({ id, task, effort, ...links, ended: null, payload: null, states })
    model.ledger.push('session.started')
    return
  }
  const before = goesOn.effort
  const isElsewhere = goesOn.effort !== effort || goesOn.task !== task
  const isOther = isElsewhere || (agent ?? goesOn.agent) !== goesOn.agent
  // Another effort needs log entries of its own.
  if (isElsewhere) goesOn.states = [{ ...newest(goesOn), beats: 0 }]
  Object.assign(goesOn, { task, effort, agent: agent ?? goesOn.agent })
  if (!isOther) return
  // An effort that nobody owns becomes the work of the agent of its session.
  const agentOf = goesOn.agent === null ? undefined : model.agents.get(goesOn.agent)
  const isIdle = agentOf?.effort === undefined || agentOf.effort === before
  if (goesOn.agent !== null && agentOf !== undefined && effort?.agent === null && isIdle) {
    if (agentOf.effort !== undefined) {
      agentOf.effort.agent = null
      model.ledger.push('agent.released')
    }
    own(model, goesOn.agent, effort)
  }
  model.ledger.push('session.switched')
}

function ended(model: Model, session: Session, reason: string): void {
  if (session.ended !== null) return
  session.ended = reason
  session.states = [newest(session)]
  model.ledger.push('session.ended')
}

const close =
  ({ which, payload }: { which: number; payload: string | undefined }): Choose =>
  (model) => {
    const session = pick(model.sessions, which)
    if (session === undefined) return undefined
    return {
      method: 'db.session.finish',
      params: { session_id: session.id, ...(payload !== undefined && { dehydration_payload: payload }) },
      outcome() {
        if (payload !== undefined && session.payload === null) model.ledger.push('effort.dehydrated')
        session.payload ??= payload ?? null
        ended(model, session, payload === undefined ? 'finished' : 'overflow')
      },
    }
  }

const beat =
  ({ which }: { which: number }): Choose =>
  (model) =>
    news(pick(model.sessions, which), 'heartbeat', {}, ({ beats }) => ({ beats: beats + 1 }))

const usage =
  ({ which, n }: { which: number; n: number }): Choose =>
  (model) =>
    news(pick(model.sessions, which), 'updateContextUsage', { usage: n / 10 }, () => ({ usage: n / 10 }))

const files =
  ({ which, n }: { which: number; n: number }): Choose =>
  (model) =>
    news(pick(model.sessions, which), 'updateLoadedFiles', { files: [`/${n}`] }, (state) => ({
      files: [...new Set([...state.files, `/${n}`])],
    }))

function news(
  session: Session | undefined,
  method: string,
  params: Params,
  next: (state: State) => Partial<State>,
): Move | undefined {
  if (session === undefined) return undefined
  const move = {
    method: `db.session.${method}`,
    params: { session_id: session.id, ...params },
    volatile: true,
  }
  if (session.ended !== null) return { ...move, outcome: { error: 'conflict' } }
  return {
    ...move,
    outcome() {
      const state = newest(session)
      session.states.push({ ...state, ...next(state) })
    },
  }
}

export const newest = (session: Session): State =>
  session.states.at(-1) ?? { beats: 0, usage: null, files: [] }
