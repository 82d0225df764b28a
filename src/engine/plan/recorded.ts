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
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import type { Context } from '../call/context.ts'
import type { Look } from '../call/keyed.ts'

/** Files below the root of a project that a record is about. */
export interface Cover {
  readonly root: string
  readonly covers: readonly string[]
}

/**
 * What those files are now. Read before the transaction, which must not wait for the disk; what is recorded in
 * between is not in it, and has had no time to go stale.
 */
export type Digests = ReadonlyMap<string, string | undefined>

/** Where nobody has looked at the files, records count as they were made. */
export const NO_DIGESTS: Digests = new Map()

/** The root of a project, and what its files are now. */
export interface SeenFiles {
  readonly root: string
  readonly digests: Digests
}

export const NOTHING_SEEN: SeenFiles = { root: '', digests: NO_DIGESTS }

const keyOf = ({ root, covers }: Cover): string => [root, ...covers].join('\0')

export async function digestsOf({ files }: Context, covers: readonly Cover[]): Promise<Digests> {
  const digests = new Map<string, string | undefined>()
  for (const cover of new Map(covers.map((one) => [keyOf(one), one])).values()) {
    const covered = await files
      .digest({ root: cover.root, patterns: cover.covers })
      // What cannot be read any more is not what it was.
      .catch((error: unknown) => {
        if (error instanceof EngineError) return undefined
        throw error
      })
    digests.set(keyOf(cover), covered?.digest)
  }
  return digests
}

/** Rows of artifacts, as what they are about. */
export const coversIn = (
  rows: readonly { readonly evidence: string | null; readonly root: string }[],
): readonly Cover[] =>
  rows.map(({ evidence, root }) => ({
    root,
    covers: fromJson<ArtifactEvidence>(evidence, {}).covers ?? [],
  }))

/** The files that an effort has records of, and the root of its project. */
export async function coversOfEffort(
  tx: Tx,
  effortId: number,
): Promise<{ readonly root: string; readonly covers: readonly Cover[] }> {
  const effort = await findEffort(tx, { id: effortId })
  if (effort === undefined) return { root: '', covers: [] }
  const root = (await findProjectOfTask(tx, { dir_path: effort.task_id }))?.path ?? ''
  const rows = (await artifactsOf(tx, { effort_id: effortId })).filter(({ digest }) => digest !== null)
  return { root, covers: coversIn(rows.map((row) => ({ ...row, root }))) }
}

/** What those files are now, for a method that needs no other look at the store. */
export async function digestsOfEffort(
  context: Context,
  { effort_id }: { readonly effort_id: number },
  look: Look,
): Promise<SeenFiles> {
  const { root, covers } = await look((tx) => coversOfEffort(tx, effort_id))
  return { root, digests: await digestsOf(context, covers) }
}

export const isStale = ({ digest, evidence }: Artifact, root: string, digests: Digests): boolean => {
  const key = keyOf({ root, covers: evidence.covers ?? [] })
  return digest !== null && digests.has(key) && digests.get(key) !== digest
}

export const toEvidence = (artifact: Artifact, root: string, digests: Digests): Evidence => ({
  name: artifact.name,
  rank: artifact.rank,
  command: artifact.evidence.command,
  covers: artifact.evidence.covers ?? [],
  stale: isStale(artifact, root, digests),
})

/** What counts of all that an effort has recorded. */
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

/** The skill that an effort applies, as it is now, and the root of its project. */
export async function appliedSkill(
  tx: Tx,
  effort: Pick<Effort, 'task_id' | 'skill'>,
): Promise<{ readonly root: string; readonly skill: Skill | undefined }> {
  const project = await findProjectOfTask(tx, { dir_path: effort.task_id })
  if (project === undefined) throw new Error('The task of the effort has no project.')
  const row = await findSkill(tx, { project_id: project.id, name: effort.skill })
  return { root: project.path, skill: row === undefined ? undefined : toSkill(row) }
}
