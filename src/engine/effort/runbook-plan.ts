import type { Effort } from '../../model/effort.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { planOf, RUNBOOK_AGENTS } from '../../model/runbook/plan.ts'
import type { Runbook } from '../../model/runbook/runbook.ts'
import type { Skill, SkillDetails } from '../../model/skill.ts'
import type { Tx } from '../../store/query.ts'
import { digestOf } from '../call/digest.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'

/** The plan of an effort that carries out a runbook; undefined for any other. */
export async function runbookPlanOf(tx: Tx, effort: Effort): Promise<Plan | undefined> {
  const plan = (await skillOfEffort(tx, effort))?.plan ?? undefined
  return plan?.runbook === undefined ? undefined : plan
}

/** A runbook as the skill whose plan an effort keeps; its files are no files of a skill. */
export function asSkill(
  runbook: Runbook,
  { skill: name, workplace_id }: Pick<Effort, 'skill' | 'workplace_id'>,
): Skill {
  const plan = inPluginOf(name, planOf(runbook))
  return skillOf({ name, workplace_id, plan, details: detailsOf(name, plan) })
}

/** A skill without files, for an effort whose plan comes from elsewhere. */
export const skillOf = (own: Pick<Skill, 'name' | 'workplace_id' | 'plan' | 'details'>): Skill => ({
  ...own,
  id: -1,
  project_id: 0,
  diagnostics: [],
  phases: [],
  modes: {},
  templates: {},
  cmd_dependencies: [],
  next_skills: [],
  directives: [],
  updated_at: '',
  file: null,
  folder: null,
  kind: 'skill',
  scope: 'project',
  digest: digestOf(own.plan),
  description: null,
})

/** A plugin brings its agents with the skill for runbooks, and the client calls them by its name too. */
function inPluginOf(skill: string, plan: Plan): Plan {
  const [plugin, own] = skill.split(':')
  if (plugin === undefined || own === undefined) return plan
  return {
    ...plan,
    steps: plan.steps.map(({ hands, ...step }) =>
      hands === undefined
        ? step
        : {
            ...step,
            hands: RUNBOOK_AGENTS.includes(hands.agent)
              ? { ...hands, agent: `${plugin}:${hands.agent}` }
              : hands,
          },
    ),
  }
}

const detailsOf = (alias: string, plan: Plan): SkillDetails => ({
  alias,
  notation: plan.notation,
  steps: plan.steps.length,
  enforceable: true,
  errors: 0,
  warnings: 0,
  user_invocable: false,
  argument_hint: null,
  allowed_tools: [],
  required_todos: [],
  heartbeat: null,
  uses_skill_run: false,
})
