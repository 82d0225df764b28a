import type { Generated } from 'kysely'
import type { ItemState } from '../model/work/item.ts'

/** The tables of bodies of work and their workers. */
export interface WorkTables {
  workers: {
    id: string
    project_id: number
    agent_id: string | null
    task_id: string | null
    worktree: string | null
    branch: string | null
    pane: string | null
    pid: number | null
    status: Generated<'starting' | 'running' | 'stopped' | 'failed'>
    attempts: Generated<number>
    created_at: Generated<string>
    ended_at: string | null
    effort_id: number | null
    item: string | null
    machine_id: string | null
    log: string | null
    reason: string | null
    stop_asked_at: string | null
    seen_at: string | null
  }
  work_bodies: {
    effort_id: number
    title: string
    last_position: Generated<number>
    /** The last number that an item got for a name. */
    last_number: Generated<number>
    created_at: Generated<string>
  }
  work_items: {
    effort_id: number
    item: string
    position: number
    title: string
    prompt: string | null
    skill: string | null
    phase: string | null
    files: string | null
    produces: string | null
    most_tries: number
    model: string | null
    proof: string | null
    /** What the runner says of the visits; recovery computes it again. */
    state: ItemState
    needs_user: Generated<number>
    /** Why it failed last, or is blocked. */
    reason: string | null
    /** The item that it is stuck behind. */
    blocker: string | null
    /** Who has it, or had it last. */
    worker: string | null
    /** Grows with each claim. */
    fence: Generated<number>
    /** By the clock of the database. */
    lease_until: string | null
    created_at: Generated<string>
    ended_at: string | null
  }
  work_blockers: { effort_id: number; item: string; blocker: string }
}
