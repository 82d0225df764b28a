/** The characters of a plain command, for shell patterns and regular expressions; none starts a second command. */
export const PLAIN_CHARACTERS = 'A-Za-z0-9 ._/=:@,+-'

/** The prefixes of holdfast calls. */
export const OUR_PROGRAMS = ['holdfast ', 'npx holdfast '] as const

/** A log call anywhere in a command, with any path to the program. */
const LOGS = /(?:^|[\s;&|(])(?:[^\s;&|(]*\/)?(?:holdfast|engine)\s+log\b/

/** Whether a shell command writes to the log or begins with a holdfast call. */
export const tellsOfItself = (command: string): boolean => LOGS.test(command) || beginsWithOurs(command)

export const beginsWithOurs = (command: string): boolean =>
  [...OUR_PROGRAMS, 'engine ', 'npx engine '].some((program) => command.trimStart().startsWith(program))

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`)

/** Whether a shell command is a plain holdfast call, which must run even without the daemon. */
export const isRepair = (command: string): boolean =>
  PLAIN.test(command) && OUR_PROGRAMS.some((program) => command.startsWith(program))
