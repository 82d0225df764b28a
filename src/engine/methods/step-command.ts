import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { checkOf, commandOf, type Plan } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { quoted } from '../../model/text/line.ts'
import { findEnvironment } from '../../store/environment.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { newToken } from '../call/digest.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { moverOf, stepNamed } from '../effort/mover.ts'
import { checkCode, codeOfEffort } from '../effort/step-code.ts'
import { beginRun } from '../effort/step-command.ts'
import { aroundCaller, knownAround } from '../session/around.ts'

export const run = method({
  name: 'step.run',
  summary:
    'Begin to run the command of the current step: return it, what it reads, the folder to run it in and a token to report its result.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    step: p.name.describe('The id of the step, which must be current.'),
    ...aroundCaller,
    ...p.caller,
  }),
  prepare: async (context, wish, ask) => ({
    token: newToken(),
    code: await codeOfEffort(context, wish, ask),
  }),
  async run(tx, { step: word, sessions, processes, ...who }, call) {
    const { token, code } = call.prepared
    const mover = await moverOf(tx, who, call.context)
    const { effort, plan, progress, values } = mover
    const step = stepNamed(mover, word)
    const command = commandOf(step) ?? checkOf(step)
    if (command === undefined || !progress.current.includes(step.id))
      throw new EngineError('conflict', `Step ${quoted(step.label)} is not a command that can run now.`, {
        field: 'step',
        hint: showCommand(effort.id),
      })
    await checkCode(tx, mover, { step, code })
    const [self] = processes
    await beginRun(tx, mover, { step, token, process: self?.id }, call)
    const session =
      (await knownAround(tx, { sessions, processes }, call.context))?.session.native_id ?? undefined
    const environment = session === undefined ? undefined : await findEnvironment(tx, session)
    const visit = progress.visits[step.id]?.attempts ?? 1
    const about = { skill: effort.skill, phase: step.id, effort_id: effort.id }
    const by = session === undefined ? 'user' : 'agent'
    await call.record(tx, { event_type: 'step.run', ...about, payload: { command, visit, by } })
    return {
      effort_id: effort.id,
      step: step.id,
      visit,
      command,
      folder: (await placeOfEffort(tx, effort))?.root ?? effort.task_id,
      input: {
        effort: effort.id,
        task: effort.task_id,
        step: step.id,
        visit,
        params: only(values, plan.params),
        state: only(values, plan.state),
      },
      token,
      by,
      ...(environment && { environment }),
    }
  },
})

const only = (values: Values, fields: Plan['params'] = {}): Values =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, values[name] ?? '']))
