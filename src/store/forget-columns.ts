/** What becomes of a row with a forgotten text: `row` deletes it, anything else is SQL for the value in its place. */
export type Fate = string

/**
 * The columns that hold what people and agents said, with what becomes of a value that has a forgotten text. All other
 * columns hold names, paths, times, digests and definitions of skills, which come from files; a test compares both
 * lists with the schema.
 */
export const SAID: Readonly<Record<string, Readonly<Record<string, Fate>>>> = {
  tasks: { title: 'null', description: 'null', keywords: 'null' },
  efforts: { metadata: 'null', request: 'null', result: 'null' },
  sessions: {
    loaded_files: 'null',
    dehydration_payload: 'null',
    open_calls: 'null',
    told_directives: 'null',
    changed_files: 'null',
    todos: 'null',
  },
  effort_files: { files: 'row' },
  phase_history: { proof: 'null' },
  messages: { content: 'row' },
  agents: { label: 'null' },
  embeddings: { chunk_text: 'row', heading: 'row' },
  artifacts: { evidence: 'null' },
  evidence_runs: { command: 'row' },
  continuations: { args: 'null', context: 'null', result: 'null', reason: 'null', on_error: 'null' },
  // Read as JSON.
  plan_state: { value: `'null'` },
  approvals: { reason: `'(forgotten)'` },
  dehydrations: { payload: 'row', cut: 'null' },
  skill_runs: { args: `''` },
  delegations: { request: 'null' },
  queue: { content: 'row', resolution: 'null' },
  life_event: { payload: `''` },
  work_bodies: { title: `''` },
  work_items: { title: `''`, prompt: 'null', proof: 'null', reason: 'null', blocker: 'null' },
  workers: { reason: 'null' },
}

/** The other columns with texts. */
export const NOT_SAID: Readonly<Record<string, string>> = {
  projects: 'path name created_at level',
  workplaces: 'machine_id machine path created_at',
  skills: `name phases modes templates cmd_dependencies next_skills directives updated_at kind scope file folder digest
    description plan details diagnostics`,
  tasks: 'dir_path workspace created_at',
  efforts: `task_id skill mode lifecycle current_phase discovered_directives discovered_directories agent_id created_at
    finished_at plan_digest`,
  sessions: `task_id last_heartbeat native_id client agent_id transcript_path transcript_at created_at ended_at
    ended_reason lost_efforts scope_of stale_at imported_at`,
  phase_history: 'phase_label created_at',
  messages: 'role tool_name timestamp native_id',
  agents: 'id claims registered_at',
  // The terms of a piece go with its text, and so do its vectors.
  embeddings: 'source_type source_path updated_at digest words',
  spaces: 'identity provider model scheme center state',
  vectors: 'digest code vector',
  skill_span: `span_id skill parent_span_id status first_step last_step steps started_at suspended_at completed_at
    session_id`,
  life_event: 'id timestamp skill phase event_type session_id agent_id',
  artifacts: 'span_id step name path created_at rank digest',
  evidence_runs: 'token name covers digest started_at',
  environments: 'session_id environment recorded_at',
  step_visits: 'step started_at completed_at outcome',
  continuations: `skill status created_at updated_at task_id session_id call level asked_at started_at ended_at`,
  plans: 'digest plan definition',
  trusted_modules: 'digest skill exported texts created_at',
  plan_state: 'name updated_at',
  approvals: 'kind subject created_at used_at',
  dehydrations: 'author created_at native_id',
  skill_runs: 'span_id skill name created_at made_at',
  delegations: 'session_id call_id skill steps agent_id stopped outcome created_at ended_at prompt_id',
  queue: 'kind created_at resolved_at',
  work_bodies: 'created_at',
  work_items: 'item skill phase files produces model state worker lease_until created_at ended_at',
  work_blockers: 'item blocker',
  workers: `id agent_id task_id worktree branch pane status created_at ended_at item machine_id log stop_asked_at
    seen_at`,
  leases: 'name holder expires_at',
  // Their answers are always blanked.
  idempotency_keys: 'key method digest intent result created_at',
  settings: 'name value',
  migrations: 'name applied_at',
}
