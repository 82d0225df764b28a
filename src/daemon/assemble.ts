import { openAi } from '../ai/index.ts'
import { clients, defaultClient } from '../clients/index.ts'
import type { Context, DaemonPort } from '../engine/call/context.ts'
import { methodsByName } from '../engine/methods/index.ts'
import { keyFinder } from '../files/ai-key.ts'
import { configReader } from '../files/config.ts'
import { nodeFiles } from '../files/node.ts'
import { agentsFolder } from '../model/client-files.ts'
import { newCounts } from '../model/count.ts'
import { EngineError, toWire } from '../model/error.ts'
import { idMaker } from '../model/id.ts'
import { rules } from '../rules/index.ts'
import { RpcServer } from '../rpc/serve.ts'
import { clock, storeClock } from './clock.ts'
import { Descriptors } from './descriptors.ts'
import { Door } from './door.ts'
import { Dropped } from './dropped.ts'
import { counting, noting } from './hook-calls.ts'
import { Forgetter } from './forget.ts'
import { ownFilesOf } from './home.ts'
import { HookFaults } from './hook-faults.ts'
import { errorDetails } from './log.ts'
import { machineOf } from './machine.ts'
import { packagedContents } from './packaged.ts'
import type { Parts } from './parts.ts'
import { pauseReader } from './pause.ts'
import { prune } from './prune.ts'
import { openSkillFolders } from './skills.ts'
import { statusOf } from './status.ts'
import { StoredTextIndex } from './text-index.ts'
import { toldPrograms } from './told-programs.ts'

/** What the engine can ask of its process. */
type Life = Pick<DaemonPort, 'stop' | 'startSuccessor'>

/** Builds the engine and its servers, which do not listen yet. */
export function assemble(parts: Parts, life: Life) {
  const { home, log, store, ballast, callMethod, inherited } = parts
  const started = clock.now()
  const counts = newCounts()
  const descriptors = new Descriptors(log)
  const refusal = descriptors.refusal.bind(descriptors)
  const pausedNow = pauseReader(home)
  const programs = toldPrograms(home)
  const faults = faultsOf(parts, { counts, programs, isPaused: () => pausedNow() !== undefined })
  const skills = openSkillFolders({ home, log, store, context: () => context })
  const newId = idMaker(clock)
  const memory = new Forgetter({ home, log, store, newId, indexed: () => index.settled() })
  const daemon: DaemonPort = {
    ...life,
    status: () => status,
    rotateTokens: () => door.rotate(),
    prune: (how) => prune({ home, store, ...how }),
    memory,
  }
  const index = new StoredTextIndex({ store, log, context: () => context })
  const context = contextOf(parts, {
    daemon,
    index,
    skillFolders: skills.folders,
    pausedUntil: pausedNow,
    programs,
  })
  const dispatch = counting(counts, callMethod, context)
  const toError = (error: unknown) => told(log, error)
  const dropped = new Dropped({ log, counts })
  const onDrop = dropped.note.bind(dropped)
  const limits = { maxStrangers: descriptors.maxStrangers, ...parts.callers }
  const server = new RpcServer({
    dispatch: noting(faults, dispatch),
    toError,
    refusal,
    onDrop,
    ...limits,
    onConnections: (open) => void (counts.connections = open),
  })
  const http = inherited?.http
  const door = new Door({
    home,
    log,
    callers: { refusal, onDrop, ...limits },
    served: { dispatch, toError, faults },
    ...(http !== undefined && { inherited: http }),
  })
  const status = statusOf({ home, store, door, faults, dropped, ballast, descriptors, started, counts })
  return { context, memory, index, skills, server, door, status, counts, descriptors }
}

function faultsOf(
  { log, store }: Parts,
  needs: Pick<ConstructorParameters<typeof HookFaults>[0], 'counts' | 'programs' | 'isPaused'>,
): HookFaults {
  const { server: shared } = store.database
  return new HookFaults({ log, ...needs, ...(shared !== undefined && { breaker: shared.breaker }) })
}

/** An error for its caller; a bug goes to the log too. */
function told(log: Parts['log'], error: unknown) {
  if (!(error instanceof EngineError)) log.write('error', 'call failed', errorDetails(error))
  return toWire(error)
}

type Filled = Pick<Context, 'daemon' | 'index' | 'skillFolders' | 'pausedUntil' | 'programs'>

function contextOf({ home, log, store }: Parts, filled: Filled): Context {
  return {
    ...filled,
    store,
    clock: storeClock(store.database),
    newId: idMaker(clock),
    files: nodeFiles,
    user: home.user,
    own: ownFilesOf(home),
    packaged: packagedContents(),
    // Loaded on first use, because most daemons never see a runbook.
    readRunbook: async (at) =>
      await (
        await import('../files/runbook.ts')
      ).runnableRunbook(at, {
        contents: packagedContents(),
        agents: agentsFolder(defaultClient),
      }),
    machine: machineOf(home),
    ai: openAi(keyFinder(process.env, home.keys)),
    clients,
    rules,
    config: configReader(home.config, ({ path }, { line, message }) =>
      log.write('warn', 'config fault', { path, line, message }),
    ),
    staleAfterSeconds: home.staleAfterSeconds,
    memoryMilliseconds: home.memoryMilliseconds,
    questionMilliseconds: home.questionMilliseconds,
    methods: methodsByName,
  }
}
