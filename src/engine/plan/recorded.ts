import type { Artifact, ArtifactEvidence } from '../../model/artifact.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import {
  type Demands,
  type Evidence,
  NOTHING_RECORDED,
  type Recorded,
  recordedIn,
} from '../../model/plan/evidence.ts'
import type { Skill } from '../../model/skill.ts'
import { artifactsOf, toArtifact } from '../../store/artifact.ts'
import { findEffort } from '../../store/effort.ts'
import { fromJson } from '../../store/json.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { listRuns } from '../../store/skill-run.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { resultIn, runPath } from '../skill/skill-run.ts'

/** The files that a record covers, below the root of a project. */
export interface Cover {
  readonly root: string
  readonly covers: readonly string[]
}

/**
 * The current digests of covered files. Read before the transaction, which must not wait for the disk; records made
 * in between are missing, and cannot be stale yet.
 */
export type Digests = ReadonlyMap<string, string | undefined>

/** Without digests, no record is stale. */
export const NO_DIGESTS: Digests = new Map()

/** The root of a project with the current digests of its files. */
export interface SeenFiles {
  readonly root: string
  readonly digests: Digests
  /** The result of the run of an effort, if it must be written and is not. */
  readonly unwritten?: string | undefined
}

/** The results that runs of efforts lack, by the id of the effort. */
export type Unwritten = ReadonlyMap<number, string>

export const NOTHING_SEEN: SeenFiles = { root: '', digests: NO_DIGESTS }

const keyOf = ({ root, covers }: Cover): string => [root, ...covers].join('\0')

export async function digestsOf({ files }: Context, covers: readonly Cover[]): Promise<Digests> {
  const digests = new Map<string, string | undefined>()
  for (const cover of new Map(covers.map((one) => [keyOf(one), one])).values()) {
    const covered = await files
      .digest({ root: cover.root, patterns: cover.covers })
      // An unreadable file counts as changed.
      .catch((error: unknown) => {
        if (error instanceof EngineError) return undefined
        throw error
      })
    digests.set(keyOf(cover), covered?.digest)
  }
  return digests
}

/** The files that artifact rows cover. */
export const coversIn = (
  rows: readonly { readonly evidence: string | null; readonly root: string }[],
): readonly Cover[] =>
  rows.map(({ evidence, root }) => ({
    root,
    covers: fromJson<ArtifactEvidence>(evidence, {}).covers ?? [],
  }))

interface FilesOfEffort {
  readonly root: string
  readonly covers: readonly Cover[]
  /** The folder of its run, if its skill asks for one. */
  readonly run: string | undefined
}

/** The files that the records of an effort cover, the root of its workplace, and the folder of its run. */
export async function coversOfEffort(tx: Tx, effortId: number): Promise<FilesOfEffort> {
  const effort = await findEffort(tx, { id: effortId })
  if (effort === undefined) return { root: '', covers: [], run: undefined }
  const root = (await placeOfEffort(tx, effort))?.root ?? ''
  const rows = (await artifactsOf(tx, { effort_id: effortId })).filter(({ digest }) => digest !== null)
  const [run] = await listRuns(tx, { effort_id: effortId, limit: 1 })
  return { root, covers: coversIn(rows.map((row) => ({ ...row, root }))), run: run && runPath(run) }
}

/** The current digests of those files, for methods that need no other read before. */
export async function digestsOfEffort(
  context: Context,
  { effort_id }: { readonly effort_id: number },
  ask: Ask,
): Promise<SeenFiles> {
  return await seenOf(context, await ask((tx) => coversOfEffort(tx, effort_id)))
}

/** The same files as they are on disk now. */
export async function seenOf(context: Context, { root, covers, run }: FilesOfEffort): Promise<SeenFiles> {
  const digests = await digestsOf(context, covers)
  const result = run === undefined ? undefined : await resultIn(context, run)
  return { root, digests, unwritten: result?.written === false ? result.file : undefined }
}

export const isStale = ({ digest, evidence }: Artifact, root: string, digests: Digests): boolean => {
  const key = keyOf({ root, covers: evidence.covers ?? [] })
  return digest !== null && digests.has(key) && digests.get(key) !== digest
}

export const toEvidence = (artifact: Artifact, root: string, digests: Digests): Evidence => ({
  name: artifact.name,
  rank: artifact.rank,
  command: artifact.evidence.command,
  expect: artifact.evidence.expect,
  covers: artifact.evidence.covers ?? [],
  stale: isStale(artifact, root, digests),
})

/** The records of an effort that count. */
export async function recordedOf(
  tx: Tx,
  effortId: number,
  demands: Demands | undefined,
  { root, digests }: SeenFiles,
): Promise<Recorded> {
  const rows = (await artifactsOf(tx, { effort_id: effortId })).map(toArtifact)
  if (rows.length === 0) return NOTHING_RECORDED
  return recordedIn(
    demands,
    rows.map((artifact) => toEvidence(artifact, root, digests)),
  )
}

/** The skill as an effort keeps it, and the root of its workplace. */
export async function appliedSkill(
  tx: Tx,
  effort: Pick<Effort, 'id' | 'skill' | 'plan_digest'>,
): Promise<{ readonly root: string; readonly skill: Skill | undefined }> {
  const place = await placeOfEffort(tx, effort)
  if (place === undefined) throw new Error('The effort has no workplace.')
  const { workplace_id } = place
  return { root: place.root, skill: await skillOfEffort(tx, { ...effort, workplace_id }) }
}
