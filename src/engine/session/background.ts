import { isChild } from '../../model/child.ts'
import { artifactPath, type Effort, isAdHoc, WANTED_FILES, wantedPath } from '../../model/effort.ts'
import type { OpenCall } from '../../model/open-call.ts'
import { modesOf } from '../../model/own-words.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { Facts, SkillFacts } from '../../rules/facts.ts'
import { dehydrationOf } from '../../rules/dehydrate.ts'
import type { Note } from '../../rules/told/notes.ts'
import type { Background, LookedUp, Traces } from '../../rules/told/background.ts'
import { lastApprovals } from '../../store/approval.ts'
import { lastArtifacts } from '../../store/artifact.ts'
import { dehydrationsFor, toDehydration } from '../../store/dehydration.ts'
import { leftFiles } from '../../store/effort-file.ts'
import { effortsAtWork, lastFinished, toEffort } from '../../store/effort.ts'
import { lastAsked, lastTexts, lastToolMessages, servedBeside } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { openItems } from '../../store/queue.ts'
import { lastWindowsOfEffort, lastWindowsOfNative, toSession } from '../../store/session.ts'
import { type Context, staleSince } from '../call/context.ts'
import { chainsFor } from '../effort/chain-meant.ts'
import { requiredIn } from '../effort/work-files.ts'
import { contentKey } from '../skill/contents.ts'
import { loadPast, type Told } from './past.ts'
import { relatedTo } from './related.ts'
import { workPathOf } from './work-path.ts'

/** The work to describe, and the session that reads about it. */
interface Scene {
  readonly project: Pick<ProjectPlace, 'id' | 'root'>
  /** The reader, if it is known. */
  readonly session: Pick<Session, 'id' | 'native_id' | 'loaded_files' | 'told_directives'> | undefined
  readonly work: Facts['work']
  /** The effort whose notes are shown if there is no work. */
  readonly effortId?: number | undefined
  readonly lookedUp: LookedUp
  /** The session whose past is shown if there is no work. */
  readonly past?: Told | undefined
  /** Set for a new context, which hears of chains. */
  readonly tellsChains?: boolean
}

type At = { readonly context: Context; readonly now: string }

/** What a session needs besides its plan; without an effort, what its own windows and the project have. */
export async function loadBackground(tx: Tx, scene: Scene, { context, now }: At): Promise<Background> {
  const { project, session, work, lookedUp } = scene
  const { written } = lookedUp
  const { effortId = work?.effort.id } = scene
  const queue = await openItems(tx, { project_id: project.id })
  const windows = await windowsOf(tx, scene, context)
  const effort = work?.effort
  const native_id = session?.native_id ?? null
  const kept = effortId === undefined ? [] : await dehydrationsFor(tx, { effort_id: effortId, native_id })
  const live = await liveNote(tx, scene, windows)
  const dehydrations = live === undefined ? kept.map(toDehydration) : withLive(kept.map(toDehydration), live)
  const changedFiles = await changedBy(tx, scene, windows)
  const known = {
    dehydrations,
    requiredFiles: requiredIn(dehydrations, { root: project.root, home: context.user.home }).map((path) => ({
      path,
      isMissing: written.get(path) === false,
    })),
    now,
    queue,
    root: project.root,
    contents: work === undefined ? [] : contentsOf(work, lookedUp),
    standards: lookedUp.standards.filter(({ path }) => !isKnown(path, session)),
    loadedFiles: session?.loaded_files ?? [],
    changedFiles,
    related: scene.tellsChains === true ? await relatedOf(tx, scene, windows, changedFiles) : [],
    path: await workPathOf(tx, { work, modes: modesOf(context.config(project.root)) }, native_id),
    chains: scene.tellsChains === true ? await chainsFor(tx, { project, native_id }, context) : undefined,
  }
  if (work === undefined || effort === undefined) {
    const past = scene.past === undefined ? undefined : await loadPast(tx, scene.past, windows, context)
    return { ...NO_EFFORT, ...known, past }
  }
  const finished = isChild(effort) ? [] : (await lastFinished(tx, { task_id: effort.task_id })).map(toEffort)
  return {
    ...known,
    lostCalls: lostIn(windows, session),
    files: filesIn({ ...work, effort }, written, now),
    artifacts: await lastArtifacts(tx, { effort_id: effort.id }),
    approvals: await lastApprovals(tx, { effort_id: effort.id }),
    others: await effortsAtWork(tx, {
      project_id: project.id,
      effort_id: effort.id,
      since: staleSince(context),
    }),
    finished: finished.map((one) => ({ ...one, debrief: existing(artifactPath(one), written) })),
  }
}

