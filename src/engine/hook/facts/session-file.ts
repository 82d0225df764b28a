import type { Loader } from './loader.ts'

/** The session file of the project, as far as somebody looked. */
export const sessionFile: Loader<'sessionFile'> = {
  looks: ['sessionFile'],
  load: (_, { looked }) => Promise.resolve(looked.sessionFile),
}
