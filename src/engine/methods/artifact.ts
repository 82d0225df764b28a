import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { effortNotFound, EngineError } from '../../model/error.ts'
import { exactly } from '../../model/text/glob.ts'
import { nearest } from '../../model/text/nearest.ts'
import { isInside } from '../../model/project.ts'
import { artifactsOf, toArtifact } from '../../store/artifact.ts'
import { findEffort } from '../../store/effort.ts'
import { listRoots } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { findSpan } from '../../store/span.ts'
import { type Place, placeAmong, realPath } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import { method } from '../call/method.ts'
import { effortToChange } from '../effort/holder.ts'
import * as p from '../call/params.ts'
import { recordArtifact } from '../plan/record-artifact.ts'
import { appliedSkill, coversOfEffort, digestsOf, digestsOfEffort, isStale } from '../plan/recorded.ts'

export const put = method({
  name: 'artifact.put',
  summary: 'Record a result of an effort as claimed (unverified) and complete the steps that waited for it.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    name: p.name.describe('The name of the artifact in the plan.'),
    step: p.name.optional().describe('The step that produced it. Default: the step that the plan names.'),
    path: p.path
      .optional()
      .describe(
        'The file of the artifact, inside the project. The record becomes stale when the file changes.',
      ),
    evidence: p.object.optional().describe('Any other supporting data.'),
    span_id: p.name.optional().describe('The span that produced it.'),
    ...p.caller,
  }),
  async prepare(context, { effort_id: effortId, path }, ask) {
    const real = path === undefined ? undefined : await realPath(context, path)
    const { root, covers, projects } = await ask(async (tx) => ({
      ...(await coversOfEffort(tx, effortId)),
      projects: await listRoots(tx, context.machine),
    }))
    const isFile = real !== undefined && root !== ''
    const file = isFile ? await fileOf(context, await placeAmong(context, projects, real), root) : undefined
    return { file, digests: await digestsOf(context, covers) }
  },
  async run(tx, { evidence, effort_id: effortId, agent_id, native_id, ...given }, call) {
    const { file, digests } = call.prepared
    const who = { effort_id: effortId, agent_id, native_id }
    const effort = await effortToChange(tx, who, 'given artifacts', call.context)
    if (given.step !== undefined) await knownStep(tx, effort, given.step)
    if (given.span_id !== undefined) await ownSpan(tx, effortId, given.span_id)
    return await recordArtifact(
      tx,
      {
        ...given,
        effort,
        rank: 'claimed',
        path: file?.path,
        digest: file?.digest,
        evidence: {
          ...(file !== undefined && { covers: file.covers }),
          ...(evidence && { claim: evidence }),
        },
      },
      digests,
      call,
    )
  },
})

export const list = method({
  name: 'artifact.list',
  summary: 'List the artifacts of an effort with the rank of each and whether its files have changed since.',
  effect: 'read',
  params: z.strictObject({ effort_id: p.id }),
  prepare: digestsOfEffort,
  async run(tx, { effort_id: effortId }, { prepared: { root, digests } }) {
    if ((await findEffort(tx, { id: effortId })) === undefined) throw effortNotFound(effortId)
    const rows = await artifactsOf(tx, { effort_id: effortId })
    return rows.map(toArtifact).map((artifact) => ({ ...artifact, stale: isStale(artifact, root, digests) }))
  },
})

/** The canonical path of a file in the project, with its digest. */
async function fileOf(context: Context, { path }: Place, root: string) {
  if (!isInside(root, path))
    throw new EngineError('forbidden', `${path} is not inside the project of the effort, ${root}.`, {
      field: 'path',
    })
  const kind = await context.files.kind(path)
  if (kind === 'missing') throw new EngineError('not-found', `${path} does not exist.`, { field: 'path' })
  if (kind !== 'file') throw new EngineError('forbidden', `${path} is not a file.`, { field: 'path' })
  const covers = [exactly(path.slice(root.length + 1))]
  return { path, covers, digest: (await context.files.digest({ root, patterns: covers })).digest }
}

async function knownStep(tx: Tx, effort: Effort, step: string): Promise<void> {
  const steps = (await appliedSkill(tx, effort)).skill?.plan?.steps.map(({ id }) => id) ?? []
  if (steps.length === 0 || steps.includes(step)) return
  const [meant] = nearest(step, steps)
  throw new EngineError(
    'not-found',
    `The plan of ${effort.skill} has no step ${step}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    { field: 'step' },
  )
}

async function ownSpan(tx: Tx, effortId: number, spanId: string): Promise<void> {
  if ((await findSpan(tx, { span_id: spanId }))?.effort_id === effortId) return
  throw new EngineError('not-found', `Effort ${effortId} has no span ${spanId}.`, {
    field: 'span_id',
    hint: `holdfast span tree --effort ${effortId}`,
  })
}
