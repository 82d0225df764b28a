import type { OurWords } from './door.ts'

/** What a client's sandbox keeps from the agent at level `locked`. */
export interface Lock {
  /** Files and folders that no shell of the agent reads. */
  readonly unread: readonly string[]
  /** Files and folders that no tool of the agent writes. */
  readonly unwritten: readonly string[]
  /** Folders of the project that no shell moves, because something unread lies in them. */
  readonly fixed: readonly string[]
  /** The launcher, whose commands for agents run outside of the sandbox. */
  readonly launcher: string
}

/** The commands that agents need: none loosens the rules or prints a file that its caller names. */
export const AGENT_COMMANDS: readonly string[] = [
  'step',
  'prove',
  'log',
  'status',
  'why',
  'recap',
  'fleet',
  ...['show', 'list', 'start', 'phase', 'finish', 'validate', 'tick', 'find-active'].map(of('effort')),
  ...['continue', 'dehydrate', 'check', 'activate', 'phase', 'debrief', 'idle'].map(of('session')),
  ...['start', 'next', 'done', 'fail', 'status', '--continue'].map(of('pipeline')),
  ...['next', 'report', 'status'].map(of('runbook')),
  ...['add', 'list', 'resolve'].map(of('queue')),
  'handoff',
  'todo',
  'learn',
  ...['list', 'show', 'log'].map(of('run')),
  ...['list', 'put'].map(of('artifact')),
  ...['start', 'status'].map(of('daemon')),
]

function of(noun: string): (verb: string) => string {
  return (verb) => `${noun} ${verb}`
}

/**
 * Those that a client may run without asking: what `prove` runs, an agent can change or name in a plan of its own, and
 * `daemon` starts a process.
 */
export const UNASKED_COMMANDS: readonly string[] = AGENT_COMMANDS.filter(
  (name) => name !== 'prove' && !name.startsWith('daemon '),
)

/** The beginnings of the commands that run outside of the sandbox. */
export const outsideOf = ({ launcher }: Pick<Lock, 'launcher'>): readonly string[] =>
  AGENT_COMMANDS.map((name) => `${launcher} ${name}`)

/** True if a sandbox can name a launcher as one plain word. */
export const isNameable = (launcher: string): boolean => /^[\w./@+-]+$/.test(launcher)

/** True if these words begin like a command for agents. */
export const isOfAgents = (words: OurWords): boolean =>
  AGENT_COMMANDS.some((name) => `${words.join(' ')} `.startsWith(`${name} `))

/** True if these words are a command for agents; a word with `@` would be read from a file, past the sandbox. */
export const isForAgents = (words: OurWords): boolean =>
  isOfAgents(words) && !words.some((word) => /^(--?[\w-]+=)?@/.test(word))
