import { type Project, tellProject, type ToldProject } from '../../model/project.ts'
import type { Tx } from '../../store/query.ts'
import { defaultLevel } from '../../store/setting.ts'
import { listWorkplaces } from '../../store/workplace.ts'
import type { Machine } from '../call/context.ts'

/** Projects for a caller on this machine. */
export async function tellProjects(
  tx: Tx,
  projects: readonly Project[],
  { machine_id: machine }: Machine,
): Promise<readonly ToldProject[]> {
  const known = { usual: await defaultLevel(tx), workplaces: await listWorkplaces(tx, {}), machine }
  return projects.map((project) => tellProject(project, known))
}
