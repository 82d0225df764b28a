import { stepPath } from '../../model/plan/steps-read.ts'
import type { Tx } from '../../store/query.ts'
import { skillsOf, toSkill } from '../../store/skill.ts'
import { placeOfClient } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { keepersOf } from './keepers.ts'
import type { Looked } from './looks/look.ts'

/** The real paths of all steps of a session's workplace. */
export async function stepsOf(tx: Tx, session: string): Promise<readonly string[]> {
  const place = await placeOfClient(tx, { native_id: session })
  if (place === undefined) return []
  const skills = await skillsOf(tx, { workplace_id: place.workplace_id })
  const kept = (await keepersOf(tx, session)).map((keeper) => keeper.kept)
  return [...skills.map(toSkill), ...kept].flatMap(({ plan, file, folder }) => {
    if (plan?.notation !== 'steps' || file === null || folder === null) return []
    return plan.steps.map((step) => stepPath({ file, folder }, step.place.file))
  })
}

/** The step files that have other names as well, by identity. */
export async function namesOf(
  { files }: Context,
  steps: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const known = await Promise.all(steps.map(async (path) => [path, await files.identity(path)] as const))
  return new Map(known.flatMap(([path, is]) => (is?.isShared === true ? [[is.id, path] as const] : [])))
}

/** Adds the steps that an event reads, or gives to programs, by another name of their files. */
export function withShared(
  { reads, unsure, shared }: Looked,
  steps: ReadonlyMap<string, string>,
): Partial<Looked> {
  const pathsOf = (ids: readonly string[] = []) => ids.flatMap((id) => steps.get(id) ?? [])
  const given = pathsOf(shared?.given)
  return {
    reads: [...new Set([...reads, ...pathsOf(shared?.read)])],
    ...(unsure !== undefined &&
      given.length > 0 && { unsure: { ...unsure, named: [...unsure.named, ...given] } }),
  }
}
