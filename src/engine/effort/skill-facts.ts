import { type Effort, isUnfinished, WANTED_FILES, type WantedFile } from '../../model/effort.ts'
import { NOTHING_RECORDED } from '../../model/plan/evidence.ts'
import { phasesIn } from '../../model/plan/phase.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { distrustOf, planIn, type Skill } from '../../model/skill.ts'
import { stageOf } from '../../model/stage.ts'
import type { Facts, SkillFacts } from '../../rules/facts.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { stateOf } from '../plan/plan.ts'
import { approvedSteps } from '../plan/progress.ts'
import type { Digests, SeenFiles, Unwritten } from '../plan/recorded.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { marksOf } from './todo-marks.ts'

/** The current work of a session, even if its skill was deleted. */
export async function workOf(
  tx: Tx,
  scene: {
    readonly session: Pick<Session, 'effort_id'>
    /** Where the caller works, if that is known. */
    readonly project?: ProjectPlace | undefined
    readonly digests: Digests
    readonly unwritten?: Unwritten | undefined
  },
): Promise<Facts['work']> {
  const row = await findEffort(tx, { id: scene.session.effort_id })
  if (row === undefined || !isUnfinished(row)) return undefined
  const effort = toEffort(row)
  const skill = await skillOfEffort(tx, effort)
  if (skill !== undefined)
    return { ...(await factsOf(tx, skill, effort, await filesOf(tx, effort, scene))), effort }
  const nothing = {
    folder: null,
    plan: undefined,
    enforceable: false,
    requiredTodos: [],
    progress: undefined,
    recorded: NOTHING_RECORDED,
    approved: [],
  }
  return { ...nothing, name: row.skill, effort }
}

/** The root of an effort's workplace, else of the caller's, with the digests read before. */
export async function filesOf(
  tx: Tx,
  effort: Effort | undefined,
  at: {
    readonly project?: ProjectPlace | undefined
    readonly digests: Digests
    readonly unwritten?: Unwritten | undefined
  },
): Promise<SeenFiles> {
  const { project, digests, unwritten } = at
  const isHere = effort === undefined || effort.workplace_id === project?.workplace_id
  const place = isHere ? project : await placeOfEffort(tx, effort)
  return { root: place?.root ?? '', digests, unwritten: unwritten?.get(effort?.id ?? 0) }
}

/** A skill as rules see it, with its effort, which keeps it so. */
export async function factsOf(
  tx: Tx,
  skill: Skill,
  effort: Effort | undefined,
  files: SeenFiles,
): Promise<SkillFacts> {
  const known = { ...aboutSkill(skill), effort, lacksResult: files.unwritten !== undefined }
  const { plan, requiredTodos } = known
  const marks = effort === undefined || requiredTodos.length === 0 ? undefined : await marksOf(tx, effort.id)
  if (plan === undefined || effort === undefined)
    return { ...known, marks, progress: undefined, recorded: NOTHING_RECORDED, approved: [] }
  const { plan: own, progress, recorded, called } = await stateOf(tx, effort, skill, files)
  return {
    ...known,
    requiredTodos: own === undefined ? requiredTodos : todosIn(plan, own, requiredTodos),
    plan: own,
    progress,
    recorded,
    marks,
    called,
    approved: own === undefined ? [] : await approvedSteps(tx, effort.id, own),
  }
}

/** Phases double as todos; one that the mode or a guard leaves out asks for nothing. */
function todosIn(declared: Plan, own: Plan, todos: readonly string[]): readonly string[] {
  const kept = new Set(phasesIn(own).map(({ name }) => name))
  const leftOut = new Set(phasesIn(declared).flatMap(({ name }) => (kept.has(name) ? [] : [name])))
  return todos.filter((text) => !leftOut.has(text))
}

/** The facts that come from the definition alone; hooks know only plans that are in files. */
export const aboutSkill = (skill: Skill) => ({
  ...detailsOf(skill),
  plan: skill.plan === null ? undefined : planIn(skill),
})

const detailsOf = ({ name, folder, details, templates }: Skill) => ({
  name,
  folder,
  enforceable: details?.enforceable ?? false,
  requiredTodos: details?.required_todos ?? [],
  heartbeat: details?.heartbeat ?? undefined,
  resultSchema: details?.result,
  stage: stageOf(name, details?.stage),
  wants: wantedFiles(templates, details?.heartbeat ?? undefined),
  cooperative: details?.continuation?.cooperative ?? false,
  forks: details?.forks ?? false,
  distrust: distrustOf(details),
})

/** The files that the templates and the heartbeat of a skill ask for. */
function wantedFiles(templates: Skill['templates'], heartbeat: number | undefined): readonly WantedFile[] {
  const names = Object.keys(templates)
  const isWanted = (kind: WantedFile) => names.some((name) => name.toLowerCase().startsWith(kind))
  return WANTED_FILES.filter((kind) => isWanted(kind) || (kind === 'log' && heartbeat !== undefined))
}
