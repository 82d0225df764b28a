import { artifactPath, type Effort, isAdHoc } from '../../model/effort.ts'
import type { Skill } from '../../model/skill.ts'
import { standing } from '../../rules/told/standing.ts'
import { listArtifacts } from '../../store/artifact.ts'
import { listEfforts, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { factsOf } from './skill-facts.ts'
import { followedBy, whatNext } from '../plan/plan.ts'
import { artifactPaths, type Seen } from './work-files.ts'
import type { WorkView } from './work-text.ts'

/** Another effort of the same task, with its files. */
export interface PriorEffort extends Pick<
  Effort,
  'id' | 'ordinal' | 'skill' | 'lifecycle' | 'current_phase'
> {
  readonly debrief: string | null
}

/** An effort with its plan, its files and the other efforts of its task. */
export async function viewOf(
  tx: Tx,
  {
    effort,
    skill,
    seen,
    files,
  }: {
    readonly effort: Effort
    readonly skill: Skill | undefined
    readonly seen: Seen
    readonly files: Parameters<typeof factsOf>[3]
  },
): Promise<WorkView & { readonly prior_efforts: readonly PriorEffort[] }> {
  const rows = await listEfforts(tx, { task_id: effort.task_id })
  const efforts = rows.map(toEffort).filter((one) => !isAdHoc(one))
  const { phases = [], next_skills = [] } = skill ?? {}
  return {
    effort,
    phases,
    ...whatNext(await followedBy(tx, effort, files), effort.current_phase),
    standing: skill === undefined ? [] : standing(await factsOf(tx, skill, effort, files)),
    // An effort that was created after the file check has no files yet.
    artifacts: [
      ...new Set([
        ...efforts.flatMap(artifactPaths).filter((path) => seen.get(path) === true),
        ...(await listArtifacts(tx, { effort_id: effort.id })).flatMap(({ path }) => path ?? []),
      ]),
    ],
    next_skills,
    prior_efforts: efforts.filter(({ id }) => id !== effort.id).map((one) => priorOf(one, seen)),
  }
}

function priorOf(effort: Effort, seen: Seen): PriorEffort {
  const { id, ordinal, skill, lifecycle, current_phase } = effort
  const debrief = artifactPath(effort)
  return {
    id,
    ordinal,
    skill,
    lifecycle,
    current_phase,
    debrief: seen.get(debrief) === true ? debrief : null,
  }
}

/** The fields that every result has. */
export function answerOf(view: Awaited<ReturnType<typeof viewOf>>) {
  const { effort, phases: _, ...rest } = view
  return { ...effort, log: artifactPath(effort, 'LOG'), ...rest }
}
