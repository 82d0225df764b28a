import { afterAll, beforeAll, describe } from 'vitest'
import { agentContract } from './methods/agent.contract.ts'
import { artifactContract } from './methods/artifact.contract.ts'
import { callContract } from './call/call.contract.ts'
import { clockContract } from './call/clock.contract.ts'
import { effectsContract } from './call/effects.contract.ts'
import { delegationContract } from './hook/delegation.contract.ts'
import { directiveContract } from './methods/directive.contract.ts'
import { effortContract } from './methods/effort.contract.ts'
import { evidenceContract } from './methods/evidence.contract.ts'
import { effortChecksContract } from './effort/checks.contract.ts'
import { effortStartContract } from './methods/effort-start.contract.ts'
import { fileContract } from './methods/file.contract.ts'
import { canaryContract } from './hook/canary.contract.ts'
import { hookContract } from './methods/hook.contract.ts'
import { hookCostContract } from './hook/cost.contract.ts'
import { hookLoadContract } from './hook/load.contract.ts'
import { hookSilenceContract } from './hook/silence.contract.ts'
import { hookSkillContract } from './hook/skill.contract.ts'
import { hookSpanContract } from './hook/span.contract.ts'
import { hookWindowContract } from './hook/window.contract.ts'
import { isolationContract } from './hook/isolation.contract.ts'
import { ledgerContract } from './methods/ledger.contract.ts'
import { logContract } from './methods/log.contract.ts'
import { paramsContract } from './call/params.contract.ts'
import { phaseHookContract } from './hook/phase-hook.contract.ts'
import { phaseContract } from './methods/phase.contract.ts'
import { projectContract } from './methods/project.contract.ts'
import { proofContract } from './methods/phase-proof.contract.ts'
import { recapContract } from './methods/recap.contract.ts'
import { recapStartsContract } from './hook/recap-starts.contract.ts'
import { referenceContract } from './methods/directive-reference.contract.ts'
import { pipelineContract } from './methods/pipeline.contract.ts'
import { pipelineReportContract } from './methods/pipeline-report.contract.ts'
import { queueContract } from './methods/queue.contract.ts'
import { producedGateContract } from './hook/produced-gate.contract.ts'
import { sessionContract } from './methods/session.contract.ts'
import { sessionContinueContract } from './methods/session-continue.contract.ts'
import { skillContract } from './methods/skill.contract.ts'
import { skillFilesContract } from './methods/skill-files.contract.ts'
import { skillRunContract } from './skill/skill-run.contract.ts'
import { syncContract } from './skill/sync.contract.ts'
import { stageContract } from './hook/stage.contract.ts'
import { statusContract } from './methods/status.contract.ts'
import { statusLineContract } from './methods/status-line.contract.ts'
import { taskContract } from './methods/task.contract.ts'
import { todoContract } from './methods/todo.contract.ts'
import { directiveRulesContract } from './hook/directive-rules.contract.ts'
import { meantContract } from './effort/meant.contract.ts'
import { memoryContract } from './hook/memory.contract.ts'
import { messageContract } from './methods/message.contract.ts'
import { transcriptContract } from './hook/transcript.contract.ts'
import { watchContract } from './hook/watch.contract.ts'
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
    effectsContract(current)
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
    syncContract(current)
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
    meantContract(current)
    directiveContract(current)
    referenceContract(current)
    ledgerContract(current)
    clockContract(current)
  })
}
