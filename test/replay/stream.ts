import { Random } from '../torture/random.ts'
import { finishing, isTool, planMoveIn, todosIn } from './moves.ts'
import { Oracle, type Outcome } from './oracle.ts'
import { agentOf } from './payload.ts'
import {
  type Act,
  type Deed,
  type SkillFile,
  ASIDE,
  AT_WORK,
  calledBy,
  type Half,
  HALVES,
  IN_PASSING,
  promptsWith,
  SKILLS,
  type Source,
  type Tool,
} from './scene.ts'

export interface Told {
  readonly deed: Deed
  readonly outcome: Outcome
}

export interface Stream {
  readonly told: readonly Told[]
  readonly oracle: Oracle
}

interface Call {
  readonly id: string
  readonly tool: Tool
}

/** A simulated client; a killed one is silent until it is resumed. */
interface Player {
  readonly name: string
  readonly calls: Call[]
  /** Sub-agents that have not stopped. */
  readonly agents: Set<string>
  /** Their calls that have not ended. */
  readonly inside: (Call & { readonly agent: string })[]
  /** The sub-agent that works now, and for how many events. */
  busy: { readonly agent: string; readonly left: number } | undefined
  state: 'new' | 'running' | 'killed' | 'ended'
  /** The id of its last prompt. */
  prompt: string
  /** What must come next. */
  readonly must: Act[]
}

const BEGUN = Date.parse('2026-01-02T03:04:05.006Z')
const MOST_CLIENTS = 5
const PAUSES = [1, 1, 40, 900, 1500, 4000, 4000, 20_000, 60_000]

/** A number of deeds, always the same for a seed, with their expected results. */
export function streamOf(seed: number, length: number, projects: number): Stream {
  const random = new Random(seed)
  const oracle = new Oracle(projects)
  const told: Told[] = []
  const places = Array.from({ length: projects }, (_, place) => new Place(place, random, oracle))
  let at = BEGUN
  for (let tick = 0; told.length < length; tick++) {
    at += random.chance(0.008) ? 400_000 : (random.pick(PAUSES) ?? 1)
    if (random.chance(0.004)) {
      const act = { kind: 'restart', kills: false } as const
      const deed: Deed = { tick, at, project: 0, session: '', prompt: '', act }
      told.push({ deed, outcome: oracle.fold(deed) })
      continue
    }
    const before = told.length
    for (const place of places) {
      const next = random.chance(0.8) ? place.next() : undefined
      if (next === undefined || told.length === length) continue
      const deed = { tick, at, ...next }
      const outcome = oracle.fold(deed)
      place.learn(deed, outcome)
      told.push({ deed, outcome })
    }
    // What was answered last must be on disk.
    const last = told.slice(before)
    if (last.length > 0 && last.every(isDurable) && random.chance(0.3)) {
      const act = { kind: 'restart', kills: true } as const
      const deed: Deed = { tick: ++tick, at, project: 0, session: '', prompt: '', act }
      told.push({ deed, outcome: oracle.fold(deed) })
    }
  }
  return { told: told.slice(0, length), oracle }
}

/** Prompts, last messages and refusals are stored with their event; the activity of tool calls follows later. */
function isDurable({ deed: { act }, outcome }: Told): boolean {
  if (act.kind === 'prompt') return true
  // A refused sub-agent is activity of its client too, which follows later.
  if (act.kind === 'sub') return false
  return act.kind === 'stop' ? act.last !== '' : outcome.decision === 'block'
}

/** One project and its clients. */
class Place {
  readonly #project: number
  readonly #random: Random
  readonly #oracle: Oracle
  readonly #players: Player[] = []
  #made = 0
  #calls = 0

  constructor(project: number, random: Random, oracle: Oracle) {
    this.#project = project
    this.#random = random
    this.#oracle = oracle
  }

