import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../src/daemon/home.ts'
import type { Gate } from './scene.ts'
import type { Rows } from './crash-check.ts'
import type { CrashRecord, MadeHook } from './crash-record.ts'
import { postHook } from './post-hook.ts'
import type { Random } from './random.ts'

const SKILL = 'walk'
const FILES = {
  'SKILL.md': `---\nname: ${SKILL}\ndescription: Walks.\n---\n\nRead the steps.\n`,
  'steps/first.md': '---\nproduces: [change]\n---\n',
  // Nobody reads it, so the last step stays refused.
  'steps/middle.md': '---\nconsumes: [change]\nproduces: [report]\n---\n',
  'steps/last.md': '---\nconsumes: [report]\n---\n',
}
const EVENTS_PER_SESSION = 8
const AGAIN_MILLISECONDS = 10

/** The shared state of all clients with hooks. */
interface HookScene {
  readonly gate: Gate
  readonly record: CrashRecord
  readonly random: Random
  readonly home: Home
  /** The checkout that `furnishWalk` made. */
  readonly checkout: string
  readonly isOver: boolean
}

const fileOf = (checkout: string, name: string) => join(checkout, '.claude/skills', SKILL, name)

/** Makes a checkout with a skill whose last step has to wait. */
export function furnishWalk(checkout: string): void {
  mkdirSync(join(checkout, '.git'), { recursive: true })
  mkdirSync(fileOf(checkout, 'steps'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(fileOf(checkout, name), text)
}

/** A client that works by hooks alone and, as a real one, sends no hook again. */
export class HookCaller {
  readonly #scene: HookScene
  readonly #name: string
  #made = 0

  constructor(scene: HookScene, name: string) {
    this.#scene = scene
    this.#name = name
  }

  async run(): Promise<void> {
    while (!this.#scene.isOver) await this.#session(this.#newKey())
  }

  /** Goes on after a crash, once its effort has begun. */
  async #session(session: string): Promise<void> {
    const call = `/${SKILL} ${session}`
    const start = { hook_event_name: 'SessionStart', source: 'startup' }
    if (!(await this.#send(session, start, [`session ${session}`]))) return
    if (!(await this.#prompt(session, call, [`effort ${session}`]))) return
    const steps = [
      () => this.#prompt(session, `${this.#newKey()} ${'x'.repeat(this.#scene.random.below(300))}.`),
      () => this.#readTooEarly(session),
      () => this.#visit(session),
    ]
    for (let event = 0; event < EVENTS_PER_SESSION; event++) await this.#scene.random.pick(steps)?.()
    await this.#send(session, { hook_event_name: 'SessionEnd', reason: 'other' }, [])
  }

  #prompt(session: string, prompt: string, more: readonly string[] = []): Promise<boolean> {
    const event = { hook_event_name: 'UserPromptSubmit', prompt }
    return this.#send(session, event, [`prompt ${prompt}`, ...more])
  }

  #readTooEarly(session: string): Promise<boolean> {
    const id = this.#newKey()
    const event = { hook_event_name: 'PreToolUse', ...this.#read('last', id) }
    return this.#send(session, event, [`refusal ${id}`])
  }

  /** A step that is read again is still visited once. */
  #visit(session: string): Promise<boolean> {
    const response = { type: 'text', file: { content: FILES['steps/first.md'] } }
    const event = {
      hook_event_name: 'PostToolUse',
      ...this.#read('first', this.#newKey()),
      tool_response: response,
    }
    return this.#send(session, event, [`visit ${session} first 1`, `visit in the ledger ${session} first`])
  }

  #read(step: string, id: string): object {
    const file = fileOf(this.#scene.checkout, `steps/${step}.md`)
    return { tool_name: 'Read', tool_input: { file_path: file }, tool_use_id: id }
  }

  #newKey(): string {
    return `${this.#name}-${++this.#made}`
  }

  /** True if the hook was acknowledged; only one that found no daemon is sent again. */
  async #send(session: string, event: object, traces: readonly string[]): Promise<boolean> {
    const { gate, record, home, checkout } = this.#scene
    const hook: MadeHook = { traces, isAcknowledged: false }
    record.hooks.push(hook)
    const payload = JSON.stringify({ session_id: session, cwd: checkout, ...event })
    for (;;) {
      await gate.pass()
      const outcome = await postHook(home, payload)
      hook.isAcknowledged = outcome === 'acknowledged'
      if (outcome !== 'refused' || this.#scene.isOver) return hook.isAcknowledged
      await sleep(AGAIN_MILLISECONDS)
    }
  }
}

const OF_CLIENTS = 'session_id in (select id from sessions where client is not null)'

/** All that hooks have left, in the words of their senders. */
const TRACES = `
  select 'session ' || native_id as trace from sessions where client is not null
  union all select 'effort ' || request from efforts where skill = '${SKILL}'
  union all select 'prompt ' || content from messages where role = 'user' and ${OF_CLIENTS}
  union all select 'refusal ' || native_id from messages
    where content like '%/last.md"} → refused: Holdfast: step "last" needs "report"%' and ${OF_CLIENTS}
  union all select 'visit ' || request || ' ' || step || ' ' || attempts
    from step_visits join efforts on efforts.id = effort_id where skill = '${SKILL}'
  union all select 'visit in the ledger ' || session_id || ' ' || phase
    from life_event where event_type = 'step.visited' and skill = '${SKILL}'`

/** Each trace is that of a hook and exists once, and each acknowledged hook has its traces. */
export async function checkHooks(rows: Rows, record: CrashRecord): Promise<void> {
  const found = new Map<string, number>()
  for (const { trace } of await rows(TRACES)) found.set(String(trace), (found.get(String(trace)) ?? 0) + 1)
  const made = new Set(record.hooks.flatMap(({ traces }) => traces))
  for (const [trace, times] of found) {
    if (!made.has(trace)) record.report('stray', trace)
    if (times > 1) record.report('duplicate', `${trace} exists ${times} times`)
  }
  for (const { traces } of record.hooks.filter(({ isAcknowledged }) => isAcknowledged))
    for (const trace of traces.filter((one) => !found.has(one)))
      record.report('lost', `${trace} of a hook was acknowledged and is gone`)
}
