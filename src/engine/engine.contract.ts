import { afterAll, beforeAll, describe } from 'vitest'
import { agentContract } from './agent.contract.ts'
import { artifactContract } from './artifact.contract.ts'
import { callContract } from './call.contract.ts'
import { clockContract } from './clock.contract.ts'
import { delegationContract } from './delegation.contract.ts'
import { directiveContract } from './directive.contract.ts'
import { effortContract } from './effort.contract.ts'
import { evidenceContract } from './evidence.contract.ts'
import { effortChecksContract } from './effort-checks.contract.ts'
import { effortStartContract } from './effort-start.contract.ts'
import { fileContract } from './file.contract.ts'
import { canaryContract } from './canary.contract.ts'
import { hookContract } from './hook.contract.ts'
import { hookCostContract } from './hook-cost.contract.ts'
import { hookLoadContract } from './hook-load.contract.ts'
import { hookSilenceContract } from './hook-silence.contract.ts'
import { hookSkillContract } from './hook-skill.contract.ts'
import { hookSpanContract } from './hook-span.contract.ts'
import { hookWindowContract } from './hook-window.contract.ts'
import { isolationContract } from './isolation.contract.ts'
import { ledgerContract } from './ledger.contract.ts'
import { logContract } from './log.contract.ts'
import { paramsContract } from './params.contract.ts'
import { phaseHookContract } from './phase-hook.contract.ts'
import { phaseContract } from './phase.contract.ts'
import { projectContract } from './project.contract.ts'
import { proofContract } from './proof.contract.ts'
import { recapContract } from './recap.contract.ts'
import { recapStartsContract } from './recap-starts.contract.ts'
import { referenceContract } from './reference.contract.ts'
import { pipelineContract } from './pipeline.contract.ts'
import { pipelineReportContract } from './pipeline-report.contract.ts'
import { queueContract } from './queue.contract.ts'
import { producedGateContract } from './produced-gate.contract.ts'
import { sessionContract } from './session.contract.ts'
import { sessionContinueContract } from './session-continue.contract.ts'
import { skillContract } from './skill.contract.ts'
import { skillFilesContract } from './skill-files.contract.ts'
import { skillRunContract } from './skill-run.contract.ts'
import { stageContract } from './stage.contract.ts'
import { statusContract } from './status.contract.ts'
import { statusLineContract } from './status-line.contract.ts'
import { taskContract } from './task.contract.ts'
import { todoContract } from './todo.contract.ts'
import { directiveRulesContract } from './directive-rules.contract.ts'
import { memoryContract } from './memory.contract.ts'
import { messageContract } from './message.contract.ts'
import { transcriptContract } from './transcript.contract.ts'
import { watchContract } from './watch.contract.ts'
import { makeWorld, type Open, type World } from './world.contract.ts'

/** What can be called must behave the same on any database. */
export function engineContract(name: string, open: Open): void {
  describe(`the engine on ${name}`, () => {
    let world: World
    beforeAll(async () => {
      world = await makeWorld(open)
    })
    afterAll(() => world[Symbol.asyncDispose]())

    const current = () => world
    // First, because it looks at everything that is stored, again and again.
    callContract(current)
    paramsContract(current)
    phaseContract(current)
    proofContract(current)
    effortContract(current)
    taskContract(current)
    projectContract(current)
    artifactContract(current)
    evidenceContract(current)
    producedGateContract(current)
    effortChecksContract(current)
    pipelineContract(current)
    pipelineReportContract(current)
    agentContract(current)
    sessionContract(current)
    messageContract(current)
    recapContract(current)
    recapStartsContract(current)
    queueContract(current)
    statusContract(current)
    statusLineContract(current)
    skillContract(current)
    skillFilesContract(current)
    fileContract(current)
    canaryContract(current)
    hookContract(current)
    hookSpanContract(current)
    hookLoadContract(current)
    hookSilenceContract(current)
    hookWindowContract(current)
    hookSkillContract(current)
    hookCostContract(current)
    watchContract(current)
    skillRunContract(current)
    phaseHookContract(current)
    todoContract(current)
    delegationContract(current)
    isolationContract(current)
    stageContract(current)
    memoryContract(current)
    directiveRulesContract(current)
    transcriptContract(current)
    effortStartContract(current)
    sessionContinueContract(current)
    logContract(current)
    directiveContract(current)
    referenceContract(current)
    ledgerContract(current)
    clockContract(current)
  })
}
