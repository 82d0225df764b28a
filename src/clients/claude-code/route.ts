import type { Claim, Route, Target } from '../../model/coverage.ts'

type Options = Pick<Route, 'why' | 'whole' | 'strict'>

/** A route of shell commands; uppercase names are placeholders for the files of a step. */
export const shell = (
  what: string,
  claim: Claim,
  commands: readonly string[],
  more: Options = {},
): Route => ({
  what,
  claim,
  examples: commands,
  ...more,
  payloads: (target) =>
    commands.map((command) => ({ tool_name: 'Bash', tool_input: { command: filled(command, target) } })),
})

/** Replaces the placeholders of a command. */
export const filled = (text: string, { file, relative, name, steps, skills, skill }: Target): string =>
  text
    .replaceAll('FILE', file)
    .replaceAll('RELATIVE', relative)
    .replaceAll('NAME', name)
    .replaceAll('STEPS', steps)
    .replaceAll('FOLDER', steps)
    .replaceAll('SKILLS', skills)
    .replaceAll('SKILL', skill)

/** A route of other tool calls, each with its name and input. */
export const tools = (
  what: string,
  claim: Claim,
  calls: readonly (readonly [name: string, input: (target: Target) => object])[],
  more: Options = {},
): Route => ({
  what,
  claim,
  examples: calls.map(([name]) => name),
  ...more,
  payloads: (target) => calls.map(([tool_name, input]) => ({ tool_name, tool_input: input(target) })),
})
