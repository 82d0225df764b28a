import type { Plan } from '../../model/plan/plan.ts'
import type { Answer, World } from '../world.contract.ts'
import { planOf, putWorkflow } from './workflow.contract.ts'

const RESULT = { type: 'choice', choices: ['pass', 'fail'] } as const

/** A workflow whose first step two sub-agents do, each by a workflow of its own. */
export const familyPlan = (dispatch: object = {}, more: Partial<Plan> = {}): Plan =>
  planOf(
    [
      {
        id: 'split',
        title: 'Split up',
        dispatch: {
          count: 2,
          join: 2,
          agent: 'developer',
          workflow: 'check',
          vars: { topic: 'the {{topic}} in {{place}}' },
          returns: ['result'],
          ...dispatch,
        },
        next: { ok: ['tell'], fail: ['split'] },
      },
      { id: 'tell', next: { ok: [] } },
    ],
    {
      params: { topic: { type: 'text', default: 'logs' }, place: { type: 'text', default: 'attic' } },
      state: { result: RESULT },
      workflows: { check: CHECK },
      ...more,
    },
  )

const CHECK = planOf(
  [
    { id: 'look', actions: ['Look at {{topic}}.'], next: { ok: ['say'] } },
    { id: 'say', next: { ok: [] } },
  ],
  {
    params: { topic: { type: 'text', required: true } },
    state: { result: { ...RESULT, required: true } },
  },
)

/** An effort of a workflow at its first step, and its sub-agents. */
export async function familyOf(world: World, plan: Plan, given: object = {}) {
  const skill = await putWorkflow(world, plan)
  const { effort_id: id } = await world.call('step.start', { skill, cwd: world.project, ...given })
  const call = (method: string, said: object = {}): Promise<Answer> =>
    world.call(method, { effort_id: id, ...said })
  await call('step.enter')
  const begin = (child: number, said: object = {}): Promise<Answer> =>
    call('step.child', { workflow: 'check', child, ...said })
  const move = (effort_id: number, step: string, said: object = {}): Promise<Answer> =>
    world.call('step.leave', { effort_id, step, visit: 1, ...said })
  return {
    skill,
    id: Number(id),
    call,
    begin,
    move,
    show: () => call('step.show'),
    enter: () => call('step.enter'),
    /** Carries out the workflow of a sub-agent. */
    async finish(effort_id: number, set: object = { result: 'pass' }) {
      await world.call('step.enter', { effort_id })
      await move(effort_id, 'look')
      return await move(effort_id, 'say', { set })
    },
    giveUp: (effort_id: number): Promise<Answer> =>
      world.call('db.effort.finish', { effort_id, abandon: 'It broke' }),
    effort: (effort_id: number): Promise<Answer> => world.call('db.effort.get', { effort_id }),
  }
}
