import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use, useAll } from './model-server.ts'

/** Values for the blanks of a command, by name. */
export type Values = Readonly<Record<string, string>>

export const run = (command: string): Turn => use('Bash', { command, description: 'Run it' })

/** What a printed step asks for next, word for word, with these values in its blanks. */
export function obey(printed: string, values: Values): Turn {
  const [, command] =
    /<invoke_after>\n(?:.*\n)*?(holdfast .*)\n/.exec(printed) ??
    /INVOKE AFTER: (holdfast .*)/.exec(printed) ??
    []
  if (command !== undefined)
    return run(
      command
        .replaceAll(/--set '?(\w+)=\S+/g, (_, name: string) => `--set ${name}=${values[name]}`)
        .replaceAll(/"(\w+)":"____"/g, (_, name: string) => `"${name}":"${values[name]}"`),
    )
  const [, subagent_type = 'quality-reviewer'] =
    /(?:<subagent_dispatch agent="|DISPATCH \(agent: )([\w:-]+)/.exec(printed) ?? []
  // Several are started together; one that ended early is started again by the command that the step names then.
  const together = [...printed.matchAll(/ invoke: (holdfast step .*)/g)]
  const alone =
    /(?:<invoke>|Start: |Start by invoking: |begins with: )(holdfast step \S+ [^<\n]*)/.exec(printed) ?? []
  const prompts = (together.length > 0 ? together : [alone]).flatMap(([, first]) =>
    first === undefined ? [] : [`Start by invoking: ${first}`],
  )
  if (prompts.length === 0) return say('Done.')
  return useAll(
    ...prompts.map((prompt) =>
      use('Agent', { description: 'Do it', prompt, subagent_type, run_in_background: false }),
    ),
  )
}

/** What a sub-agent does before it obeys; one that only talks never comes to its end. */
export type OwnWhims = Readonly<Record<string, (readonly Turn[])[]>>

/** A sub-agent begins as its prompt says, follows its whims, then obeys. */
export class Child {
  readonly workflow: string
  readonly #whims: readonly Turn[]
  readonly #values: Values

  /** The whims are by the name of the workflow, or by that and the number of the sub-agent: `carry-out 2`. */
  constructor(request: ModelRequest, whims: OwnWhims, valuesFor: (workflow: string) => Values) {
    const [, workflow = '', number = ''] =
      /step [^/\s]+\/(\S+)(?:.* --child (\d+))?/.exec(request.userTexts().join('\n')) ?? []
    this.workflow = workflow
    this.#whims = (whims[`${workflow} ${number}`] ?? whims[workflow])?.shift() ?? []
    const isEnding = this.#whims.every(({ text }) => text === undefined)
    this.#values = isEnding ? valuesFor(workflow) : {}
  }

  next(request: ModelRequest): Turn {
    const [first, ...more] = request.toolResults()
    if (first === undefined)
      return run(/Start by invoking: (.*)/.exec(request.userTexts().join('\n'))?.[1] ?? '')
    const whim = this.#whims[more.length]
    const printed = more.length === this.#whims.length ? first.text : (more.at(-1)?.text ?? '')
    return whim ?? obey(printed, this.#values)
  }
}
