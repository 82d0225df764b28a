import type { HookEvent, ToolCall } from '../../model/event.ts'
import { isInside } from '../../model/project.ts'

/** A tool call that may have written files, by the clock of the disk. */
interface AgentCall {
  readonly session: string
  /** The sub-agent that makes it. */
  readonly subagent: string | undefined
  /** Whether it runs a shell command. */
  readonly isCommand: boolean
  /** Whether it may run a program, such as a shell or a tool that nobody knows. */
  readonly mayRun: boolean
  readonly cwd: string
  /** What it names, to find the calls about a folder elsewhere; undefined if that cannot be told. */
  readonly text: string | undefined
  readonly from: number
  readonly to: number
  readonly inBackground?: true
}

const MOST_CALLS = 1000
/** A client that died never says that its calls have ended. */
const LONGEST_CALL_MILLISECONDS = 3_600_000
/** The disk counts time in ticks. */
const TICK_MILLISECONDS = 20

const calls = new Map<string, AgentCall>()

/** Notes when tool calls of agents and sub-agents run, in memory: an edit in that time is theirs. */
export function noteAgentCall(event: HookEvent): void {
  switch (event.kind) {
    case 'tool.before':
      return begin(event, event.tool)
    case 'tool.after':
      return event.tool.goesOn === true ? goOn(event, event.tool) : end(event, [event.tool])
    case 'tool.failed':
    case 'permission.denied':
      return end(event, [event.tool])
    case 'tool.batch':
      return end(event, event.tools)
    // An interrupted call has no end of its own.
    case 'prompt.submitted':
    case 'turn.stopped':
    case 'turn.failed':
      return event.subagent === undefined ? endAll(event, false) : undefined
    case 'subagent.stopped':
      return endAll(event, false, event.subagent?.id)
    case 'session.ended':
      return endAll(event, true)
    default:
      return undefined
  }
}

/** A refused call never runs. */
export function forgetAgentCall(event: HookEvent): void {
  if (event.kind === 'tool.before') calls.delete(keyOf(event, event.tool))
}

/** Whether an agent may have changed files of a skill at a moment: at work there, or by a call that names the folder. */
export function wasByAgent(at: number, { root, folder }: { readonly root: string; readonly folder: string }) {
  return [...calls.values()].some(
    ({ from, to, cwd, text }) =>
      from - TICK_MILLISECONDS <= at &&
      // Our clock has no fractions of a millisecond.
      Math.floor(at) <= Math.min(to, from + LONGEST_CALL_MILLISECONDS) &&
      (isInside(root, cwd) || !isInside(root, folder) || text === undefined || text.includes(root)),
  )
}

/** The sub-agents of a session that run a shell command now, or one that is meant. */
export function subagentsRunning(
  session: string,
  isMeant: (command: string) => boolean = () => true,
): readonly string[] {
  const own = callsRunning(session).filter(
    ({ isCommand, inBackground, text = '' }) => isCommand && inBackground !== true && isMeant(text),
  )
  return [...new Set(own.flatMap(({ subagent }) => subagent ?? []))]
}

/**
 * Whether the main thread of a session makes the call that is meant, and no sub-agent of it does. Words that hide what
 * is meant, in a variable or a script, are of whoever runs anything now.
 */
export function isMainRunning(session: string, isMeant: (command: string) => boolean): boolean {
  const own = meantIn(session, isMeant)
  return own.length > 0 && own.every(({ subagent }) => subagent === undefined)
}

/** The same of sub-agents: one of them makes the call that is meant, and the main thread does not. */
export function isSubagentRunning(session: string, isMeant: (command: string) => boolean): boolean {
  const own = meantIn(session, isMeant)
  return own.length > 0 && own.every(({ subagent }) => subagent !== undefined)
}

function meantIn(session: string, isMeant: (command: string) => boolean): readonly AgentCall[] {
  const running = callsRunning(session).filter(({ mayRun }) => mayRun)
  const meant = running.filter(({ text = '' }) => isMeant(text))
  return meant.length > 0 ? meant : running
}

const callsRunning = (session: string): readonly AgentCall[] =>
  [...calls.values()].filter(
    (call) =>
      call.session === session && call.to === Infinity && Date.now() < call.from + LONGEST_CALL_MILLISECONDS,
  )

/** Recognizes a command that names these numbers by our flags, however it is quoted. */
export const isFor =
  (flags: Readonly<Record<string, number>>) =>
  (command: string): boolean => {
    const bare = command.replaceAll(/['"\\]/g, '')
    return Object.entries(flags).every(([flag, value]) =>
      new RegExp(`--${flag}(?:=|\\s+)0*${value}(?!\\d)`).test(bare),
    )
  }

function begin(event: HookEvent, tool: ToolCall): void {
  if (!mayWrite(tool)) return
  const [oldest] = calls.keys()
  if (oldest !== undefined && calls.size >= MOST_CALLS) calls.delete(oldest)
  const text = tool.does.kind === 'command' ? tool.does.command : textOf(tool.input ?? '')
  const { session = '', cwd = '', subagent } = event
  const isCommand = tool.does.kind === 'command'
  const by = { session, subagent: subagent?.id, isCommand, mayRun: isCommand || tool.does.kind === 'other' }
  calls.set(keyOf(event, tool), { ...by, cwd, text, from: Date.now(), to: Infinity })
}

/** An input as text; one that is nested too deep has none. */
function textOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input)
  } catch {
    return undefined
  }
}

/** What a program or an unknown tool writes is not known before. */
function mayWrite({ does }: ToolCall): boolean {
  if (does.kind === 'files') return does.touches.some(({ how }) => how === 'write')
  return does.kind === 'command' || does.kind === 'other'
}

function end(event: HookEvent, tools: readonly ToolCall[]): void {
  for (const tool of tools) {
    const key = keyOf(event, tool)
    const call = calls.get(key)
    if (call !== undefined && call.to === Infinity) calls.set(key, { ...call, to: Date.now() })
  }
}

function goOn(event: HookEvent, tool: ToolCall): void {
  const key = keyOf(event, tool)
  const call = calls.get(key)
  if (call !== undefined) calls.set(key, { ...call, inBackground: true })
}

/** Ends the calls of a session, or of one sub-agent of it. */
function endAll({ session = '' }: HookEvent, isWhole: boolean, subagent?: string): void {
  const isMeant = (call: AgentCall) =>
    call.session === session && (subagent === undefined || call.subagent === subagent)
  for (const [key, call] of calls)
    if (isMeant(call) && call.to === Infinity && (isWhole || call.inBackground !== true))
      calls.set(key, { ...call, to: Date.now() })
}

const keyOf = ({ session, subagent }: HookEvent, { id, name }: ToolCall): string =>
  `${session}\0${subagent?.id}\0${id ?? name}`
