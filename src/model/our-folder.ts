/** Our folder in a project. Overlays and the config may be committed; the work of agents is not. */
export const OUR_FOLDER = '.holdfast'

/** Overlays of a project, below our folder in it; those of the user have the same form. */
export const OVERLAYS = `${OUR_FOLDER}/skills`

export const IGNORES = {
  path: `${OUR_FOLDER}/.gitignore`,
  text: '# Made by holdfast.\n.gitignore\nruns/\ntasks/\n',
  /** The text of earlier versions, which hid the config too. */
  former: '# Made by holdfast.\n*\n',
} as const
