import type { Random } from '../torture/random.ts'
import { type Course, waysOf } from './course.ts'
import type { Effort } from './oracle/state.ts'
import { labelOf } from './oracle/steps.ts'
import type { Act, Move, Todo, Tool } from './scene.ts'
import { endAll, openIn, type Trail } from './trail.ts'

type Used = Extract<Tool, { kind: 'todos' | 'command' }>

/** True for a tool call, which needs an id. */
export const isTool = (what: Act | Used): what is Used => what.kind === 'todos' || what.kind === 'command'

/** A list that may lack something, or a tick by hand. */
export function todosIn(random: Random, required: readonly string[]): Act | Used {
  if (random.chance(0.3)) return { kind: 'tick', item: random.pick(required) ?? '' }
  const most = random.chance(0.6) ? 1 : 0.7
  const items = ['Other', ...required]
    .filter(() => random.chance(most))
    .map((content): Todo => ({ content, status: random.chance(0.2) ? 'completed' : 'pending' }))
  return { kind: 'todos', items }
}

/** The end of an effort, or of the patience with it. */
export const finishing = (random: Random, gives: readonly string[] = []): Act => ({
  kind: 'finish',
  gives,
  abandons: random.chance(0.6),
})

/** A plan of either kind; most of the time the agent does something else. */
export function planMoveIn(random: Random, effort: Effort): Act | Used | undefined {
  const { course, trail, approved } = effort
  if (course !== undefined && random.chance(0.75)) return moveIn(random, course, approved)
  // A loop needs many moves.
  const often = trail?.steps.some(({ next }) => next !== undefined) === true ? 0.75 : 0.3
  return trail !== undefined && random.chance(often) ? stepMoveIn(random, effort, trail) : undefined
}

/** Some plans need a phase more than their author thought. */
function subPhase(random: Random, current = '1'): string {
  const path = current.split('.')
  const last = Number(path.pop()) + 1
  const beside = [...path, last].join('.')
  const label = random.pick([`${current}.1`, `${current}.2`, path.length === 0 ? '7.1' : beside]) ?? ''
  return random.chance(0.5) ? `${label}: Dig` : label
}

/** Most agents move as the plan says and give the proof, some do not; the user allows this and that. */
function moveIn(random: Random, course: Course, approved: readonly string[]): Act | Used {
  const { stages, current, open } = course
  const here = stages.find(({ label }) => label === current)
  const chance = random.next()
  const ways = here === undefined ? { ok: open } : waysOf(course, here)
  const named = Object.keys(here?.next ?? {})
  const others = [...named, ...named, ...named, 'fail', 'skip']
  const outcome = random.chance(named.length > 0 ? 0.3 : 0.8) ? 'ok' : (random.pick(others) ?? 'ok')
  const wanted = random.pick(ways[outcome] ?? open)
  const allowed = approved.find((one) => one.startsWith('phase '))?.split(/[ :]/)[1]
  const any =
    allowed !== undefined && random.chance(0.7)
      ? allowed
      : random.pick([...stages.map(({ label }) => label), '9'])
  const isRight = random.chance(allowed === undefined ? 0.75 : 0.4)
  const fields = stages.flatMap(({ proof = [] }) => proof)
  const gives = random.chance(0.7) ? (here?.proof ?? []) : fields.filter(() => random.chance(0.2))
  if (chance < 0.08) {
    const subject = random.chance(0.5) ? any : random.pick([...fields, 'nothing'])
    return { kind: 'approve', subject: subject ?? 'nothing' }
  }
  if (chance < 0.11) return finishing(random, gives)
  const by = random.pick(['phase', 'go', 'go', 'done', 'done'] as const) ?? 'go'
  const [next, own] = [wanted ?? any ?? '1', current ?? wanted ?? any ?? '1']
  const isMore = by !== 'done' && random.chance(0.12)
  const to = isMore ? subPhase(random, current) : isRight ? (by === 'done' ? own : next) : (any ?? '1')
  const move: Move = { by, to, outcome: by === 'done' ? outcome : 'ok', gives }
  return random.chance(0.4) ? { kind: 'command', move } : { kind: 'move', move }
}

/** The same in step files, where a move may also fail or skip a step, or lead back. */
function stepMoveIn(random: Random, { skill, approved }: Effort, trail: Trail): Act | Used {
  const files = trail.steps.map(({ file }) => file)
  const here = random.pick(trail.current)
  const named = trail.steps.find(({ file }) => file === here)?.next ?? {}
  const ways = Object.keys(named)
  const outcomes = ['ok', 'ok', 'fail', 'skip', ...ways, ...ways, ...ways]
  const outcome = random.pick(outcomes) ?? 'ok'
  const allowed = approved.find((one) => one.startsWith('step '))?.slice('step '.length)
  const any = allowed !== undefined && random.chance(0.7) ? allowed : (random.pick(files) ?? '')
  const by = random.pick(['phase', 'go', 'go', 'done', 'done', 'done'] as const) ?? 'go'
  const open = [...openIn(endAll(trail)), ...(named[outcome] ?? [])]
  const spare = trail.steps.filter(({ optional }) => optional === true).map((step) => step.file)
  const own = outcome === 'skip' ? random.pick(spare) : here
  const right = by === 'done' ? (own ?? random.pick(open)) : random.pick(open)
  const file = right !== undefined && random.chance(allowed === undefined ? 0.8 : 0.4) ? right : any
  const to = random.chance(0.03) ? 'nowhere' : labelOf(skill, file)
  if (random.chance(trail.status === 'parked' ? 0.4 : 0.08)) return { kind: 'approve', subject: to }
  const move: Move = { by, to, outcome: by === 'done' ? outcome : 'ok', gives: [] }
  return random.chance(0.4) ? { kind: 'command', move } : { kind: 'move', move }
}