const NO_EFFORT = {
  lostCalls: [],
  files: [],
  artifacts: [],
  approvals: [],
  others: [],
  finished: [],
} as const satisfies Partial<Background>

/** The client's session whose windows are shown if there is no work. */
const toldOf = ({ session, past }: Pick<Scene, 'session' | 'past'>): string | null =>
  (past?.whose === 'cleared' ? past.native_id : session?.native_id) ?? null

/** The last windows of the work, newest first, with what is not on disk yet. */
async function windowsOf(
  tx: Tx,
  { session, work, past }: Scene,
  context: Context,
): Promise<readonly Session[]> {
  const native_id = toldOf({ session, past })
  const rows =
    work !== undefined
      ? await lastWindowsOfEffort(tx, { effort_id: work.effort.id })
      : native_id === null
        ? []
        : await lastWindowsOfNative(tx, { native_id })
  return rows.map((row) => context.store.volatile.overlay(toSession(row)))
}

/** The files that changed for the effort, or in any window of a session without one; newest first. */
async function changedBy(
  tx: Tx,
  { work, ...teller }: Scene,
  windows: readonly Session[],
): Promise<readonly string[]> {
  const now = windows.flatMap(({ changed_files: files }) => files.toReversed())
  const of = work === undefined ? { native_id: toldOf(teller) ?? '' } : { effort_id: work.effort.id }
  return [...new Set([...now, ...(await leftFiles(tx, of))])]
}

/** Earlier sessions about the files that this work changed or read. */
async function relatedOf(
  tx: Tx,
  { project, session, work, past }: Scene,
  windows: readonly Session[],
  changed: readonly string[],
): Promise<Background['related']> {
  const read = [...(session?.loaded_files ?? []), ...windows.flatMap(({ loaded_files: files }) => files)]
  return await relatedTo(
    tx,
    { changed, read },
    {
      project_id: project.id,
      native_id: toldOf({ session, past }) ?? '',
      // Sessions without a skill share an effort, and are not the same work.
      effort_id: work === undefined || isAdHoc(work.effort) ? 0 : work.effort.id,
      before: session?.id ?? windows[0]?.id ?? 0,
    },
  )
}

/** What another session of the effort, which is still open, has done so far. */
async function liveNote(
  tx: Tx,
  { project, session, work }: Scene,
  [newest]: readonly Session[],
): Promise<Note | undefined> {
  if (work === undefined || newest === undefined || newest.ended_at !== null) return undefined
  if (session !== undefined && session.native_id === newest.native_id) return undefined
  if ((await lastTexts(tx, { session_id: newest.id })).length === 0) return undefined
  const { id: effort_id } = work.effort
  const traces = await loadTraces(tx, newest, { effortId: effort_id, projectId: project.id })
  return {
    effort_id,
    author: 'engine',
    session_id: newest.id,
    payload: dehydrationOf(work, traces, newest.open_calls),
    cut: [],
    created_at: newest.last_heartbeat ?? newest.created_at,
    isLive: true,
  }
}

/** It replaces the state of an earlier session; the newest note comes first. */
const withLive = (kept: readonly Note[], live: Note): readonly Note[] =>
  [...kept.filter(({ author }) => author === 'agent'), live].toSorted((a, b) =>
    b.created_at.localeCompare(a.created_at),
  )

