import { isInside } from '../../../model/project.ts'
import { workplacesOf } from '../../../store/workplace.ts'
import type { Loader } from './loader.ts'

/** Files of the project that a command writes, in any of its workplaces. */
export const writes: Loader<'writes'> = {
  looks: ['files'],
  async load(tx, { looked, project }) {
    const paths = (looked.writes ?? []).map(({ path }) => path)
    if (paths.every((path) => isInside(project.root, path))) return paths
    const places = await workplacesOf(tx, { project_id: project.id })
    return paths.filter((path) => places.some((place) => isInside(place.path, path)))
  },
}
