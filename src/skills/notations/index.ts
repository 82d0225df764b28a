import type { Frontend } from './frontend.ts'
import { headings } from './headings.ts'
import { phasesJson } from './phases-json.ts'
import { runbook } from './runbook.ts'
import { stepsFolder } from './steps-folder.ts'
import { workflowModule } from './workflow-module.ts'

/** The notations in order of precedence: the first one that a skill uses defines its plan. */
export const frontends: readonly Frontend[] = [workflowModule, stepsFolder, phasesJson, runbook, headings]
