/** The session that tries the hooks begins with this; nothing of what it reports stays. */
export const CANARY_SESSION = 'holdfast-canary-'

/** The project and the skill that such a session works with. They are on no disk. */
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
