/** The characters of a plain command, for shell patterns and regular expressions; none starts a second command. */
export const PLAIN_CHARACTERS = 'A-Za-z0-9 ._/=:@,+-'

/** The prefixes of holdfast calls. */
export const OUR_PROGRAMS = ['holdfast ', 'npx holdfast '] as const

/** A log call anywhere in a command, with any path to the program. */
const LOGS = /(?:^|[\s;&|(])(?:[^\s;&|(]*\/)?(?:holdfast|engine)'?\s+log\b/

/** Whether a shell command writes to the log or begins with a holdfast call. */
export const tellsOfItself = (command: string): boolean => LOGS.test(command) || beginsWithOurs(command)

export const beginsWithOurs = (command: string): boolean => OURS.test(command)

/** The launcher has a path, in quotes if it contains a space. */
const OURS = /^\s*(?:npx )?(?:'(?:[^']|'\\'')*\/bin\/|[^\s;&|('"]*\/bin\/)?(?:holdfast|engine)'? /

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`)

/** Whether a shell command is a plain holdfast call, which must run even without the daemon. */
export function isRepair(command: string, launcher?: string): boolean {
  const isLaunched = launcher !== undefined && command.startsWith(`${launcher} `)
  const plain = isLaunched ? command.slice(launcher.length) : command
  return PLAIN.test(plain) && (isLaunched || OUR_PROGRAMS.some((program) => command.startsWith(program)))
}
