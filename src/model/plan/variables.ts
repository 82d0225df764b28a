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

/** Where quotes may not mean what they seem to: comments, escapes, substitutions, expansions and here-documents. */
const INTRICATE = /[`\\#]|<<|\$[({'"]/

/** Each value stays one word of the shell, wherever the command names it. */
export function fillCommand(command: string, values: Values): string {
  // A quoted value must not be in a place that only a shell can understand, so there it is a variable of the shell.
  const isIntricate = INTRICATE.test(command.replaceAll(VARIABLE, "'"))
  const assigned = new Map<string, string>()
  const wordFor = (name: string): string => {
    const value = values[name] ?? ''
    const word = shellWord(value)
    if (!isIntricate || word === value) return word
    const variable = assigned.get(word) ?? `holdfast_${assigned.size + 1}`
    assigned.set(word, variable)
    return `"$${variable}"`
  }
  const quotes: string[] = []
  let filled = ''
  for (let at = 0; at < command.length;) {
    const rest = command.slice(at)
    const [written = '', name = ''] = /^\$\{([A-Za-z_][\w-]*)\}/.exec(rest) ?? []
    if (written !== '' && Object.hasOwn(values, name)) {
      filled += inQuotes(wordFor(name), quotes.at(-1) ?? '')
      at += written.length
      continue
    }
    const token = tokenIn(rest, command[at - 1], quotes.at(-1))
    turn(quotes, token)
    filled += token
    at += token.length
  }
  return `${[...assigned].map(([word, variable]) => `${variable}=${word}; `).join('')}${filled}`
}

/** What stands together: an escape, the begin of a substitution, a comment, or a letter. */
function tokenIn(rest: string, before: string | undefined, quote: string | undefined): string {
  if (quote === "'") return rest[0] ?? ''
  const beginsWord = quote !== '"' && (before === undefined || /[\s;&|(]/.test(before))
  const comment = beginsWord ? /^#[^\n]*/.exec(rest)?.[0] : undefined
  return comment ?? /^(?:\\[^]|\$\(|[^])/.exec(rest)?.[0] ?? ''
}

/** A word with quotes of its own closes those around it. */
function inQuotes(word: string, quote: string): string {
  const isQuoted = quote === '"' || quote === "'"
  return isQuoted && /^['"]/.test(word) ? `${quote}${word}${quote}` : word
}

/** Follows quotes and substitutions, innermost last. */
function turn(quotes: string[], token: string): void {
  const quote = quotes.at(-1)
  if (token === quote) quotes.pop()
  else if (quote === "'") return
  else if (token === '$(' || (token === '(' && quote !== '"')) quotes.push(')')
  else if (token === '"' || token === '`' || (token === "'" && quote !== '"')) quotes.push(token)
}
