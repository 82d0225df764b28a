import { approve, finishBy, tick } from './oracle/commands.ts'
import { endDelegations } from './oracle/delegations.ts'
import { moveBy } from './oracle/moves.ts'
import { log } from './oracle/presence.ts'
import { type Recap, recapFor } from './oracle/recap.ts'
import { type Client, clientIn, type Decision, type Moment, type Project, type Span } from './oracle/state.ts'
import { nextOf, todosOf, visitsIn } from './oracle/steps.ts'
import { subagent } from './oracle/subagents.ts'
import { afterTool, beforeTool, promptOf } from './oracle/tools.ts'
import { dehydrate, endFormer, endWindow, heard, startWindow } from './oracle/windows.ts'
import { agentOf, linesOf, PLACE, responseOf } from './payload.ts'
import type { Act, Deed, SkillFile } from './scene.ts'
import { keepable, type Line } from './script.ts'

/*
 * The replay, file by file: `scene.ts` has the skills and what a client can do; `stream.ts` and `moves.ts` make deeds
 * from a seed; `oracle.ts` folds each deed into what it must lead to, one file per act in `oracle/`, with `course.ts` as
 * its model of phases and `trail.ts` of step files; `payload.ts` and `script.ts` write what the client sends and keeps;
 * `replay.ts` plays the deeds to the engine and compares each answer, then the ledger and the rows of `stored.ts`.
 */

/** What a deed must lead to. */
export interface Outcome {
  readonly decision: Decision
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

  constructor(projects: number) {
    this.#projects = Array.from({ length: projects }, () => ({
      isKnown: false,
      opened: 0,
      efforts: [],
      clients: [],
    }))
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
    const client = clientIn(project, session)
    const moment: Moment = { at, prompt: deed.prompt, ledger: [], warnings: [], begun: 0, takesUp: false }
    // The window that a start or an end closes gets the rest of its transcript before.
    if (act.kind === 'start' || (act.kind === 'end' && client.window !== undefined)) client.script.read()
    const decision = perform(moment, client, act)
    write(moment, client, act, decision === 'block')
    endFormer(moment, client)
    const recap = act.kind === 'start' ? recapFor(moment, client) : undefined
    return { decision, ledger: moment.ledger, warnings: moment.warnings, recap }
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
    const { window, spans } = clientIn(this.#at(place), session)
    return {
      hasEffort: window?.effort?.active === true,
      isWatched: window?.effort?.active === true && window.effort.skill.heartbeat === true,
      next: nextIn(spans),
      effort: window?.effort?.active === true ? window.effort : undefined,
      todos: window?.effort?.active === true ? todosOf(window.effort) : [],
    }
  }

  /** The same for a sub-agent, if it has a scope. */
  nextOfAgent(place: number, session: string, agent: string): SkillFile | undefined {
    const scope = this.#at(place).clients.find(({ name }) => name === `${session}/${agent}`)
    return nextIn(scope?.spans ?? [])
  }

  /** The steps that a sub-agent may have been given. */
  handedTo(place: number, session: string, agent: string): readonly SkillFile[] {
    return clientIn(this.#at(place), session)
      .handedOver.filter(({ call }) => agentOf(call) === agent)
      .flatMap(({ skill, steps }) => steps.map((file) => ({ skill, file })))
  }

  #at(place: number): Project {
    const project = this.#projects[place]
    if (project === undefined) throw new Error(`There is no project ${place}.`)
    return project
  }
}

function perform(moment: Moment, client: Client, act: Exclude<Act, { kind: 'restart' }>): Decision {
  switch (act.kind) {
    case 'start':
      startWindow(moment, client, act.source)
      break
    case 'prompt':
      promptOf(moment, client, act.text)
      break
    case 'before':
      return beforeTool(moment, client, act.id, act.tool)
    case 'after':
      afterTool(moment, client, act.id, act.tool)
      break
    case 'failed':
      if (!heard(moment, client)) break
      client.underWay.delete(act.id)
      endDelegations(moment, client, ({ call }) => call === act.id, 'failed')
      break
    case 'stop':
      if (heard(moment, client)) client.underWay.clear()
      break
    case 'notification':
      heard(moment, client)
      break
    case 'compacting':
      if (heard(moment, client)) dehydrate(moment, client)
      break
    case 'end':
      if (heard(moment, client)) endWindow(moment, client)
      break
    case 'sub':
      return subagent(moment, client, act)
    case 'usage':
      if (client.window !== undefined) client.window.usage = act.percent
      break
    case 'log':
      log(moment, client)
      break
    case 'unheard':
      break
    case 'finish':
      return finishBy(moment, client, act)
    case 'move':
      return moveBy(moment, client, act.move)
    case 'tick':
      return tick(moment, client, act.item)
    case 'approve':
      return approve(moment, client, act.subject)
    default:
      act satisfies never
  }
  return 'allow'
}

/** A message is known if a hook of an open window reports it. */
function write(moment: Moment, { window, script }: Client, act: Act, isRefused: boolean): void {
  const lines = linesOf(act, isRefused, PLACE)
  const told =
    act.kind === 'after' ? JSON.stringify(responseOf({ ...act, result: keepable(act.result) })) : undefined
  const say = (line: Line) =>
    window === undefined || act.kind === 'unheard'
      ? script.write(line, moment.at)
      : script.tell(line, moment.at, told)
  for (const line of lines.before) say(line)
  if (window !== undefined && (act.kind === 'stop' || act.kind === 'compacting')) script.read()
  if (lines.half !== undefined) script.write(lines.half, moment.at)
  for (const line of lines.after) say(line)
}

function nextIn(spans: readonly Span[]): SkillFile | undefined {
  const open = spans.findLast(({ status }) => status === 'active')
  const next = open?.effort === undefined ? undefined : nextOf(open.effort)
  return open === undefined || next === undefined ? undefined : { skill: open.skill, file: next }
}
