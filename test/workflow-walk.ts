import { isDeepStrictEqual } from 'node:util'
import type { Standing } from '../src/engine/effort/mover.ts'
import type { Choose } from '../src/harness/follow.ts'
import { filledIn, wantedOutcome } from '../src/harness/values.ts'
import { isPrinted, paramsOf, wantedIn } from '../src/harness/views.ts'
import { wordsIn } from '../src/harness/words.ts'
import { startingCommand } from '../src/model/plan/fields.ts'
import { type Plan, type Step, targetsOf } from '../src/model/plan/plan.ts'
import type { Values } from '../src/model/plan/plan-for.ts'
import type { ChildView, StepView } from '../src/model/workflow/view.ts'
import type { User } from './holdfast.ts'
import { SKIP, type Wish } from './workflow-wishes.ts'

/** More moves than any walk takes. */
const MOST_MOVES = 400

/** A person who runs what is printed, word for word, with its blanks filled in. */
export class Walker {
  readonly #user: User
  readonly #name: string
  readonly #wish: Wish
  /** What happened: `STEP OUTCOME`, and how each limit ended. */
  readonly taken = new Set<string>()
  /** Everything that was printed. */
  readonly heard = new Set<string>()
  /** What became of each step whose sub-agents worked together: whether it succeeded, and how those ended that it heard. */
  readonly shared = new Map<string, { readonly isDone: boolean; readonly results: readonly string[] }>()
  #moves = 0
  #parked = 0

  constructor(user: User, name: string, wish: Wish) {
    this.#user = user
    this.#name = name
    this.#wish = wish
  }