/** Calls that the last client of the effort never reported; the windows of one client hand theirs on. */
function lostIn(windows: readonly Session[], teller: Scene['session']): readonly OpenCall[] {
  const last = windows.find(({ id }) => id !== teller?.id)
  const isGone = last !== undefined && last.ended_at !== null && last.native_id !== teller?.native_id
  return isGone ? last.open_calls : []
}

/** What the phase names; an effort that begins now was looked up without a mode. */
const contentsOf = ({ name, effort }: NonNullable<Scene['work']>, { contents }: LookedUp) =>
  contents.get(contentKey(name, effort)) ?? contents.get(contentKey(name, { ...effort, mode: null })) ?? []

const isKnown = (path: string, session: Scene['session']): boolean =>
  session?.loaded_files.includes(path) === true ||
  session?.told_directives.some((one) => one.path === path) === true

/** The log, plan and debrief that exist, and those that the skill wants. */
const filesIn = (
  { wants = [], effort }: SkillFacts & { readonly effort: Effort },
  written: LookedUp['written'],
  now: string,
): Background['files'] =>
  WANTED_FILES.flatMap((kind) => {
    const path = wantedPath(effort, kind)
    // An effort that begins now has written nothing.
    const isWritten = written.get(path) ?? (effort.created_at === now ? false : undefined)
    const isTold = isWritten === true || (kind !== 'plan' && wants.includes(kind))
    return isTold ? [{ kind, path, isWritten }] : []
  })

const existing = (path: string, written: LookedUp['written']): string | undefined =>
  written.get(path) === true ? path : undefined

/** The traces of a session that go into a generated handover note. */
export async function loadTraces(
  tx: Tx,
  session: Pick<Session, 'id' | 'loaded_files'>,
  scene: { readonly effortId: number; readonly projectId: number },
): Promise<Traces> {
  const { effortId, projectId } = scene
  const queue = await openItems(tx, { project_id: projectId })
  return {
    messages: await messagesOf(tx, session, effortId),
    asked: await askedFor(tx, effortId),
    loadedFiles: session.loaded_files,
    artifacts: (await lastArtifacts(tx, { effort_id: effortId })).map(({ name }) => name),
    open: queue
      .filter(({ effort_id }) => effort_id === effortId)
      .map(({ id, kind, content }) => `Queue ${id} (${kind}): ${content}`),
  }
}

/** What the user said for an effort, newest first: in a window with several, while or before it served this one. */
async function askedFor(tx: Tx, effort_id: number): Promise<readonly string[]> {
  const isFor = await servingOf(tx, effort_id)
  return (await lastAsked(tx, { effort_id })).flatMap(({ session_id, timestamp, content }) =>
    isFor(session_id, timestamp) ? [content] : [],
  )
}

/** Whether a window with several efforts served this one at a moment; what came before the first belongs to it. */
async function servingOf(tx: Tx, effort_id: number) {
  const served = await servedBeside(tx, { effort_id })
  return (session: number, at: string): boolean => {
    const here = served.filter(({ window_id }) => window_id === session)
    const then = here.findLast((one) => one.timestamp <= at) ?? here[0]
    return (then?.effort_id ?? effort_id) === effort_id
  }
}

/** The messages of the session; a window in which nobody spoke leaves those of the window before. */
async function messagesOf(
  tx: Tx,
  { id }: Pick<Session, 'id'>,
  effortId: number,
): Promise<Traces['messages']> {
  const earlier = await lastWindowsOfEffort(tx, { effort_id: effortId })
  const isFor = await servingOf(tx, effortId)
  for (const session_id of new Set([id, ...earlier.map((row) => row.id)])) {
    const texts = await lastTexts(tx, { session_id })
    const tools = await lastToolMessages(tx, { session_id })
    const own = [...texts, ...tools].filter(({ timestamp }) => isFor(session_id, timestamp))
    if (own.length > 0) return own
  }
  return []
}
