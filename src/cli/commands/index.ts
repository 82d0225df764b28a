import type { Command } from '../frame/command.ts'
import { aiStatus, aiTest } from './ai.ts'
import { backup, backups, restore } from './backup.ts'
import { chain, chainDrop, chainList, chainNext, chainPush, chainResume, chainShow } from './chain.ts'
import { completion } from './completion.ts'
import { configGet, configList, configSet, configUnset } from './config.ts'
import { daemonRotateToken, daemonStart, daemonStatus, daemonStop } from './daemon.ts'
import { daemonRun } from './daemon-run.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { effortApprove, effortFinish, effortList, effortPhase, effortShow, effortValidate } from './effort.ts'
import { effortAccept } from './effort-accept.ts'
import { effortStart, sessionActivate } from './effort-start.ts'
import { enforce } from './enforce.ts'
import { fleet } from './fleet.ts'
import { forget } from './forget.ts'
import { handoff, handoffNext, handoffWrite } from './handoff.ts'
import { hook } from './hook.ts'
import { hooksEnable } from './hooks.ts'
import { importCommand } from './import.ts'
import { implement } from './implement.ts'
import { init } from './init.ts'
import { learn } from './learn.ts'
import { ledger } from './ledger.ts'
import { log } from './log.ts'
import { logs } from './logs.ts'
import { nounCommands } from './noun.ts'
import { pause } from './pause.ts'
import { prove } from './prove.ts'
import {
  pipelineContinue,
  pipelineDone,
  pipelineFail,
  pipelineNext,
  pipelineStart,
  pipelineStatus,
} from './pipeline.ts'
import { prune } from './prune.ts'
import { query } from './query.ts'
import { queueAdd, queueList, queueResolve } from './queue.ts'
import { index, search } from './search.ts'
import { recap, sessionDehydrate } from './recap.ts'
import { rpc } from './rpc.ts'
import { runbookNext, runbookReport, runbookStatus } from './runbook-run.ts'
import { runList, runLog, runPublish, runShow } from './run.ts'
import { runbookCheck, runbookCompile } from './runbook.ts'
import { sessionContinue } from './session-continue.ts'
import { sessionList } from './session-list.ts'
import { sessionShow } from './session-show.ts'
import { taskSummarize } from './task-summarize.ts'
import { sessionDeactivate, sessionIdle, sessionRestart } from './session-ends.ts'
import { sessionCheck, sessionDebrief, sessionInit, sessionPhase } from './session-spellings.ts'
import { skillCheck, skillGraph, skillLink, skillList, skillNew, skillShow } from './skill.ts'
import { skillAdopt } from './skill-adopt.ts'
import { skillInstall, skillUninstall } from './skill-install.ts'
import { skillTrust, skillUntrust } from './skill-trust.ts'
import { skillTest } from './skill-test.ts'
import { step, stepDone, stepFail, stepGo, stepSkip } from './step.ts'
import { spanTree } from './span.ts'
import { status } from './status.ts'
import { statusline } from './statusline.ts'
import {
  todo,
  todoAdd,
  todoBlock,
  todoCancel,
  todoCheck,
  todoContext,
  todoDone,
  todoList,
  todoNext,
  todoStart,
} from './todo.ts'
import { uninstall } from './uninstall.ts'
import { why } from './why.ts'
import { workAdd, workImport, workList, workReady, workShow } from './work.ts'
import {
  workBlock,
  workClaim,
  workDone,
  workFail,
  workRecover,
  workRelease,
  workRenew,
  workRetry,
} from './work-turn.ts'
import { workerList, workerRun, workerStart, workerStop } from './worker.ts'

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  init,
  uninstall,
  hooksEnable,
  enforce,
  pause,
  configList,
  configGet,
  configSet,
  configUnset,
  status,
  recap,
  fleet,
  why,
  prove,
  spanTree,
  ledger,
  log,
  effortStart,
  effortShow,
  effortList,
  effortPhase,
  effortApprove,
  effortAccept,
  effortValidate,
  effortFinish,
  ...nounCommands,
  sessionList,
  sessionShow,
  taskSummarize,
  sessionContinue,
  sessionActivate,
  sessionPhase,
  sessionDehydrate,
  sessionCheck,
  sessionInit,
  sessionDebrief,
  sessionIdle,
  sessionDeactivate,
  sessionRestart,
  chainList,
  chainShow,
  chainPush,
  chainNext,
  chainDrop,
  chainResume,
  chain,
  search,
  aiStatus,
  aiTest,
  index,
  importCommand,
  forget,
  queueAdd,
  queueList,
  queueResolve,
  handoffWrite,
  handoffNext,
  handoff,
  todoList,
  todoAdd,
  todoStart,
  todoDone,
  todoBlock,
  todoCancel,
  todoNext,
  todoCheck,
  todoContext,
  todo,
  learn,
  stepGo,
  stepDone,
  stepFail,
  stepSkip,
  step,
  pipelineStart,
  pipelineNext,
  pipelineDone,
  pipelineFail,
  pipelineStatus,
  runbookNext,
  runbookReport,
  runbookStatus,
  pipelineContinue,
  workAdd,
  workImport,
  workList,
  workReady,
  workShow,
  workClaim,
  workRenew,
  workDone,
  workFail,
  workBlock,
  workRelease,
  workRetry,
  workRecover,
  implement,
  workerStart,
  workerRun,
  workerList,
  workerStop,
  runList,
  runShow,
  runPublish,
  runLog,
  runbookCheck,
  runbookCompile,
  skillCheck,
  skillList,
  skillShow,
  skillGraph,
  skillNew,
  skillInstall,
  skillUninstall,
  skillLink,
  skillAdopt,
  skillTrust,
  skillUntrust,
  skillTest(() => commands),
  query,
  rpc,
  hook,
  statusline,
  daemonStart,
  daemonStop,
  daemonStatus,
  daemonRotateToken,
  daemonRun,
  backup,
  backups,
  restore,
  prune,
  logs,
  doctor,
  completion(() => commands),
  demo(() => commands),
]
