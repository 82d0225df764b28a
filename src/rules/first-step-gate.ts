import { named } from '../model/door.ts'
import type { HookEvent } from '../model/event.ts'
import { beginningCommand } from '../model/plan/fields.ts'
import { showCommand } from '../model/plan/next-action.ts'
import { callsOursAlone, simpleCommands, wrappedWords } from '../model/shell/our-calls.ts'
import { ownName } from '../model/skill.ts'
import { rule } from './rule.ts'
import { firstStepFirst } from './told/words.ts'

/** What a workflow prints first is meant to guide what is explored, so nothing may come before it. */
export const firstStepGate = rule({
  name: 'first-step-gate',
  summary: 'refuses other tools until the first step of a workflow was printed, if the workflow asks for it',
  on: ['tool.before'],
  wakes: (_, { watch }) => watch.awaitsFirstStep === true,
  needs: ['work'],
  judge(event, { work }) {
    if (work?.plan?.activate !== 'first' || !work.enforceable || isAside(event, work.name)) return undefined
    const { plan, effort, progress, name, folder } = work
    if (Object.keys(progress?.visits ?? {}).length > 0 || readsSkill(event, folder)) return undefined
    const command = beginningCommand(effort, plan, progress) ?? showCommand(effort.id)
    return { block: { reason: firstStepFirst(name, command), skill: name, effort: effort.id } }
  },
})

/** Our own commands print the step; the todo list and a call of the skill itself explore nothing. */
function isAside(event: HookEvent, skill: string): boolean {
  if (event.kind !== 'tool.before') return false
  const { does } = event.tool
  if (does.kind === 'skill') return does.name === skill || does.name === ownName(skill)
  if (does.kind !== 'command') return does.kind === 'todos'
  return callsOursAlone(does.command) && !turnsAway(does.command, skill)
}

/** Commands by which a session turns to other work, and would come back once it has explored. */
const TURNING = new Set(
  'effort start,session activate,session continue,session start,session restart,pipeline start'.split(','),
)
const STEP_WORDS = new Set(['done', 'fail', 'skip', 'go'])

const turnsAway = (command: string, skill: string): boolean =>
  simpleCommands(command)
    .map(({ words }) => wrappedWords(words))
    .some((words) => {
      const { name, rest } = named(words.map((word) => word ?? '?'))
      const [of = '-'] = rest
      if (name !== 'step') return name === '' ? words.includes(undefined) : TURNING.has(name)
      const [called = ''] = of.split('/', 1)
      return !of.startsWith('-') && !STEP_WORDS.has(of) && called !== skill && called !== ownName(skill)
    })

/** The file of the skill itself says which command to run. */
const readsSkill = (event: HookEvent, folder: string | null): boolean =>
  event.kind === 'tool.before' &&
  event.tool.does.kind === 'files' &&
  event.tool.does.touches.every(({ path, how }) => how === 'read' && path === `${folder ?? ''}/SKILL.md`)
