import { defaultClient } from '../../clients/index.ts'
import type { Flag, Flags } from '../frame/args.ts'

export const PROJECT_FLAG: Flag = {
  kind: 'value',
  summary: 'the folder of the project (default: the repository around this folder)',
}

/** Which settings of a client are meant. */
export const SETTINGS_FLAGS: Flags = {
  client: { kind: 'value', summary: `the agent client (default: ${defaultClient.name})` },
  scope: { kind: 'value', summary: 'user (all projects), local (this project, here) or project (committed)' },
  project: PROJECT_FLAG,
}