  /** Walks from the first command to the end; returns how often each step was entered. */
  async walk(plan: Plan): Promise<Standing> {
    const outcomes = new Map(
      plan.steps.map(({ label }) => {
        const outcome = this.#choose(this.#name)(label, 1)?.outcome
        return [label, outcome === undefined ? [] : [outcome]]
      }),
    )
    const values = paramsOf(plan, { variant: { mode: null, variables: this.#wish.params ?? {} }, outcomes })
    const said = await this.#run(startingCommand(this.#name, plan.params ?? {}, values))
    return await this.#follow(plan, this.#name, said, {})
  }

  /** Does what is printed until the effort ends. */
  async #follow(plan: Plan, name: string, first: string, wanted: Values): Promise<Standing> {
    let said = first
    const [, effort = ''] = /--effort (\d+)/.exec(first) ?? []
    for (;;) {
      const standing = await this.#user.json<Standing>(['rpc', 'step.show', `{"effort_id":${effort}}`])
      const { view, status, next } = standing
      if (status === 'finished') return standing
      // Only the result is left, and the last step names the command that gives it.
      const [ending] = status === 'completed' ? next : []
      if (ending !== undefined) {
        if (!isPrinted(said, ending)) throw new Error(`${name} does not print ${ending}: ${said}`)
        said = await this.#run(filledIn(ending, {}, {}))
        continue
      }
      if (status === 'parked') {
        await this.#decide(standing, { plan, name, said })
        said = await this.#run(`holdfast step --effort ${effort}`)
        continue
      }
      if (view == null) throw new Error(`${name} shows no step: ${said}`)
      const told = [...view.next, ...(view.dispatch?.children ?? [])].flatMap(({ command }) => command ?? [])
      for (const command of told)
        if (!isPrinted(said, command)) throw new Error(`Step ${view.step} does not print ${command}: ${said}`)
      said = await this.#leave({ plan, name, view, standing, wanted })
    }
  }

  async #leave(at: At): Promise<string> {
    const { plan, name, view, standing } = at
    const choose = this.#choose(name)
    const step = plan.steps.find(({ id }) => id === view.step)
    if (step === undefined) throw new Error(`${view.step} is no step of ${name}.`)
    const outcome = wantedOutcome(step, choose, view.visit)
    if (view.next.length === 0) return await this.#give(at, outcome)
    const way = view.next.find((one) => one.outcome === outcome) ?? view.next[0]
    if (way === undefined) throw new Error(`Step ${view.step} of ${name} says no way on.`)
    const own = { ...wantedIn({ plan, choose }, standing), ...at.wanted }
    const command = filledIn(way.command, plan.state ?? {}, own)
    const said = await this.#run(command)
    const after = await this.#show(view.effort_id)
    const stored = after.steps.find((one) => one.step === view.step)
    if (stored?.state === 'running' && stored.attempts === view.visit)
      throw new Error(`Nothing moved by ${command}: ${said}`)
    this.#note(step, at, step.decides === undefined ? way.outcome : outcome, after)
    return said
  }

  /** Gives the step to its sub-agents, or reports that they failed. */
  async #give(at: At, outcome: string): Promise<string> {
    const { plan, name, view } = at
    const { dispatch } = view
    const waits = (dispatch?.children ?? []).filter(({ state }) => state === 'waiting' || state === 'running')
    if (dispatch === null || waits.length === 0)
      throw new Error(`Step ${view.step} of ${name} says no way on.`)
    const { first } = this.#wish
    if (first !== undefined && view.visit === 1) return await this.#together(at, waits, first)
    for (const child of waits) {
      await this.#do(at, child, outcome)
      if (!(await this.#isOpen(view))) break
    }
    const step = plan.steps.find(({ id }) => id === view.step)
    if (step !== undefined) this.#note(step, at, outcome, await this.#show(view.effort_id))
    return await this.#run(view.again)
  }

  /** Starts all sub-agents before one of them ends; returns what is printed when all have ended that ever do. */
  async #together(at: At, children: readonly ChildView[], ending: Wish['first']): Promise<string> {
    const { view } = at
    const begun: Begun[] = []
    for (const child of children)
      begun.push({ child, said: child.command === null ? '' : await this.#run(child.command) })
    const [first, ...others] = begun
    if (first === undefined) throw new Error(`Step ${view.step} has no sub-agents.`)
    if (ending === 'fails') await this.#giveUp(at, first.child)
    for (const one of others.toReversed()) await this.#goOn(at, one)
    if (ending === 'ends last') await this.#goOn(at, first)
    // Only a step that still needs it waits for one that never returns.
    const isNeeded = ending === 'never returns' && (await this.#isOpen(view))
    if (isNeeded) await this.#giveUp(at, first.child)
    const said = await this.#run(view.again)
    const before = await this.#show(view.effort_id)
    const results = before.view?.step === view.step ? [] : (before.view?.results ?? [])
    this.shared.set(view.step, {
      isDone: before.steps.some(({ step, state }) => step === view.step && state === 'completed'),
      results: results.map(({ child, outcome }) => `${child} ${outcome}`),
    })
    if (ending === 'ends last' || first.said === '') return said
    // Nobody waits for it any more, so it moves at most its own work.
    const [late = ''] = /holdfast step done [^\n<]*/.exec(first.said) ?? []
    await (ending === 'fails' || isNeeded ? this.#run(filledIn(late, {}, {})) : this.#goOn(at, first))
    if (!isDeepStrictEqual(await this.#show(view.effort_id), before))
      throw new Error(`Sub-agent ${first.child.child} of step ${view.step} moved it, though it was over.`)
    return said
  }

  /** A sub-agent that has begun comes to its end. */
  async #goOn(at: At, { child, said }: Begun): Promise<void> {
    if (said === '') await this.#do(at, child, 'ok')
    else await this.#carryOut(at, said)
  }

  /** Gives up a sub-agent by the command that its step prints now. */
  async #giveUp({ view, plan }: At, { child }: ChildView): Promise<void> {
    const said = await this.#run(view.again)
    const { view: now } = await this.#show(view.effort_id)
    const { fail = '' } = now?.dispatch?.children.find((one) => one.child === child)?.report ?? {}
    if (!isPrinted(said, fail) || fail === '')
      throw new Error(`Step ${view.step} does not print how to give up ${child}: ${said}`)
    await this.#run(filledIn(fail, plan.state ?? {}, {}))
  }

  /** True if a step is still in the visit that a view shows. */
  async #isOpen({ effort_id, step, visit }: StepView): Promise<boolean> {
    const { current, steps } = await this.#show(effort_id)
    return current.includes(step) && steps.find((one) => one.step === step)?.attempts === visit
  }

  async #do(at: At, { command, report }: ChildView, outcome: string): Promise<void> {
    const { plan, name, standing } = at
    if (outcome !== 'fail' && command !== null) return await this.#carryOut(at, await this.#run(command))
    const wanted = wantedIn({ plan, choose: this.#choose(name) }, standing)
    const line = outcome === 'fail' ? report?.fail : report?.done
    await this.#run(filledIn(line ?? '', plan.state ?? {}, wanted))
  }

  /** A sub-agent follows its workflow to the end, from a step that was printed. */
  async #carryOut({ plan, name, view, standing }: At, said: string): Promise<void> {
    const workflow = view.dispatch?.workflow ?? ''
    const child = plan.workflows?.[workflow]
    if (child === undefined) throw new Error(`${name} has no workflow ${workflow}.`)
    const wanted = wantedIn({ plan, choose: this.#choose(name) }, standing)
    await this.#follow(child, `${name}/${workflow}`, said, wanted)
  }

  /** At a limit, the user chooses. */
  async #decide({ view, next, effort_id }: Standing, { plan, name, said }: Parked): Promise<void> {
    const choices = view?.gate?.choices ?? []
    const commands = choices.length === 0 ? next.slice(0, 1) : choices.map(({ command }) => command)
    for (const command of commands)
      if (!isPrinted(said, command))
        throw new Error(`${name} is parked and does not print ${command}: ${said}`)
    const number = choices.length === 0 ? 0 : (this.#wish.choices[this.#parked++] ?? SKIP)
    // Behind the last check nothing follows, so the only way without it is to stop.
    const at = Math.min(number, commands.length - 1)
    const line = filledIn(commands[at] ?? '', plan.state ?? {}, {})
    const [, step = ''] = choices.length === 0 ? (/ approve \d+ (\S+)/.exec(line) ?? []) : ['', view?.step]
    this.taken.add(`${name} ${step} parked: ${choices[at]?.label ?? 'approved'}`)
    await this.#run(line)
    const after = await this.#show(effort_id)
    if (after.status === 'parked') throw new Error(`${name} stays parked after ${commands[at]}`)
  }

  #note(left: Step, { plan, name }: At, outcome: string, after: Standing): void {
    this.taken.add(`${name} ${left.label} ${outcome}`)
    const near = new Set([left.id, ...targetsOf(left)])
    for (const { id, label, limit = Infinity, onLimit } of plan.steps) {
      const { attempts = 0 } = after.steps.find((one) => one.label === label) ?? {}
      const isOver = attempts >= limit && onLimit !== undefined && after.current.includes(onLimit)
      if (isOver && near.has(id)) this.taken.add(`${name} ${label} on to ${onLimit}`)
    }
  }

  #choose(name: string): Choose {
    return (from, attempts) => {
      const found = this.#wish.wanted.find(({ step }) => step === `${name} ${from}`)
      return found === undefined || attempts > found.times ? undefined : { from, outcome: found.outcome }
    }
  }

  async #show(effort: number): Promise<Standing> {
    return await this.#user.json<Standing>(['rpc', 'step.show', JSON.stringify({ effort_id: effort })])
  }

  /** Runs a printed line as it is. */
  async #run(line: string): Promise<string> {
    if (++this.#moves > MOST_MOVES) throw new Error(`There is no end: ${line}`)
    const [[program, ...words] = []] = wordsIn(line) ?? []
    if (program !== 'holdfast') throw new Error(`No command of ours: ${line}`)
    const { code, stdout, stderr } = await this.#user.run(words)
    this.heard.add(stdout.trim())
    // A parked plan is printed too; a refusal prints nothing.
    if (code === 0 || (code === 1 && stdout !== '')) return stdout
    throw new Error(`${line} exited with ${code}: ${stdout}${stderr}`)
  }
}

interface At {
  readonly plan: Plan
  readonly name: string
  readonly view: StepView
  readonly standing: Standing
  readonly wanted: Values
}

/** A sub-agent, and what was printed to it first; nothing if it works freely. */
interface Begun {
  readonly child: ChildView
  readonly said: string
}

interface Parked {
  readonly plan: Plan
  readonly name: string
  readonly said: string
}
