/** Prefix of sessions that test the hooks; nothing they report is kept. */
export const CANARY_SESSION = 'holdfast-canary-'

/** The project and skill of such a session. They exist on no disk. */
export const CANARY_PROJECT = '/holdfast-canary'
export const CANARY_SKILL = 'holdfast-canary'

const folder = `${CANARY_PROJECT}/skills/${CANARY_SKILL}`

/** The second step may not be read before the first. */
export const CANARY_FILES = {
  folder,
  main: `${folder}/SKILL.md`,
  first: `${folder}/steps/first.md`,
  second: `${folder}/steps/second.md`,
} as const

export const isCanary = (session: string | undefined): boolean => session?.startsWith(CANARY_SESSION) === true
