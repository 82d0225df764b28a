import type { SkillFacts, TouchedSkill } from '../../../rules/facts.ts'
import type { Tx } from '../../../store/query.ts'
import { keepersAmong } from '../keepers.ts'
import type { Scene } from '../scene.ts'
import { skillFacts } from '../session-skill.ts'
import { skillsRead } from '../skills-read.ts'
import type { Loader } from './loader.ts'

/** The files of skills that the event reads, without steps of which an answer showed nothing. */
export const touched: Loader<'touched'> = {
  looks: ['files', 'records', 'shown'],
  async load(tx, scene) {
    const found = await touchedBy(tx, scene.looked.reads, scene)
    return found.flatMap((one) => {
      const seen = seenOf(one, scene)
      if (seen === undefined) return [one]
      const isShown = seen.total === 0 || seen.missing.length < seen.total
      return isShown ? [{ ...one, seen }] : []
    })
  },
}

/** What the event shows of a step, as far as somebody looked. */
export const seenOf = ({ skill, step }: TouchedSkill, { looked }: Scene): TouchedSkill['seen'] => {
  const file = skill.plan?.steps.find(({ id }) => id === step)?.place.file
  return file === undefined ? undefined : looked.shown?.get(file)
}

/** The files of skills that these paths name. */
export async function touchedBy(
  tx: Tx,
  reads: readonly string[],
  scene: Scene,
): Promise<readonly TouchedSkill[]> {
  const known = new Map<string, SkillFacts>()
  const found: TouchedSkill[] = []
  const spans = () => scene.fact('spans')
  const open = async () => (await spans()).map(({ skill }) => skill)
  const { effort_id: own } = scene.window.session
  const keepers = async () => await keepersAmong(tx, [...(await spans()).map((span) => span.effort_id), own])
  for (const { path, skill, steps } of await skillsRead(tx, reads, {
    project: scene.project,
    open,
    keepers,
  })) {
    const facts = known.get(skill.name) ?? (await skillFacts(tx, skill, scene))
    known.set(skill.name, facts)
    const named = steps.length === 0 ? [undefined] : steps
    found.push(...named.map((step) => ({ path, skill: facts, step })))
  }
  return found
}
