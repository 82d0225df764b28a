/** What a plain command is made of, as a shell pattern and an expression both write it: nothing that begins a second. */
export const PLAIN_CHARACTERS = 'A-Za-z0-9 ._/=:@,+-'

/** How calls of ours begin. */
export const OUR_PROGRAMS = ['holdfast ', 'npx holdfast '] as const

/** Whether a shell command begins with a call of ours, whatever else it does. */
export const beginsWithOurs = (command: string): boolean =>
  [...OUR_PROGRAMS, 'engine ', 'npx engine '].some((program) => command.trimStart().startsWith(program))

const PLAIN = new RegExp(`^[${PLAIN_CHARACTERS}]*$`)

/** Whether a shell command is a plain call of ours: what could bring the daemon back must run without it. */
export const isRepair = (command: string): boolean =>
  PLAIN.test(command) && OUR_PROGRAMS.some((program) => command.startsWith(program))
