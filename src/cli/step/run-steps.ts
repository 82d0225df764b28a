import type { Standing } from '../../engine/effort/mover.ts'
import { EngineError } from '../../model/error.ts'
import type { Remote } from '../daemon/remote.ts'
import { callerAround } from '../daemon/sessions-around.ts'
import { identityOf } from '../frame/caller.ts'
import type { Io } from '../frame/io.ts'
import { runStep, type StepResult, type StepRun } from './run-step.ts'

/** A check can be a script; the ledger and the skill have all of it. */
const LONGEST_SHOWN = 160

const shortly = (command: string): string =>
  command.length <= LONGEST_SHOWN ? command : `${command.slice(0, LONGEST_SHOWN).toWellFormed()}…`

/** Runs the steps that are commands, until one is left to the caller or fails; each result is stored before the next. */
export async function runSteps(
  io: Io,
  remote: Remote,
  {
    standing: first,
    values,
  }: { readonly standing: Standing; readonly values: Readonly<Record<string, string>> },
): Promise<Standing> {
  const who = identityOf(io, values)
  let standing = first
  while (standing.runs && standing.held == null) {
    const [step = ''] = standing.current
    const about = { effort_id: standing.effort_id, step, ...who }
    const run = await remote.call<StepRun>('step.run', { ...about, ...callerAround(io.env) })
    io.note(`holdfast: ${shortly(run.command)} (in ${run.folder})`)
    const result: StepResult = io.plays === undefined ? await runStep(io, run) : io.plays.step(run)
    const stored = await store(remote, { ...about, visit: run.visit, token: run.token }, result)
    standing = stored.standing
    if (stored.failed === undefined) continue
    io.note(`holdfast: step ${step} failed: ${stored.failed}`)
    // Only another print tries a command again.
    if (standing.current.includes(step)) break
  }
  return standing
}

/** A result that the plan has no place for is a failure of the command. */
async function store(
  remote: Remote,
  about: object,
  result: StepResult,
): Promise<{ readonly standing: Standing; readonly failed?: string }> {
  try {
    const standing = await remote.call<Standing>('step.leave', { ...about, ...result })
    return result.outcome === 'fail' ? { standing, failed: result.reason ?? 'It says so.' } : { standing }
  } catch (error) {
    const isResult = error instanceof EngineError && ['refused', 'invalid'].includes(error.code)
    if (!isResult || result.outcome === 'fail') throw error
    const reason = error.message
    const standing = await remote.call<Standing>('step.leave', { ...about, outcome: 'fail', reason })
    return { standing, failed: reason }
  }
}
