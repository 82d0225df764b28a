/** The name of our program in every text, until a text leaves for its reader. */
export const PROGRAM = 'holdfast'

/** The first words of our commands. */
export const COMMAND_WORDS = [
  'agent',
  'artifact',
  'backup',
  'backups',
  'chain',
  'completion',
  'config',
  'daemon',
  'demo',
  'directive',
  'doctor',
  'effort',
  'enforce',
  'fleet',
  'forget',
  'handoff',
  'help',
  'hook',
  'hooks',
  'implement',
  'import',
  'index',
  'init',
  'learn',
  'ledger',
  'log',
  'logs',
  'pause',
  'pipeline',
  'project',
  'prove',
  'prune',
  'query',
  'queue',
  'recap',
  'restore',
  'rpc',
  'run',
  'runbook',
  'search',
  'ai',
  'session',
  'skill',
  'span',
  'status',
  'statusline',
  'step',
  'task',
  'todo',
  'uninstall',
  'why',
  'work',
  'worker',
] as const

/** True for an action that is no command: an agent reads a file, calls a skill, or gives a step to sub-agents. */
export const isByHand = (action: string): boolean => /^(read|do step|call the Skill tool) /.test(action)

// oxlint-disable-next-line no-control-regex -- colors begin with ESC
const COLOR = /(?:\u001B\[\d+m)?/.source
/** What stands before a command in our texts; before the name of the program in prose stand other words. */
const BEFORE = `(?<=(?:^ *|[(\`]|(?<!^holdfast): |&& |; |\\b(?:[Rr]un|or|and|is|by|with) )${COLOR})`
const COMMAND = new RegExp(`${BEFORE}${PROGRAM}(?= (?:--|(?:${COMMAND_WORDS.join('|')})(?![\\w-])))`, 'gm')

/**
 * The text for a reader who calls our program by another name. Only commands change: what stands in double quotes is
 * the word of somebody else.
 */
export function withProgram(text: string, program: string): string {
  if (program === PROGRAM || !text.includes(PROGRAM)) return text
  return text.replaceAll(COMMAND, (name, offset: number) => (isQuoted(text, offset) ? name : program))
}

/** Whether a double quote is open on the line before a place. */
function isQuoted(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return line.split('"').length % 2 === 0
}
