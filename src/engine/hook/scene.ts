import type { ProjectPlace } from '../../model/project.ts'
import type { Fact, Facts, NeededFacts, Window } from '../../rules/facts.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Tx } from '../../store/query.ts'
import { levelInForce } from '../../store/setting.ts'
import type { Volatile } from '../../store/volatile.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { type Context, staleSince } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { loaders } from './facts/index.ts'
import type { Looked } from './looks/look.ts'

/** An event in its transaction: its looks, its window and the loaded facts. */
export class Scene {
  readonly looked: Looked
  readonly window: Window
  /** As seen from the workplace of the session. */
  readonly project: ProjectPlace
  readonly volatile: Volatile
  /** Sessions without activity since then are stale. */
  readonly since: string
  readonly now: string
  readonly isPaused: boolean
  readonly context: Context
  readonly #tx: Tx
  readonly #facts = new Map<Fact, unknown>()

  private constructor(tx: Tx, on: Pick<Scene, 'looked' | 'window' | 'project'>, { context, now }: Call) {
    this.#tx = tx
    this.looked = on.looked
    this.window = on.window
    this.project = on.project
    this.context = context
    this.volatile = context.store.volatile
    this.since = staleSince(context)
    this.now = now
    this.isPaused = context.pausedUntil() !== undefined
  }

  static async open(tx: Tx, on: Pick<Scene, 'looked' | 'window'>, call: Call): Promise<Scene> {
    const project = await placeOfSession(tx, on.window.session)
    if (project === undefined) throw new Error('The session has no workplace.')
    return new Scene(tx, { ...on, project }, call)
  }

  /** Loaded once, on first use. */
  async fact<Name extends Fact>(name: Name): Promise<NeededFacts[Name]> {
    if (!this.#facts.has(name)) this.#facts.set(name, await loaders[name].load(this.#tx, this))
    return this.#facts.get(name) as NeededFacts[Name]
  }

  /** The rules that the settings of the project leave on. */
  switchedOn(rules: readonly Rule[]): readonly Rule[] {
    if (rules.every(({ setting }) => setting === undefined)) return rules
    const config = this.context.config(this.project.root)
    return rules.filter(({ setting }) => setting === undefined || config[setting] !== 'off')
  }

  /** Loads only the facts that these rules need. */
  async factsFor(rules: readonly Rule[]): Promise<Facts> {
    const { session, watch } = this.window
    // After a pause, the plan continues from where the agent then is.
    const level = await levelInForce(this.#tx, this.project.level, this.isPaused)
    // Only the launcher leaves the client's sandbox.
    if (level === 'locked') this.context.programs.note(session.native_id ?? '', false)
    const needed: Partial<Record<Fact, unknown>> = {}
    for (const name of new Set(rules.flatMap(({ needs }) => needs))) needed[name] = await this.fact(name)
    return { session, watch, level, now: this.now, ...needed } as Facts
  }
}
