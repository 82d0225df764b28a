import { type Effort, isNamedFor } from '../model/effort.ts'
import { begin, type Progress } from '../model/plan/advance.ts'
import { fullName } from '../model/plan/phase.ts'
import { type Plan, stepOf } from '../model/plan/plan.ts'
import { holdsFiles, opensLater } from '../model/plan/writes.ts'
import { isInside } from '../model/project.ts'
import { listed, quoted } from '../model/text/line.ts'
import type { NeededFacts, WrittenFile } from './facts.ts'
import { rule } from './rule.ts'
import { nextAction } from './told/next-action.ts'
import { changedOnlyFrom } from './told/words.ts'

/** A plan can say from which step on files may change, for the session and all its sub-agents. */
export const writeGate = rule({
  name: 'write-gate',
  summary: 'refuses to change a file before the step from which on the plan allows it',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ writes = [] }, { watch }) => watch.gatesWrites === true && writes.length > 0,
  needs: ['writes', 'work'],
  judge(event, { writes = [], work }) {
    if (work?.plan === undefined || !work.enforceable) return undefined
    const { plan, effort, progress = begin(plan) } = work
    const held = writes
      .filter((file) => !isNote(file, effort))
      .flatMap(({ name }) => {
        const step = opensLater(plan, progress, name)
        return step === undefined ? [] : [{ name, step }]
      })
    const [first] = held
    if (first === undefined) return undefined
    const names = new Set(held.flatMap(({ name, step }) => (step === first.step ? [name] : [])))
    const since = `${kindOf(plan)} ${quoted(fullName(plan, first.step))}`
    const what = changedOnlyFrom(listed([...names], ROOM), since, positionIn(plan, progress))
    const next = nextAction(
      { ...work, plan, progress },
      { isSubagent: event.subagent !== undefined, towards: first.step },
    )
    return { block: { reason: `${what} ${next}`, skill: work.name, effort: effort.id } }
  },
})

const ROOM = 600

/** True if a plan holds back some file, which a command with unknown writes may change. */
export const holdsBack = (work: NeededFacts['work']): boolean =>
  work?.plan !== undefined && work.enforceable && holdsFiles(work.plan, work.progress ?? begin(work.plan))

/** Notes of the effort itself are never held back; elsewhere than among the tasks, only files named for it are notes. */
const isNote = ({ path, inTasks }: WrittenFile, effort: Effort): boolean =>
  isInside(effort.task_id, path) && (inTasks || isNamedFor(effort, path.slice(effort.task_id.length + 1)))

const kindOf = ({ notation }: Plan): string => (notation === 'phases' ? 'phase' : 'step')

function positionIn(plan: Plan, { status, current }: Progress): string {
  if (status === 'parked') return 'the plan is parked'
  const names = current.flatMap((id) => {
    const step = stepOf(plan, id)
    return step === undefined ? [] : [quoted(fullName(plan, step))]
  })
  return names.length === 0 ? `no ${kindOf(plan)} is current` : `it is ${listed(names, ROOM)}`
}
