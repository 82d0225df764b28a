import type { HookEvent } from '../../../model/event.ts'
import { type PhaseCall, phaseCallsIn } from '../../../model/shell/phase-call.ts'
import type { PhaseMention } from '../../../model/subject.ts'
import type { Context } from '../../call/context.ts'
import type { Look } from './look.ts'

/** The phase move in a shell command. */
export const phase: Look = {
  find: ({ context, event }) => phaseMentionIn(context, event)?.then((found) => ({ phase: found })),
}

const PROGRAM = /\b(holdfast|engine)\b/

/** Two expressions, because a combined one takes quadratic time on long commands. */
const mentionsPhase = (command: string): boolean =>
  (command.includes('phase') || command.includes('step')) && PROGRAM.test(command)

/** Before a command only clear phase moves count, after it any possible one. */
function phaseMentionIn(context: Context, event: HookEvent): Promise<PhaseMention> | undefined {
  if (event.kind !== 'tool.before' && event.kind !== 'tool.after') return undefined
  const { does } = event.tool
  if (event.subagent !== undefined || does.kind !== 'command' || !mentionsPhase(does.command))
    return undefined
  const calls = phaseCallsIn(does.command, event.cwd)
  if (event.kind === 'tool.after') return event.tool.ended ? mentioned(context, calls.at(-1)) : undefined
  const call = calls.find(({ isFirst, isSpecial }) => isFirst && !isSpecial)
  return call === undefined ? undefined : mentioned(context, call)
}

const mentioned = async (context: Context, call: PhaseCall | undefined): Promise<PhaseMention> => ({
  call: await canonical(context, call),
})

async function canonical({ files }: Context, call: PhaseCall | undefined): Promise<PhaseCall | undefined> {
  if (call?.effort.kind !== 'task') return call
  const { folder } = call.effort
  // A missing folder is not a task.
  return { ...call, effort: { kind: 'task', folder: await files.canonical(folder).catch(() => folder) } }
}
