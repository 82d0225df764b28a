import { shellWord } from '../shell/word.ts'
import type { Demands } from './evidence.ts'
import type { Plan, Run, Verify } from './plan.ts'

type Values = Readonly<Record<string, string>>

const VARIABLE = /\$\{([A-Za-z_][\w-]*)\}/g

/** The variables that a text names as `${name}`. */
export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(VARIABLE)].map(([, name = '']) => name)

/** The plan with values in its commands, prompts and patterns; unknown names stay, because shells have variables too. */
export function fillVariables(plan: Plan, values: Values): Plan {
  const { demands, steps } = plan
  return {
    ...plan,
    ...(demands !== undefined && { demands: filledDemands(demands, values) }),
    steps: steps.map((step) => ({
      ...step,
      ...(step.writes !== undefined && { writes: step.writes.map((pattern) => fillText(pattern, values)) }),
      ...(step.runs !== undefined && { runs: filledRun(step.runs, values) }),
      ...(step.verify !== undefined && { verify: filledVerify(step.verify, values) }),
    })),
  }
}

const filledDemands = (demands: Demands, values: Values): Demands =>
  Object.fromEntries(
    Object.entries(demands).map(([name, demand]) => [
      name,
      {
        ...demand,
        covers: demand.covers.map((pattern) => fillText(pattern, values)),
        ...(demand.command !== undefined && { command: fillCommand(demand.command, values) }),
      },
    ]),
  )

function filledRun(runs: Run, values: Values): Run {
  switch (runs.kind) {
    case 'skill':
      return { ...runs, args: fillText(runs.args, values) }
    case 'command':
    case 'own':
      return { ...runs, command: fillCommand(runs.command, values) }
    case 'prompt':
      return { ...runs, prompt: fillText(runs.prompt, values) }
    default:
      return runs satisfies never
  }
}

const filledVerify = (verify: Verify, values: Values): Verify =>
  verify.kind === 'command' ? { ...verify, command: fillCommand(verify.command, values) } : verify

const fillText = (text: string, values: Values): string =>
  text.replaceAll(VARIABLE, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : written,
  )

/** Each value stays one word of the shell, wherever the command names it. */
export function fillCommand(command: string, values: Values): string {
  const quotes: string[] = []
  let filled = ''
  for (let at = 0; at < command.length;) {
    const rest = command.slice(at)
    const [written = '', name = ''] = /^\$\{([A-Za-z_][\w-]*)\}/.exec(rest) ?? []
    const quote = quotes.at(-1) ?? ''
    if (written !== '' && Object.hasOwn(values, name)) {
      filled += inQuotes(values[name] ?? '', quote)
      at += written.length
      continue
    }
    const token = quote === "'" ? (rest[0] ?? '') : (/^(?:\\[^]|\$\(|[^])/.exec(rest)?.[0] ?? '')
    turn(quotes, token)
    filled += token
    at += token.length
  }
  return filled
}

/** A value that needs quotes of its own closes those around it. */
function inQuotes(value: string, quote: string): string {
  const word = shellWord(value)
  const isQuoted = quote === '"' || quote === "'"
  return word === value || !isQuoted ? word : `${quote}${word}${quote}`
}

/** Follows quotes and substitutions, innermost last. */
function turn(quotes: string[], token: string): void {
  const quote = quotes.at(-1)
  if (token === quote) quotes.pop()
  else if (quote === "'") return
  else if (token === '$(' || (token === '(' && quote !== '"')) quotes.push(')')
  else if (token === '"' || token === '`' || (token === "'" && quote !== '"')) quotes.push(token)
}
