import { realpathSync } from 'node:fs'
import { projectOf, type ToldProject } from '../../model/project.ts'
import type { Io } from '../frame/io.ts'
import type { Remote } from './remote.ts'

/** The registered project around the current folder. */
export async function projectHere(io: Io, remote: Remote): Promise<ToldProject | undefined> {
  return projectOf(await remote.call<readonly ToldProject[]>('db.project.list', {}), realpathSync(io.cwd))
}
