import type { HookEvent } from '../model/event.ts'
import { isForAgents } from '../model/lock.ts'
import { ourWords, simpleCommands, type Word } from '../model/shell/our-calls.ts'
import { rule } from './rule.ts'

/** Our commands run outside of the client's sandbox, so nothing else may come with them. */
export const outsideGate = rule({
  name: 'outside-gate',
  summary: 'at locked, refuses to call holdfast other than by its launcher, alone and with plain words',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ event }) => OURS.test(commandOf(event)),
  needs: [],
  judge(event, { level, session }) {
    if (level !== 'locked' || isPlainCall(commandOf(event))) return undefined
    return { block: { reason: ONLY_PLAIN, skill: '', effort: session.effort_id } }
  },
})

const OURS = /\b(?:holdfast|engine)\b/

const commandOf = (event: HookEvent): string =>
  event.kind === 'tool.before' && event.tool.does.kind === 'command' ? event.tool.does.command : ''

/** Why another form is refused; the reader gets the launcher instead of the name. */
export const ONLY_PLAIN =
  'At level locked, holdfast works only by its launcher, as a command of its own with plain words: no variables, pipes, redirections, @files or other programs. Only commands for agents work. Next: run holdfast step'

/** True if a command does not call us, or does nothing else. */
export function isPlainCall(command: string): boolean {
  const calls = simpleCommands(command)
  if (!LAUNCHER.test(command) && !calls.some(({ words }) => ourWords(words).length > 0)) return true
  return calls.length > 0 && calls.every((call) => !call.isRedirected && isLaunched(call.words))
}

const LAUNCHER = /\/bin\/holdfast(?![\w./-])/

function isLaunched([program, ...rest]: readonly Word[]): boolean {
  if (program === undefined || !program.startsWith('/')) return false
  const words = rest.filter((word) => word !== undefined)
  return words.length === rest.length && LAUNCHER.test(program) && isForAgents(words)
}
