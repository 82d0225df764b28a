/** What a plain command is made of, as a shell pattern and an expression both write it: nothing that begins a second. */
export const PLAIN_CHARACTERS = 'A-Za-z0-9 ._/=:@,+-'

/** How calls of ours begin. */
export const OUR_PROGRAMS = ['holdfast ', 'npx holdfast '] as const

/** A call that writes to the log, wherever it stands in a command and wherever the program lies. */
const LOGS = /(?:^|[\s;&|(])(?:[^\s;&|(]*\/)?(?:holdfast|engine)\s+log\b/

/** Whether a shell command writes to the log, or begins with a call of ours, whatever else it does. */
export const tellsOfItself = (command: string): boolean => LOGS.test(command) || beginsWithOurs(command)

export const beginsWithOurs = (command: string): boolean =>
  [...OUR_PROGRAMS, 'engine ', 'npx engine '].some((program) => command.trimStart().startsWith(program))

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`)

/** Whether a shell command is a plain call of ours: what could bring the daemon back must run without it. */
export const isRepair = (command: string): boolean =>
  PLAIN.test(command) && OUR_PROGRAMS.some((program) => command.startsWith(program))
