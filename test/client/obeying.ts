import { say, type Turn, use } from './model-server.ts'

export const run = (command: string): Turn => use('Bash', { command, description: 'Run it' })

/** What a printed step asks for next, word for word, with these values in its blanks. */
export function obey(printed: string, values: Readonly<Record<string, string>>): Turn {
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
  const [, agent] = /<subagent_dispatch agent="(.*?)"/.exec(printed) ?? []
  // A sub-agent that ended early is started again by the command that the step names then.
  const [, first] = /(?:<invoke>|begins with: )(holdfast step \S+ [^<\n]*)/.exec(printed) ?? []
  if (first === undefined) return say('Done.')
  const prompt = `Start by invoking: ${first}`
  const subagent_type = agent ?? 'quality-reviewer'
  return use('Agent', { description: 'Do it', prompt, subagent_type, run_in_background: false })
}
