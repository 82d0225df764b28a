import { isInside } from '../../../model/project.ts'
import type { Loader } from './loader.ts'

/** Files of the project that a command writes. */
export const writes: Loader<'writes'> = {
  looks: ['files'],
  load: (_, { looked, project }) =>
    (looked.writes ?? []).map(({ path }) => path).filter((path) => isInside(project.root, path)),
}
