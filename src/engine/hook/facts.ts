import { type Effort, isTracked } from '../../model/effort.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Invocation } from '../../model/invocation.ts'
import { isInside, type Project } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { Skill } from '../../model/skill.ts'
import type { Span } from '../../model/span.ts'
import { foldersOf, isWide, stepsRead } from '../../model/plan/steps-read.ts'
import type { Facts, SkillFacts, TouchedSkill } from '../../rules/rule.ts'
import { isDue } from '../../rules/watch.ts'
import { findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import { saidIn } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { openItems } from '../../store/queue.ts'
import { defaultLevel } from '../../store/setting.ts'
import { findSkill, skillsInFolders, toSkill } from '../../store/skill.ts'
import { openSpansOf, toSpan } from '../../store/span.ts'
import { lockTask } from '../../store/task.ts'
import type { Volatile } from '../../store/volatile.ts'
import type { UnsureRead, Worked } from './reads.ts'
import { loadBackground, loadTraces } from '../session/background.ts'
import { delegatingFacts } from './delegation.ts'
import { enteredIn, moveOf, type PhaseMention } from '../plan/phase-move.ts'
import { heldByOthers } from '../effort/held.ts'
import type { ReadTranscript } from './transcript-tail.ts'
import type { Digests } from '../plan/recorded.ts'
import { aboutSkill, factsOf, filesOf, workOf } from '../effort/skill-facts.ts'
import { skillCalled } from '../skill/called.ts'

/** What an event is about, before the store is asked. */
export interface Subject extends Worked {
  readonly event: HookEvent
  /** Files that it reads, where they really lie; the last part may be a pattern. */
  readonly reads: readonly string[]
  /** What it may read as well. */
  readonly unsure?: UnsureRead | undefined
  readonly invocations: readonly Invocation[]
  /** What the files are now that something was recorded of. */
  readonly digests: Digests
  readonly seen: Facts['seen']
  /** What its command has to do with phases. */
  readonly phase?: PhaseMention | undefined
  readonly directives: Facts['directives']
  readonly transcript: ReadTranscript | undefined
}

const MOST_WAITING = 20

export async function loadFacts(
  tx: Tx,
  subject: Subject,
  window: Pick<Scene, 'session' | 'since' | 'volatile'> & {
    readonly watch: Facts['watch']
    readonly isPaused: boolean
  },
): Promise<{ readonly facts: Facts; readonly project: Project }> {
  const { session } = window
  const project = await findProjectOfTask(tx, { dir_path: session.task_id })
  if (project === undefined) throw new Error('The task of the session has no project.')
  const spans = (await openSpansOf(tx, { session_id: session.native_id ?? '' })).map(toSpan)
  const scene: Scene = { ...window, project, spans, digests: subject.digests }
  const { kind } = subject.event
  const isStart = kind === 'session.started'
  const isEnd = kind === 'compact.before' || kind === 'session.ended'
  const isWatched = isDue(subject, session, window.watch)
  const work = isStart || isEnd || isWatched ? await workOf(tx, scene) : undefined
  const facts: Facts = {
    level: window.isPaused ? 'observe' : (project.level ?? (await defaultLevel(tx))),
    session,
    spans,
    touched: await touchedSkills(tx, subject.reads, scene),
    unsure: await unsureRead(tx, subject.unsure, scene),
    invoked: await invokedSkills(tx, subject.invocations, scene),
    work,
    waiting: isStart ? await waitingEfforts(tx, scene) : [],
    openCalls: session.open_calls,
    watch: window.watch,
    queued: subject.invocations.length === 0 ? [] : await openItems(tx, { project_id: project.id }),
    seen: subject.seen,
    ...(await phaseFacts(tx, subject, scene)),
    ...(await delegatingFacts(tx, subject.event, {
      session,
      spans,
      factsOf: (name) => factsNamed(tx, name, scene),
    })),
    // Nothing is told while the user wants peace, so nothing may count as told.
    directives: window.isPaused ? [] : subject.directives,
    reads: subject.reads,
    writes: (subject.writes ?? []).map(({ path }) => path).filter((path) => isInside(project.path, path)),
    unsureWrite: subject.unsureWrite,
    background: isStart ? await backgroundOf(tx, scene, work?.effort) : undefined,
    said:
      kind === 'compact.before'
        ? (await saidIn(tx, { session_id: session.id })).map(({ content }) => content).toReversed()
        : undefined,
    traces:
      isEnd && work !== undefined && isTracked(work)
        ? await loadTraces(tx, session, { effortId: work.effort.id, projectId: project.id })
        : undefined,
  }
  return { facts, project }
}

async function phaseFacts(
  tx: Tx,
  { event, phase }: Subject,
  scene: Scene,
): Promise<Pick<Facts, 'move' | 'entered'>> {
  if (phase === undefined) return {}
  const { session } = scene
  if (event.kind === 'tool.after') return { entered: await enteredIn(tx, phase, { session, event }) }
  const { call } = phase
  return { move: call === undefined ? undefined : await moveOf(tx, call, { session, files: filesOf(scene) }) }
}

const backgroundOf = (tx: Tx, { session, project, since }: Scene, work: Effort | undefined) =>
  loadBackground(tx, {
    projectId: project.id,
    effortId: session.effort_id,
    work,
    loadedFiles: session.loaded_files,
    since,
  })

interface Scene {
  readonly session: Session
  /** Whoever has been silent since then counts as gone. */
  readonly since: string
  readonly volatile: Volatile
  readonly project: Project
  readonly spans: readonly Span[]
  readonly digests: Digests
}

async function touchedSkills(
  tx: Tx,
  reads: readonly string[],
  scene: Scene,
): Promise<readonly TouchedSkill[]> {
  const touched: TouchedSkill[] = []
  const known = new Map<number, SkillFacts>()
  for (const path of reads) {
    const [a, b, c] = foldersOf(path)
    const near = await skillsInFolders(tx, { project_id: scene.project.id, a, b, c })
    for (const row of [...near, ...(await openSkillsBelow(tx, path, scene, near))]) {
      const skill = toSkill(row)
      const steps = stepsRead(skill, path, scene.project.path)
      const isMain = skill.file !== null && path.toLowerCase() === `${skill.folder}/skill.md`.toLowerCase()
      if (steps.length === 0 && !isMain) continue
      const facts = known.get(skill.id) ?? (await skillFacts(tx, skill, scene))
      known.set(skill.id, facts)
      touched.push(
        ...(isMain
          ? [{ path, skill: facts, step: undefined }]
          : steps.map((step) => ({ path, skill: facts, step }))),
      )
    }
  }
  return touched
}

/** Those in charge or waiting that a search or a pattern may reach from further up. */
async function openSkillsBelow(
  tx: Tx,
  path: string,
  { spans, project }: Scene,
  near: readonly { readonly name: string }[],
) {
  if (!isWide(path)) return []
  const known = new Set(near.map(({ name }) => name))
  const found: Parameters<typeof toSkill>[0][] = []
  for (const name of new Set(spans.map(({ skill }) => skill))) {
    const row = known.has(name) ? undefined : await findSkill(tx, { project_id: project.id, name })
    if (row !== undefined) found.push(row)
  }
  return found
}

async function unsureRead(tx: Tx, unsure: UnsureRead | undefined, scene: Scene): Promise<Facts['unsure']> {
  return unsure === undefined ? undefined : { ...unsure, named: await touchedSkills(tx, unsure.named, scene) }
}

async function invokedSkills(tx: Tx, invocations: readonly Invocation[], scene: Scene) {
  const found: (Invocation & { skill: SkillFacts })[] = []
  for (const invocation of invocations) {
    const row = await skillCalled(tx, scene.project.id, invocation.name)
    if (row === undefined) continue
    found.push({ ...invocation, skill: await skillFacts(tx, toSkill(row), scene) })
  }
  return found
}

async function factsNamed(tx: Tx, name: string, scene: Scene): Promise<SkillFacts | undefined> {
  const row = await findSkill(tx, { project_id: scene.project.id, name })
  return row === undefined ? undefined : await skillFacts(tx, toSkill(row), scene)
}

async function skillFacts(tx: Tx, skill: Skill, scene: Scene): Promise<SkillFacts> {
  const effort = isTracked(aboutSkill(skill)) ? await effortOf(tx, skill, scene) : undefined
  return await factsOf(tx, skill, effort, filesOf(scene))
}

/** The effort that the skill's span in this session works on, else one that waits for somebody to go on with it. */
async function effortOf(tx: Tx, skill: Skill, scene: Scene): Promise<Effort | undefined> {
  const span = scene.spans.find((one) => one.skill === skill.name && one.effort_id !== null)
  const own = span?.effort_id == null ? undefined : await findEffort(tx, { id: span.effort_id })
  if (own?.lifecycle === 'active') return toEffort(own)
  const { task_id } = scene.session
  // Two sessions must not both find the same effort waiting.
  await lockTask(tx, { dir_path: task_id })
  const found = await findActiveEfforts(tx, { task_id, skill: skill.name, limit: MOST_WAITING })
  return (await free(tx, found.map(toEffort), scene))[0]
}

async function waitingEfforts(tx: Tx, scene: Scene): Promise<readonly Effort[]> {
  const rows = await findActiveEfforts(tx, { projectId: scene.project.id, limit: MOST_WAITING })
  const others = rows.filter(({ id }) => id !== scene.session.effort_id)
  return await free(tx, others.map(toEffort), scene)
}

/** Those that no other agent owns and no other session is at. */
async function free(tx: Tx, efforts: readonly Effort[], scene: Scene): Promise<readonly Effort[]> {
  const { session, since, volatile, project } = scene
  const mine = efforts.filter(({ agent_id: owner }) => owner === null || owner === session.agent_id)
  if (mine.length === 0) return []
  const held = await heldByOthers(tx, { projectId: project.id, window: session.id, since, volatile })
  return mine.filter(({ id }) => !held.has(id))
}
