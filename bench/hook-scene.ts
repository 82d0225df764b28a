import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from './measure.ts'

/** One way to send a payload: prepared outside the measured time, then sent. */
export type Route = (payload: object) => () => Promise<unknown>

const STEPS = Array.from({ length: 8 }, (_, index) => `step-${index + 1}`)

/** A repository with one skill, whose steps must be read in order. */
export function makeRepository(folder: string): string {
  const repository = join(folder, 'repository')
  const skill = join(repository, '.claude', 'skills', 'flow')
  mkdirSync(join(repository, '.git'), { recursive: true })
  mkdirSync(join(skill, 'steps'), { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: flow\ndescription: Flows.\n---\n\nRead the steps.\n')
  for (const [index, step] of STEPS.entries()) {
    const consumes = index === 0 ? 'user-request' : `result-${index}`
    const text = `---\nconsumes: [${consumes}]\nproduces: [result-${index + 1}]\n---\n\nDo it.\n`
    writeFileSync(join(skill, 'steps', `${step}.md`), text)
  }
  return repository
}

/** The hook payloads of a client that works in a repository. */
export class Scene {
  readonly #repository: string
  readonly #session: string
  #calls = 0
  #reads = 0

  constructor(repository: string, session = '0d6b7c1e-5a53-4c53-9d7e-2f3a0c9a1b11') {
    this.#repository = repository
    this.#session = session
  }

  /** Starts a session and calls the skill. */
  async begin(route: Route): Promise<this> {
    await route(this.payload('SessionStart', { source: 'startup' }))()
    await route(this.#call())()
    return this
  }

  /** A call unrelated to any plan, before and after; about 1 KB. */
  look(): readonly [before: object, after: object] {
    const input = { command: 'ls', description: 'List the files. '.repeat(45) }
    return this.#use('Bash', input, { stdout: 'README.md', stderr: '' })
  }

  /** The next unread step, before and after; after the last step, the skill is called again. */
  async step(route: Route): Promise<readonly [before: object, after: object]> {
    const step = STEPS[this.#reads++ % STEPS.length] ?? ''
    if (this.#reads > 1 && step === STEPS[0]) await route(this.#call())()
    const file = join(this.#repository, '.claude', 'skills', 'flow', 'steps', `${step}.md`)
    const content = readFileSync(file, 'utf8')
    const lines = content.split('\n').length
    // A step counts only if the answer shows all of it.
    return this.#use(
      'Read',
      { file_path: file },
      { type: 'text', file: { filePath: file, content, numLines: lines, startLine: 1, totalLines: lines } },
    )
  }

  #call(): object {
    return this.payload('UserPromptSubmit', { prompt: '/flow once more' })
  }

  #use(tool: string, input: object, response: object): readonly [before: object, after: object] {
    const call = { tool_name: tool, tool_input: input, tool_use_id: `toolu_${++this.#calls}` }
    return [
      this.payload('PreToolUse', call),
      this.payload('PostToolUse', { ...call, tool_response: response }),
    ]
  }

  payload(event: string, more: object): object {
    return {
      session_id: this.#session,
      transcript_path: `/home/somebody/.claude/projects/-repository/${this.#session}.jsonl`,
      cwd: this.#repository,
      prompt_id: 'fbca952d-1312-4b38-b0bc-8680108c1fd8',
      permission_mode: 'default',
      hook_event_name: event,
      ...more,
    }
  }
}

/** The number of steps until the skill is called again. */
export const CYCLE = STEPS.length

/** Times a PreToolUse that writes nothing; the PostToolUse that follows is not timed. */
export const looking =
  (scene: Scene, route: Route): Contender =>
  async (count) => {
    const times: number[] = []
    for (let index = 0; index < count; index++) {
      const [before, after] = scene.look()
      times.push(await timeOf(route(before)))
      await route(after)()
    }
    return times
  }

/** Times the PostToolUse that records a step; the payloads before it are not timed. */
export const stepping =
  (scene: Scene, route: Route): Contender =>
  async (count) => {
    const times: number[] = []
    for (let index = 0; index < count; index++) {
      const [before, after] = await scene.step(route)
      await route(before)()
      times.push(await timeOf(route(after)))
    }
    return times
  }

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) * 1000
}
