import { readFileSync } from 'node:fs'
import { packagedOverlays } from '../../scripts/packaged-overlays.ts'
import { begin } from '../../src/model/plan/advance.ts'
import type { Plan } from '../../src/model/plan/plan.ts'
import { opensLater } from '../../src/model/plan/writes.ts'
import { readSkill, type SkillInput } from '../../src/skills/skill-md.ts'
import type { Made } from '../obedient/made.ts'

/** An overlay with our own text that has the headings it names. */
export interface Packaged {
  /** Its file without the ending: `feature-dev@increments`. */
  readonly key: string
  readonly skill: string
  readonly file: string
  readonly text: string
  readonly skeleton: string
}

/** All overlays of the package. */
export const PACKAGED: readonly Packaged[] = packagedOverlays().map(({ skill, file, text }) => {
  const key = file.replace(/\.yaml$/, '')
  return {
    key,
    skill,
    file,
    text,
    skeleton: readFileSync(new URL(`skeletons/${key}.md`, import.meta.url), 'utf8'),
  }
})

/** The skeleton as a skill without a plan of its own. */
export const asSkill = ({ skill, skeleton }: Packaged): SkillInput => ({
  kind: 'skill',
  id: skill,
  folder: skill,
  file: `${skill}/SKILL.md`,
  text: skeleton,
  others: new Map(),
})

/** The skeleton as it is read with its overlay in force. */
export const readWith = (one: Packaged) =>
  readSkill({ ...asSkill(one), overlay: { file: one.file, text: one.text } })

export function planOf(one: Packaged): Plan {
  const { plan } = readWith(one).definition
  if (plan === undefined) throw new Error(`${one.key} gives no plan.`)
  return plan
}

/** Files that a hurried agent would like to change; the first that the plan holds back counts. */
const WISHED = ['src/app.ts', 'VERSION', 'notes.md', 'skills/new/SKILL.md']

/** A file that the plan holds back at its beginning. */
export const heldBy = (plan: Plan): string | undefined =>
  WISHED.find((name) => opensLater(plan, begin(plan), name) !== undefined)

/** A way of a plan by another outcome than success. */
export interface Way {
  readonly from: string
  readonly outcome: string
  /** The label of the step that follows; undefined at the end of the plan. */
  readonly to: string | undefined
  /** True if it leads to an earlier step, or to the same one. */
  readonly isBack: boolean
}

/** All ways of a plan by other outcomes than success. */
export function waysIn({ steps }: Plan): readonly Way[] {
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  return steps.flatMap((from, at) =>
    Object.entries(from.next ?? {})
      .filter(([outcome]) => outcome !== 'ok' && outcome !== 'skip')
      .map(([outcome, [target]]) => {
        const place = target === undefined ? undefined : places.get(target)
        const to = place === undefined ? undefined : steps[place]?.label
        return { from: from.label, outcome, to, isBack: place !== undefined && place <= at }
      }),
  )
}

/** The same overlay with limits of 2, because a walk of fifty rounds shows nothing more. */
export const impatient = (one: Packaged): Packaged => ({
  ...one,
  text: one.text.replaceAll(/\blimit: \d+/g, 'limit: 2'),
})

/** A project whose skill has the overlay in force, for the agents of random plans. */
export function madeFrom(one: Packaged): Made {
  const plan = planOf(one)
  const held = heldBy(plan)
  return {
    files: {
      [`.claude/skills/${one.skill}/SKILL.md`]: one.skeleton,
      [`.holdfast/skills/${one.skill}.yaml`]: one.text,
      'src/app.ts': 'a',
    },
    mode: undefined,
    steps: plan.steps.map(({ label, proof, dispatch, writes }) => ({
      name: label,
      after: [],
      owes: proof.length > 0 || dispatch !== undefined,
      owesTwice: proof.length > 0 && dispatch !== undefined,
      ...(writes !== undefined && held !== undefined && { writes: held }),
    })),
    loop: undefined,
  }
}
