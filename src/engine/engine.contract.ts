import { afterAll, beforeAll, describe } from 'vitest'
import { agentContract } from './methods/agent.contract.ts'
import { agentTakingContract } from './methods/agent-taking.contract.ts'
import { artifactContract } from './methods/artifact.contract.ts'
import { typedAnswersContract } from './call/typed-answers.contract.ts'
import { callContract } from './call/call.contract.ts'
import { callKeyContract } from './call/call-key.contract.ts'
import { clockContract } from './call/clock.contract.ts'
import { effectsContract } from './call/effects.contract.ts'
import { delegationContract } from './hook/delegation.contract.ts'
import { childScopeContract } from './hook/child-scope.contract.ts'
import { dispatchContract } from './hook/dispatch.contract.ts'
import { directiveContract } from './methods/directive.contract.ts'
import { durableCallContract } from './call/durable-call.contract.ts'
import { effortContract } from './methods/effort.contract.ts'
import { evidenceContract } from './methods/evidence.contract.ts'
import { effortChecksContract } from './effort/checks.contract.ts'
import { effortModeContract } from './methods/effort-mode.contract.ts'
import { effortStartContract } from './methods/effort-start.contract.ts'
import { fileContract } from './methods/file.contract.ts'
import { chainSuites } from './hook/chains.contract.ts'
import { canaryContract } from './hook/canary.contract.ts'
import { hookContract } from './methods/hook.contract.ts'
import { hookCostContract } from './hook/cost.contract.ts'
import { hookLoadContract } from './hook/load.contract.ts'
import { hookSilenceContract } from './hook/silence.contract.ts'
import { guideContract } from './hook/guide.contract.ts'
import { continuedContract } from './hook/continued.contract.ts'
import { requestContract } from './hook/request.contract.ts'
import { hookSkillContract } from './hook/skill.contract.ts'
import { hookSpanContract } from './hook/span.contract.ts'
import { hookWindowContract } from './hook/window.contract.ts'
import { hostileContract } from './hook/hostile.contract.ts'
import { isolationContract } from './hook/isolation.contract.ts'
import { ledgerContract } from './methods/ledger.contract.ts'
import { ledgerSessionContract } from './methods/ledger-session.contract.ts'
import { logContract } from './methods/log.contract.ts'
import { paramsContract } from './call/params.contract.ts'
import { phaseHookContract } from './hook/phase-hook.contract.ts'
import { phaseContract } from './methods/phase.contract.ts'
import { projectContract } from './methods/project.contract.ts'
import { proofContract } from './methods/phase-proof.contract.ts'
import { recapContract } from './methods/recap.contract.ts'
import { comeBackContract } from './session/come-back.contract.ts'
import { relatedContract } from './session/related.contract.ts'
import { pastContract } from './session/past.contract.ts'
import { rehydrationContract } from './session/rehydration.contract.ts'
import { recapStartsContract } from './hook/recap-starts.contract.ts'
import { modelFlushContract } from './hook/model-flush.contract.ts'
import { recallContract } from './hook/recall.contract.ts'
import { referenceContract } from './methods/directive-reference.contract.ts'
import { pipelineCommandsContract } from './methods/pipeline-commands.contract.ts'
import { pipelineContract } from './methods/pipeline.contract.ts'
import { workflowSessionContract } from './hook/workflow-session.contract.ts'
import { stepContract } from './methods/step.contract.ts'
import { roundsContract } from './methods/rounds.contract.ts'
import { stepOutcomeContract } from './methods/step-outcome.contract.ts'
import { stepRaceContract } from './hook/step-race.contract.ts'
import { stepRefusalContract } from './methods/step-refusal.contract.ts'
import { childWorkContract } from './methods/child-work.contract.ts'
import { childrenContract } from './methods/children.contract.ts'
import { childrenOrderContract } from './methods/children-order.contract.ts'
import { freeChildrenContract } from './methods/free-children.contract.ts'
import { reviewContract } from './methods/review.contract.ts'
import { workflowValuesContract } from './methods/workflow-values.contract.ts'
import { workContract } from './methods/work.contract.ts'
import { workItemsContract } from './methods/work-items.contract.ts'
import { workflowContract } from './methods/workflow.contract.ts'
import { stepValuesContract } from './methods/step-values.contract.ts'
import { runbookContract } from './methods/runbook-run.contract.ts'
import { runbookOrderContract } from './methods/runbook-order.contract.ts'
import { runbookReportContract } from './methods/runbook-report.contract.ts'
import { runbookSessionContract } from './methods/runbook-session.contract.ts'
import { pipelineReportContract } from './methods/pipeline-report.contract.ts'
import { continuationContract } from './methods/continuation.contract.ts'
import { handoffContract } from './methods/handoff.contract.ts'
import { handoffWriteContract } from './methods/handoff-write.contract.ts'
import { queueContract } from './methods/queue.contract.ts'
import { forgetContract } from './session/forget.contract.ts'
import { importContract } from './methods/memory.contract.ts'
import { aiMethodsContract } from './methods/ai.contract.ts'
import { searchMethodsContract } from './methods/search.contract.ts'
import { plainContract } from './hook/plain.contract.ts'
import { producedGateContract } from './hook/produced-gate.contract.ts'
import { contentsContract } from './skill/contents.contract.ts'
import { forkContract } from './hook/fork.contract.ts'
import { scopeContract } from './hook/scope.contract.ts'
import { shownContract } from './hook/shown.contract.ts'
import { switchesContract } from './hook/switches.contract.ts'
import { seenContract } from './hook/seen.contract.ts'
import { sessionContract } from './methods/session.contract.ts'
import { sessionListContract } from './methods/session-list.contract.ts'
import { sessionContinueContract } from './methods/session-continue.contract.ts'
import { skillContract } from './methods/skill.contract.ts'
import { skillFilesContract } from './methods/skill-files.contract.ts'
import { runResultContract } from './skill/run-result.contract.ts'
import { skillRunContract } from './skill/skill-run.contract.ts'
import { runMadeContract } from './skill/run-made.contract.ts'
import { syncContract } from './skill/sync.contract.ts'
import { modesContract } from './hook/modes.contract.ts'
import { shortcutsContract } from './hook/shortcuts.contract.ts'
import { stageContract } from './hook/stage.contract.ts'
import { stopGateContract } from './hook/stop-gate.contract.ts'
import { statusContract } from './methods/status.contract.ts'
import { statusLineContract } from './methods/status-line.contract.ts'
import { taskSummaryContract } from './methods/task-summary.contract.ts'
import { taskContract } from './methods/task.contract.ts'
import { doorContract } from './methods/door.contract.ts'
import { resultContract } from './methods/result.contract.ts'
import { todoContract } from './methods/todo.contract.ts'
import { trustContract } from './methods/trust.contract.ts'
import { directiveRulesContract } from './hook/directive-rules.contract.ts'
import { takenOverContract } from './effort/taken-over.contract.ts'
import { movingContract } from './effort/moving.contract.ts'
import { terminalContract } from './effort/terminal.contract.ts'
import { whoseContract } from './effort/whose.contract.ts'
import { setAsideContract } from './effort/set-aside.contract.ts'
import { threadContract } from './effort/thread.contract.ts'
import { meantContract } from './effort/meant.contract.ts'
import { memoryContract } from './hook/memory.contract.ts'
import { pruneContract } from './session/prune.contract.ts'
import { messageContract } from './methods/message.contract.ts'
import { clockApartContract } from './hook/clock-apart.contract.ts'
import { transcriptContract } from './hook/transcript.contract.ts'
import { lastWordsContract } from './hook/last-words.contract.ts'
import { watchContract } from './hook/watch.contract.ts'
import { staysContract } from './skill/stays.contract.ts'
import { textEditsContract } from './skill/text-edits.contract.ts'
import { planAcceptContract } from './skill/plan-accept.contract.ts'
import { planEditsContract } from './skill/plan-edits.contract.ts'
import { mergedProjectContract } from './skill/merged-project.contract.ts'
import { workplaceContract } from './skill/workplace.contract.ts'
import { writeGateContract } from './hook/write-gate.contract.ts'
import { type Open, temporaryPostgres, temporarySqlite } from '../store/open.contract.ts'
import { makeWorld, type World } from './world.contract.ts'

