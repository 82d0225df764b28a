import type { HookEvent, ToolAction } from '../model/event.ts'
import { beginningCommand } from '../model/plan/fields.ts'
import { showCommand } from '../model/plan/next-action.ts'
import { callsOursAlone } from '../model/shell/our-calls.ts'
import { rule } from './rule.ts'
import { firstStepFirst } from './told/words.ts'

/** What a workflow prints first is meant to guide what is explored, so nothing may come before it. */
export const firstStepGate = rule({
  name: 'first-step-gate',
  summary: 'refuses other tools until the first step of a workflow was printed, if the workflow asks for it',
  on: ['tool.before'],
  wakes: ({ event }, { watch }) => watch.awaitsFirstStep === true && !isAside(event),
  needs: ['work'],
  judge(event, { work }) {
    if (work?.plan?.activate !== 'first' || !work.enforceable || isAside(event)) return undefined
    const { plan, effort, progress, name, folder } = work
    if (Object.keys(progress?.visits ?? {}).length > 0 || readsSkill(event, folder)) return undefined
    const command = beginningCommand(effort, plan, progress) ?? showCommand(effort.id)
    return { block: { reason: firstStepFirst(name, command), skill: name, effort: effort.id } }
  },
})

/** Our own commands print the step; other tools for the todo list or a skill change and explore nothing. */
const isAside = (event: HookEvent): boolean => event.kind === 'tool.before' && isFree(event.tool.does)

const isFree = (does: ToolAction): boolean =>
  does.kind === 'todos' || does.kind === 'skill' || (does.kind === 'command' && callsOursAlone(does.command))

/** The file of the skill itself says which command to run. */
const readsSkill = (event: HookEvent, folder: string | null): boolean =>
  event.kind === 'tool.before' &&
  event.tool.does.kind === 'files' &&
  event.tool.does.touches.every(({ path, how }) => how === 'read' && path === `${folder ?? ''}/SKILL.md`)
