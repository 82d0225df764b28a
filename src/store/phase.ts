import { query } from './query.ts'

export interface PhaseEntry {
  readonly id: number
  readonly effort_id: number
  readonly phase_label: string
  readonly proof: string | null
  readonly created_at: string
}

export const insertPhase = query<
  { effort_id: number; phase_label: string; proof: string | null; now: string },
  unknown
>((db, p) =>
  db
    .insertInto('phase_history')
    .values({ effort_id: p.effort_id, phase_label: p.phase_label, proof: p.proof, created_at: p.now }),
)

export const listPhases = query<{ effort_id: number }, PhaseEntry>((db, p) =>
  db.selectFrom('phase_history').selectAll().where('effort_id', '=', p.effort_id).orderBy('id'),
)
