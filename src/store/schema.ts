import type { Continuations } from './continuation-table.ts'
import type { Generated } from 'kysely'
import type { VectorTables } from './schema-vectors.ts'
import type { Rank } from '../model/plan/evidence.ts'
import type { Level } from '../model/level.ts'
import type { EndedReason } from '../model/session.ts'
import type { Message } from '../model/message.ts'
import type { WorkTables } from './work-tables.ts'
import type { Skill } from '../model/skill.ts'

/** The tables as types. Times are UTC text with milliseconds, structured values are JSON text. */
export interface Tables extends VectorTables, WorkTables {
  projects: {
    id: Generated<number>
    path: string
    name: string | null
    created_at: Generated<string>
    level: Level | null
    session_gate: Generated<number>
    /** The project that this one was merged into. */
    main_id: number | null
  }
  workplaces: {
    id: Generated<number>
    project_id: number
    machine_id: string | null
    machine: string | null
    path: string
    created_at: Generated<string>
  }
  skills: {
    id: Generated<number>
    project_id: number
    workplace_id: number
    name: string
    phases: string | null
    modes: string | null
    templates: string | null
    cmd_dependencies: string | null
    next_skills: string | null
    directives: string | null
    updated_at: Generated<string>
    kind: Skill['kind']
    scope: Skill['scope']
    file: string | null
    folder: string | null
    digest: string | null
    description: string | null
    plan: string | null
    details: string | null
    diagnostics: string | null
  }
  tasks: {
    dir_path: string
    project_id: number
    workspace: string | null
    title: string | null
    description: string | null
    keywords: string | null
    last_ordinal: Generated<number>
    created_at: Generated<string>
    workplace_id: number | null
  }
  efforts: {
    id: Generated<number>
    task_id: string
    skill: string
    mode: string | null
    ordinal: number
    lifecycle: Generated<'active' | 'finished'>
    current_phase: string | null
    discovered_directives: string | null
    discovered_directories: string | null
    metadata: string | null
    agent_id: string | null
    workplace_id: number
    created_at: Generated<string>
    finished_at: string | null
    request: string | null
    /** The plan that it keeps, in `plans`; null in older efforts until their skill changes. */
    plan_digest: string | null
    /** The session that began or continued it last; it may serve another effort now. */
    last_session_id: number | null
    /** What it ended with, as JSON. */
    result: string | null
  }
  sessions: {
    id: Generated<number>
    task_id: string
    effort_id: number
    prev_session_id: number | null
    pid: number | null
    heartbeat_counter: Generated<number>
    last_heartbeat: string | null
    context_usage: number | null
    loaded_files: string | null
    changed_files: string | null
    todos: string | null
    dehydration_payload: string | null
    native_id: string | null
    client: string | null
    agent_id: string | null
    transcript_path: string | null
    transcript_offset: Generated<number>
    transcript_at: string | null
    created_at: Generated<string>
    ended_at: string | null
    ended_reason: EndedReason | null
    open_calls: string | null
    context_told: Generated<number>
    told_directives: string | null
    lost_efforts: string | null
    scope_of: string | null
    stale_at: string | null
    workplace_id: number
    /** When it was read from the transcript of its client; null if hooks recorded it. */
    imported_at: string | null
  }
  effort_files: { effort_id: number; session_id: number; files: string }
  phase_history: {
    id: Generated<number>
    effort_id: number
    phase_label: string
    proof: string | null
    created_at: Generated<string>
  }
  messages: {
    id: Generated<number>
    session_id: number
    role: Message['role']
    content: string
    tool_name: string | null
    timestamp: Generated<string>
    native_id: string | null
  }
  agents: {
    id: string
    label: string | null
    claims: string | null
    effort_id: number | null
    registered_at: Generated<string>
  }
  embeddings: {
    id: Generated<number>
    source_type: string
    source_path: string
    chunk_text: string | null
    /** When its source was written or said. */
    updated_at: Generated<string>
    project_id: number | null
    heading: Generated<string>
    line: Generated<number>
    /** The terms that it is found by, of its heading and then of its text. */
    words: Generated<string>
    /** The digest of its source. */
    digest: Generated<string>
  }
  skill_span: {
    span_id: string
    skill: string
    parent_span_id: string | null
    status: Generated<'active' | 'suspended' | 'completed'>
    first_step: string | null
    last_step: string | null
    steps: Generated<string>
    started_at: Generated<string>
    suspended_at: string | null
    completed_at: string | null
    session_id: string | null
    effort_id: number | null
  }
  life_event: {
    seq: Generated<number>
    id: string
    timestamp: Generated<string>
    skill: string
    phase: Generated<string>
    event_type: Generated<string>
    /** The client's id of the session. */
    session_id: Generated<string>
    /** Our id of the session. */
    window_id: number | null
    payload: Generated<string>
    effort_id: number | null
    project_id: number | null
    agent_id: string | null
  }
  artifacts: {
    id: Generated<number>
    effort_id: number | null
    span_id: string | null
    step: string | null
    name: string
    path: string | null
    evidence: string | null
    created_at: Generated<string>
    rank: Generated<Rank>
    digest: string | null
  }
  evidence_runs: {
    /** The digest of the token that finishes the run. */
    token: string
    effort_id: number
    name: string
    command: string
    covers: string
    digest: string | null
    started_at: string
  }
  /** By the client's id of the session. */
  environments: { session_id: string; environment: string; recorded_at: string }
  step_visits: {
    id: Generated<number>
    effort_id: number
    step: string
    attempts: Generated<number>
    started_at: Generated<string>
    completed_at: string | null
    outcome: string | null
  }
  continuations: Continuations
  /** Plans of efforts by digest, with the other parts of their skills; never changed. */
  plans: { digest: string; plan: string | null; definition: string }
  /** What workflow modules export, by the digest of their code; `texts` holds what their steps name. */
  trusted_modules: { digest: string; skill: string; exported: string; texts: string; created_at: string }
  plan_state: { effort_id: number; name: string; value: string; updated_at: Generated<string> }
  approvals: {
    id: Generated<number>
    effort_id: number
    kind: 'phase' | 'step' | 'proof' | 'effort'
    subject: string
    reason: string
    created_at: Generated<string>
    used_at: string | null
  }
  dehydrations: {
    effort_id: number
    author: 'agent' | 'engine'
    session_id: number | null
    payload: string
    cut: string | null
    created_at: Generated<string>
    native_id: Generated<string>
  }
  skill_runs: {
    id: Generated<number>
    project_id: number
    workplace_id: number
    effort_id: number | null
    span_id: string | null
    skill: string
    args: string
    name: string
    created_at: Generated<string>
    made_at: string | null
  }
  delegations: {
    session_id: string
    call_id: string
    skill: string
    effort_id: number | null
    steps: string
    request: string | null
    prompt_id: string | null
    agent_id: string | null
    stopped: string | null
    outcome: 'ok' | 'failed' | null
    created_at: string
    ended_at: string | null
  }
  queue: {
    id: Generated<number>
    project_id: number
    effort_id: number | null
    kind: string
    content: string
    resolution: string | null
    created_at: Generated<string>
    resolved_at: string | null
  }
  leases: { name: string; holder: string; fence: Generated<number>; expires_at: string }
  idempotency_keys: {
    key: string
    method: string
    digest: string
    /** The intended work outside of the database, until `result` is set. */
    intent: string | null
    result: string | null
    created_at: Generated<string>
  }
  settings: { name: string; value: string }
  migrations: { version: number; name: string; applied_at: string }
}