type Suite = (world: () => World) => void

/**
 * Every suite of the engine, once. The suites of a group share a world; `contracts/GROUP.test.ts` runs them, so that
 * all test files take about the same time.
 */
export const GROUPS = {
  // First, because it reads the whole store many times.
  calls: [
    effectsContract,
    typedAnswersContract,
    callContract,
    clockContract,
    ledgerContract,
    ledgerSessionContract,
    messageContract,
    pruneContract,
    queueContract,
    searchMethodsContract,
    importContract,
    forgetContract,
    aiMethodsContract,
    handoffContract,
    handoffWriteContract,
    continuationContract,
    statusContract,
    statusLineContract,
  ],
  keys: [callKeyContract],
  durability: [durableCallContract],
  parameters: [paramsContract],
  hooks: [
    ...chainSuites,
    canaryContract,
    hookContract,
    hookSpanContract,
    requestContract,
    continuedContract,
    guideContract,
    hookLoadContract,
    hookSilenceContract,
    hookSkillContract,
    hookCostContract,
    plainContract,
  ],
  rules: [
    hookWindowContract,
    hostileContract,
    recapStartsContract,
    pastContract,
    relatedContract,
    rehydrationContract,
    producedGateContract,
    stepRaceContract,
    writeGateContract,
    stopGateContract,
    watchContract,
    seenContract,
    switchesContract,
    modesContract,
    shortcutsContract,
    phaseHookContract,
    directiveRulesContract,
    transcriptContract,
    clockApartContract,
    lastWordsContract,
    recallContract,
    modelFlushContract,
  ],
  scopes: [
    delegationContract,
    dispatchContract,
    isolationContract,
    contentsContract,
    forkContract,
    childScopeContract,
    scopeContract,
    threadContract,
    setAsideContract,
    shownContract,
    stageContract,
    memoryContract,
    workplaceContract,
    mergedProjectContract,
    staysContract,
    comeBackContract,
  ],
  efforts: [
    phaseContract,
    proofContract,
    effortContract,
    effortModeContract,
    effortStartContract,
    effortChecksContract,
    artifactContract,
    evidenceContract,
    stepContract,
    stepOutcomeContract,
    stepRefusalContract,
    roundsContract,
    workflowSessionContract,
    workflowContract,
    childrenContract,
    childWorkContract,
    childrenOrderContract,
    freeChildrenContract,
    reviewContract,
    workflowValuesContract,
    stepValuesContract,
    pipelineCommandsContract,
    pipelineContract,
    pipelineReportContract,
    runbookContract,
    runbookOrderContract,
    runbookReportContract,
    runbookSessionContract,
    workContract,
    workItemsContract,
    doorContract,
    planEditsContract,
    planAcceptContract,
    textEditsContract,
    todoContract,
    resultContract,
    logContract,
    meantContract,
  ],
  nouns: [
    taskContract,
    taskSummaryContract,
    projectContract,
    agentContract,
    agentTakingContract,
    sessionContract,
    sessionListContract,
    sessionContinueContract,
    takenOverContract,
    whoseContract,
    movingContract,
    terminalContract,
    recapContract,
    skillContract,
    skillFilesContract,
    trustContract,
    syncContract,
    skillRunContract,
    runMadeContract,
    runResultContract,
    fileContract,
    directiveContract,
    referenceContract,
  ],
} satisfies Readonly<Record<string, readonly Suite[]>>

const KINDS = ['SQLite', 'PostgreSQL'] as const

type Kind = (typeof KINDS)[number]

const OPEN: Readonly<Record<Kind, Open>> = { SQLite: temporarySqlite, PostgreSQL: temporaryPostgres }

/** Every method must behave the same on every database. */
export function engineContract(group: keyof typeof GROUPS, kinds: readonly Kind[] = KINDS): void {
  describe.each(kinds)('the engine on %s', (kind) => {
    let world: World
    beforeAll(async () => void (world = await makeWorld(OPEN[kind])))
    afterAll(() => world[Symbol.asyncDispose]())

    for (const suite of GROUPS[group]) suite(() => world)
  })
}
