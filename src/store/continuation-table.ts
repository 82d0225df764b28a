import type { Generated } from 'kysely'

/** The frames of chains. */
export interface Continuations {
  id: Generated<number>
  project_id: number
  effort_id: number | null
  position: number
  skill: string
  args: string | null
  context: string | null
  status: Generated<'waiting' | 'running' | 'completed' | 'failed' | 'parked' | 'dropped'>
  result: string | null
  on_error: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
  chain_id: Generated<number>
  task_id: string | null
  /** The client's id of the session. */
  session_id: string | null
  call: 'tail' | 'nested' | null
  level: Generated<'cooperative' | 'wrapped' | 'explicit'>
  reason: string | null
  parent: number | null
  asked_at: string | null
  started_at: string | null
  ended_at: string | null
}
