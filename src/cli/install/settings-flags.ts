import { defaultClient } from '../../clients/index.ts'
import type { Flag, Flags } from '../frame/args.ts'

export const PROJECT_FLAG: Flag = {
  kind: 'value',
  summary: 'folder of the project (default: the repository of the current folder)',
}

/** Flags that select the settings of a client. */
export const SETTINGS_FLAGS: Flags = {
  client: { kind: 'value', summary: `the agent client (default: ${defaultClient.name})` },
  scope: {
    kind: 'value',
    summary: 'user (all projects), local (this project, this machine) or project (committed)',
  },
  project: PROJECT_FLAG,
}
