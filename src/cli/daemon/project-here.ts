import { realpathSync } from 'node:fs'
import type { ToldProject } from '../../model/project.ts'
import type { Io } from '../frame/io.ts'
import type { Remote } from './remote.ts'

/** The registered project around the current folder. */
export const projectHere = (io: Io, remote: Remote): Promise<ToldProject | undefined> =>
  projectAround(remote, realpathSync(io.cwd))

/** The registered project around a folder. */
export async function projectAround(remote: Remote, path: string): Promise<ToldProject | undefined> {
  return (await remote.call<readonly ToldProject[]>('db.project.list', { path }))[0]
}
