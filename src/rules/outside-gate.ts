import { asCommand } from '../model/door.ts'
import type { HookEvent } from '../model/event.ts'
import { isForAgents, isOfAgents } from '../model/lock.ts'
import { ourWords, simpleCommands, type Word } from '../model/shell/our-calls.ts'
import { rule } from './rule.ts'

/** Our commands run outside of the client's sandbox, so nothing else may come with them. */
export const outsideGate = rule({
  name: 'outside-gate',
  summary: 'at locked, refuses to call holdfast other than by its launcher, alone and with plain words',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ event }, { watch }) => watch.isStrict !== false && !isPlainCall(commandOf(event)),
  needs: [],
  judge(event, { level, session }) {
    const command = commandOf(event)
    if (level !== 'locked' || isPlainCall(command)) return undefined
    const reason = notForAgents(command) ?? `${ONLY_PLAIN} Next: run ${asCommand(meant(command) ?? ['step'])}`
    return { block: { reason, skill: '', effort: session.effort_id } }
  },
})

const OURS = /\b(?:holdfast|engine)\b/

const commandOf = (event: HookEvent): string =>
  event.kind === 'tool.before' && event.tool.does.kind === 'command' ? event.tool.does.command : ''

/** Why another form is refused; the reader gets the launcher instead of the name. */
export const ONLY_PLAIN =
  'At level locked, holdfast reaches its daemon only by its launcher, as a command of its own with plain words: no variables, pipes, redirections, @files or other programs.'

/** Why a call is refused in every form. */
export const FOR_USER = 'At level locked, agents run only some commands of holdfast, and not this one.'

/** True if a command calls nothing of ours that needs the daemon, or nothing else. */
function isPlainCall(command: string): boolean {
  if (!OURS.test(command)) return true
  const calls = simpleCommands(command)
  if (!LAUNCHER.test(command) && !calls.some(({ words }) => isByName(ourWords(words)))) return true
  return calls.length > 0 && calls.every((call) => !call.isRedirected && isLaunched(call.words))
}

const LAUNCHER = /\/bin\/holdfast(?![\w./-])/

/** Without the launcher it stays in the sandbox, where only commands without a daemon work. */
const isByName = (words: readonly Word[]): boolean => isForAgents(words.slice(0, 2).map((word) => word ?? ''))

function isLaunched([program, ...rest]: readonly Word[]): boolean {
  const words = known(rest)
  return (
    program?.startsWith('/') === true && LAUNCHER.test(program) && words !== undefined && isForAgents(words)
  )
}

/** The refusal of a call that no agent makes at this level, in any form. */
function notForAgents(command: string): string | undefined {
  const words = simpleCommands(command)
    .map((call) => known(ourWords(call.words)))
    .find((found) => found !== undefined && found.length > 0 && !isOfAgents(found))
  if (words === undefined) return undefined
  return `${FOR_USER} Next: ask the user to run ${asCommand(words)} in a terminal of their own, or go on within the plan (holdfast step shows how).`
}

/** The first call for agents, as it should have been made. */
const meant = (command: string): readonly string[] | undefined =>
  simpleCommands(command)
    .map(({ words }) => known(ourWords(words)))
    .find((words) => words !== undefined && isForAgents(words))

/** The words, if all of them are known before the command runs. */
function known(words: readonly Word[]): readonly string[] | undefined {
  const found = words.filter((word) => word !== undefined)
  return found.length === words.length ? found : undefined
}
