import type { Effort } from '../../model/effort.ts'
import { type Demands, isDemanding, satisfies } from '../../model/plan/evidence.ts'
import { openApprovals } from '../../store/approval.ts'
import { artifactsOf, toArtifact } from '../../store/artifact.ts'
import type { Tx } from '../../store/query.ts'
import { isStale, type SeenFiles, toEvidence } from './recorded.ts'

/** Recorded evidence replaces given proof where the plan demands it, and what the user waived counts. */
export async function withEvidence(
  tx: Tx,
  given: { readonly effort: Effort; readonly demands: Demands | undefined; readonly said: Proof },
  { root, digests }: SeenFiles,
): Promise<{ readonly proof: Proof; readonly stale: ReadonlySet<string> }> {
  const { effort, demands, said } = given
  const demanding = Object.entries(demands ?? {}).filter(([, demand]) => isDemanding(demand))
  const stale = new Set<string>()
  const waived = await openApprovals(tx, { effort_id: effort.id, kind: 'proof' })
  if (demanding.length === 0 && waived.length === 0) return { proof: said, stale }
  const records = (await artifactsOf(tx, { effort_id: effort.id })).map(toArtifact)
  const proof: Record<string, unknown> = { ...said }
  for (const [name, demand] of demanding) {
    delete proof[name]
    const enough = records.filter(
      (one) => one.name === name && satisfies(toEvidence(one, root, digests), demand),
    )
    const record = enough.find((one) => !isStale(one, root, digests))
    if (record !== undefined)
      proof[name] = { rank: record.rank, command: demand.command, at: record.created_at }
    else if (enough.length > 0) stale.add(name)
  }
  for (const { subject, reason } of waived) proof[subject] ??= { approved: reason }
  return { proof, stale }
}

type Proof = Readonly<Record<string, unknown>>
