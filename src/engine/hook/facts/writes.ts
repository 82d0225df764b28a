import { innermost, isInside } from '../../../model/project.ts'
import { tasksFolder } from '../../../model/task.ts'
import { workplacesOf } from '../../../store/workplace.ts'
import type { Loader } from './loader.ts'

/** Files of the project that the event writes, in any of its workplaces. */
export const writes: Loader<'writes'> = {
  looks: ['files'],
  async load(tx, { looked, project, context }) {
    const paths = (looked.writes ?? []).map(({ path }) => path)
    if (paths.length === 0) return []
    const places = await workplacesOf(tx, { project_id: project.id })
    return paths.flatMap((path) => {
      const root = innermost(places, path)?.path
      if (root === undefined) return []
      const inTasks = isInside(`${root}/${tasksFolder(context.config(root))}`, path)
      return [{ path, name: path.slice(root.length + 1), inTasks }]
    })
  },
}
