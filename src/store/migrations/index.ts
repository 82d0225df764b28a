import type { Tx } from '../query.ts'
import * as init from './0001_init.ts'
import * as skillFiles from './0002_skill_files.ts'
import * as openCalls from './0003_open_calls.ts'
import * as levels from './0004_levels.ts'
import * as evidence from './0006_evidence.ts'
import * as dehydrations from './0008_dehydrations.ts'
import * as approvalsUsed from './0009_approvals_used.ts'
import * as skillRuns from './0010_skill_runs.ts'
import * as watch from './0011_watch.ts'
import * as memory from './0012_memory.ts'
import * as delegations from './0013_delegations.ts'
import * as transcriptAt from './0014_transcript_at.ts'
import * as ledgerSessions from './0015_ledger_sessions.ts'
import * as requests from './0016_requests.ts'
import * as workplaces from './0017_workplaces.ts'
import * as scopes from './0020_scopes.ts'
import * as changedFiles from './0021_changed_files.ts'
import * as lastSessions from './0022_last_sessions.ts'
import * as environments from './0023_environments.ts'
import * as plans from './0024_plans.ts'
import * as locked from './0025_locked.ts'
import * as lostEfforts from './0026_lost_efforts.ts'
import * as effortFiles from './0027_effort_files.ts'
import * as todos from './0028_todos.ts'
import * as trustedModules from './0029_trusted_modules.ts'
import * as results from './0030_results.ts'
import * as chains from './0031_chains.ts'
import * as search from './0032_search.ts'
import * as imports from './0033_imports.ts'
import * as vectors from './0034_vectors.ts'
import * as effortFilesSession from './0035_effort_files_session.ts'
import * as work from './0036_work.ts'

/** A step from one schema version to the next; forward only, in one transaction. */
export interface Migration {
  up(tx: Tx): Promise<void>
}

/** In order: the position is the version. Append new migrations at the end. */
export const migrations: readonly (readonly [name: string, migration: Migration])[] = [
  ['0001_init', init],
  ['0002_skill_files', skillFiles],
  ['0003_open_calls', openCalls],
  ['0004_levels', levels],
  ['0006_evidence', evidence],
  ['0008_dehydrations', dehydrations],
  ['0009_approvals_used', approvalsUsed],
  ['0010_skill_runs', skillRuns],
  ['0011_watch', watch],
  ['0012_memory', memory],
  ['0013_delegations', delegations],
  ['0014_transcript_at', transcriptAt],
  ['0015_ledger_sessions', ledgerSessions],
  ['0016_requests', requests],
  ['0017_workplaces', workplaces],
  ['0020_scopes', scopes],
  ['0021_changed_files', changedFiles],
  ['0022_last_sessions', lastSessions],
  ['0023_environments', environments],
  ['0024_plans', plans],
  ['0025_locked', locked],
  ['0026_lost_efforts', lostEfforts],
  ['0027_effort_files', effortFiles],
  ['0028_todos', todos],
  ['0029_trusted_modules', trustedModules],
  ['0030_results', results],
  ['0031_chains', chains],
  ['0032_search', search],
  ['0033_imports', imports],
  ['0034_vectors', vectors],
  ['0035_effort_files_session', effortFilesSession],
  ['0036_work', work],
]