  next(): Omit<Deed, 'tick' | 'at'> | undefined {
    const player = this.#who()
    const act = player === undefined ? undefined : (player.must.shift() ?? this.#actOf(player))
    if (player === undefined || act === undefined) return undefined
    if (act.kind === 'prompt') player.prompt = `${player.name}-q${++this.#calls}`
    return { project: this.#project, session: player.name, prompt: player.prompt, act }
  }

  learn({ session, act }: Deed, { decision }: Outcome): void {
    const player = this.#players.find(({ name }) => name === session)
    if (player === undefined) return
    if (act.kind === 'before' && decision === 'allow') {
      player.calls.push({ id: act.id, tool: act.tool })
      if (act.tool.kind === 'agent') player.agents.add(agentOf(act.id))
    }
    if (act.kind === 'sub' && act.event === 'PreToolUse' && decision === 'allow')
      player.inside.push({ agent: act.agent, id: act.id, tool: act.tool })
    if (calledBy(act, decision)?.forks === true && this.#random.chance(0.8)) this.#forks(player)
    if (act.kind === 'after' || act.kind === 'failed') {
      const index = player.calls.findIndex(({ id }) => id === act.id)
      if (index >= 0) player.calls.splice(index, 1)
    }
    if (act.kind === 'start' || act.kind === 'prompt' || act.kind === 'before') player.state = 'running'
    if (act.kind === 'end') player.state = 'ended'
  }

  /** The client starts the sub-agent at once, and it gets to work. */
  #forks(player: Player): void {
    const agent = `fork-${++this.#calls}`
    player.agents.add(agent)
    player.busy ??= { agent, left: 30 }
    player.must.push({ kind: 'sub', event: 'SubagentStart', agent, id: agent, tool: { kind: 'shell' } })
  }

  #who(): Player | undefined {
    const waiting = this.#players.find(({ must }) => must.length > 0)
    if (waiting !== undefined) return waiting
    const running = this.#players.filter(({ state }) => state === 'running' || state === 'new')
    if (running.length === 0 || (running.length < MOST_CLIENTS && this.#random.chance(0.015)))
      return this.#random.chance(0.5)
        ? this.#newcomer()
        : (this.#random.pick(this.#players) ?? this.#newcomer())
    return this.#random.chance(0.03) ? this.#random.pick(this.#players) : this.#random.pick(running)
  }

  #newcomer(source?: Source): Player {
    const player: Player = {
      name: `p${this.#project}-${++this.#made}`,
      calls: [],
      agents: new Set(),
      inside: [],
      busy: undefined,
      prompt: '',
      state: 'new',
      must: source === undefined ? [] : [{ kind: 'start', source }],
    }
    this.#players.push(player)
    return player
  }

  #actOf(player: Player): Act | undefined {
    switch (player.state) {
      case 'new':
        return this.#first()
      case 'killed':
      case 'ended':
        return this.#late(player)
      case 'running':
        return this.#work(player)
      default:
        return player.state satisfies never
    }
  }

  /** Most sessions report their start; one that got its hooks later does not. */
  #first(): Act {
    // The first session registers the project with its skills; an unannounced one finds them a moment later.
    const isKnown = this.#made > 1
    if (isKnown && this.#random.chance(0.1))
      return this.#random.chance(0.5) ? this.#prompt() : { kind: 'notification' }
    return {
      kind: 'start',
      source: this.#random.pick(['startup', 'fork', 'resume'] as const) ?? 'startup',
    }
  }

  #late(player: Player): Act | undefined {
    const { calls } = player
    // Calls in progress are lost with their client.
    const [lost] = player.state === 'killed' ? calls.splice(0) : calls
    if (this.#random.chance(0.3)) return { kind: 'start', source: 'resume' }
    if (this.#random.chance(0.2)) return this.#prompt()
    if (lost !== undefined && player.state === 'ended') return this.#after(lost)
    return player.state === 'ended' ? { kind: 'notification' } : undefined
  }

  #work(player: Player): Act {
    const { calls } = player
    const chance = this.#random.next()
    const ended = this.#random.pick(calls)
    if (ended !== undefined && chance < (calls.length > 3 ? 0.7 : 0.4))
      return this.#random.chance(0.06) ? { kind: 'failed', ...ended } : this.#after(ended)
    const looked = this.#oracle.look(this.#project, player.name)
    // An agent that never writes to its required log is refused in the end.
    if (looked.isWatched && this.#random.chance(0.4)) return this.#call(player, { kind: 'shell' })
    if (player.busy !== undefined) return this.#sub(player)
    const move = looked.effort && planMoveIn(this.#random, looked.effort)
    if (move !== undefined) return this.#in(player, move)
    if (looked.todos.length > 0 && this.#random.chance(0.15))
      return this.#in(player, todosIn(this.#random, looked.todos))
    const turn = this.#random.next()
    if (turn < 0.52) return this.#call(player, this.#tool(looked.next))
    if (turn < 0.67) return this.#prompt()
    if (turn < 0.78) return this.#sub(player)
    if (turn < 0.84) return { kind: 'usage', percent: this.#random.below(100) }
    if (turn < 0.88) return looked.hasEffort ? { kind: 'log' } : { kind: 'notification' }
    if (turn < 0.89) return looked.hasEffort ? finishing(this.#random) : this.#stop()
    return this.#change(player, turn)
  }

  /** A tool, or a command outside of any. */
  #in = (player: Player, what: ReturnType<typeof todosIn>): Act =>
    isTool(what) ? this.#call(player, what) : what

  #call = ({ name }: Player, tool: Tool): Act => ({ kind: 'before', id: `${name}-c${++this.#calls}`, tool })

  /** The events that end a window or a turn. */
  #change(player: Player, turn: number): Act {
    if (turn < 0.92) {
      player.must.push({ kind: 'start', source: 'compact' })
      // A client with two installs sends every event twice.
      if (this.#random.chance(0.2)) player.must.push({ kind: 'start', source: 'compact' })
      return { kind: 'compacting' }
    }
    if (turn < 0.94) return this.#stop()
    if (turn < 0.96) return { kind: 'notification' }
    if (turn < 0.965)
      return { kind: 'start', source: this.#random.pick(['startup', 'resume'] as const) ?? 'startup' }
    if (turn < 0.98) {
      // It is not reported: the last report is a heartbeat.
      player.state = 'killed'
      if (this.#random.chance(0.7)) player.must.push(this.#unheard(player))
      return { kind: 'notification' }
    }
    if (turn < 0.99) return { kind: 'end', reason: 'other' }
    this.#newcomer('clear')
    return { kind: 'end', reason: 'clear' }
  }

  #after = ({ id, tool }: Call): Act => ({ kind: 'after', id, tool, result: this.#word() })

  #stop = (): Act => ({
    kind: 'stop',
    last: this.#word(),
    half: this.#random.chance(0.3) ? 'Grüße, half.' : undefined,
    fails: this.#random.chance(0.2),
  })

  #unheard({ name }: Player): Act {
    const prompt = this.#random.pick(['Go on.', '/flow - a thing', 'Nobody heard this.']) ?? ''
    return { kind: 'unheard', prompt, id: `${name}-c${++this.#calls}`, result: this.#word() }
  }

  /** Repeated, so that the text alone does not identify it. */
  #word = (): string => this.#random.pick(['Done.', 'Done.', '', 'Two\nlines.', ' Über \0 all. ']) ?? ''

  #prompt(): Act {
    const [name = 'flow', other = 'fan'] = [this.#skill(), this.#skill()]
    return { kind: 'prompt', text: this.#random.pick(promptsWith(name, other)) ?? 'Go on.' }
  }

  /** Of a called skill, or of an unknown one; some call skills themselves. */
  #sub(player: Player): Act {
    const { name, agents, inside } = player
    const agent = player.busy?.agent ?? this.#random.pick(['unknown', ...agents]) ?? 'unknown'
    const left = (player.busy?.left ?? 0) - 1
    player.busy = left > 0 ? { agent, left } : undefined
    const event = this.#random.pick(left > 0 ? AT_WORK : IN_PASSING) ?? 'SubagentStop'
    if (event.startsWith('Stop') || event === 'SubagentStop') agents.delete(agent)
    const id = `${name}-s${++this.#calls}`
    const begun = inside.findIndex((call) => call.agent === agent)
    const [ended] = event === 'PostToolUse' && begun >= 0 ? inside.splice(begun, 1) : []
    if (ended !== undefined) return { kind: 'sub', event, ...ended }
    const calls = event === 'PreToolUse' && this.#random.chance(0.3)
    if (calls) player.busy ??= { agent, left: 50 }
    const next = this.#oracle.nextOfAgent(this.#project, name, agent)
    // Most sub-agents read what they were given.
    const given = this.#random.pick(this.#oracle.handedTo(this.#project, name, agent))
    const isGiven = given !== undefined && this.#random.chance(0.7)
    const tool: Tool = calls
      ? { kind: 'skill', name: this.#skill() ?? 'flow' }
      : isGiven
        ? { kind: 'read', by: 'Read', files: [given], part: this.#part() }
        : this.#tool(next)
    return { kind: 'sub', event, agent, id, tool }
  }

  #skill = (): string | undefined => this.#random.pick(SKILLS)?.name

  #file(): SkillFile {
    const skill = this.#random.pick(SKILLS)
    const file = this.#random.chance(0.2) ? undefined : this.#random.pick(skill?.steps ?? [])?.file
    return { skill: skill?.name ?? 'flow', file: file ?? 'SKILL' }
  }

  /** Most agents follow the plan, some skip steps. */
  #tool(next: SkillFile | undefined): Tool {
    const chance = this.#random.next()
    const wanted = next !== undefined && this.#random.chance(0.6) ? next : this.#file()
    if (chance < 0.45) return { kind: 'read', by: 'Read', files: [wanted], part: this.#part() }
    if (chance < 0.62) return this.#shellRead(wanted)
    if (chance < 0.67) return { kind: 'skill', name: this.#skill() ?? 'flow' }
    if (chance < 0.7) return { kind: 'hidden', file: wanted }
    if (chance < 0.74) return { kind: 'edit', file: wanted }
    if (chance < 0.86) return this.#handOver(wanted)
    if (chance < 0.92) return this.#inFolder()
    return this.#random.pick(ASIDE) ?? { kind: 'shell' }
  }

  #inFolder(): Tool {
    const by = this.#random.pick(['Read', 'Edit', 'Edit', 'cat', 'directive'] as const) ?? 'Read'
    return { kind: 'work', by, folder: this.#random.pick(['src', 'lib'] as const) ?? 'src' }
  }

  /** One or two steps of a skill, in the order of their numbers or not. */
  #handOver({ skill, file }: SkillFile): Tool {
    const steps = SKILLS.find(({ name }) => name === skill)?.steps ?? []
    const other = this.#random.chance(0.4) ? this.#random.pick(steps)?.file : undefined
    const files = [...new Set([file, other ?? file])].filter((one) => one !== 'SKILL')
    const isBehind = this.#random.chance(0.35)
    const holds = this.#random.chance(0.3) ? HALVES : HALVES.filter(() => this.#random.chance(0.3))
    return { kind: 'agent', steps: files.map((one) => ({ skill, file: one })), isBehind, holds }
  }

  #shellRead(wanted: SkillFile): Tool {
    const second = this.#file()
    const isSame = second.skill === wanted.skill && second.file === wanted.file
    const files = !isSame && this.#random.chance(0.4) ? [wanted, second] : [wanted]
    const by = this.#random.pick(['cat', 'head', 'sed', 'pipe'] as const) ?? 'cat'
    return { kind: 'read', by, files, part: by === 'cat' ? undefined : this.#part() }
  }

  #part = (): Half | undefined => (this.#random.chance(0.3) ? this.#random.pick(HALVES) : undefined)
}
