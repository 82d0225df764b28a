import { stringify } from 'yaml'
import type { Definition, Parsed } from '../model/plan/definition.ts'
import { isEnforceable } from '../model/plan/validate.ts'
import type { Plan, Step } from '../model/plan/plan.ts'
import { shortTitle, titleOf } from './anchors.ts'
import { flowPhases, type WrittenPhase } from './flow-phases.ts'
import { readFlowchart } from './flowchart.ts'
import type { SkillSource } from './notations/frontend.ts'
import { entryOf } from './series/entry.ts'
import { readSkill, type SkillInput, sourceOf } from './skill-md.ts'
import type { Block } from './text/markdown.ts'
import { slug } from './text/text.ts'

/** An overlay that could hold a skill. */
export interface Proposal {
  /** What the plan comes from. */
  readonly from: 'package' | 'headings' | 'files' | 'drawing'
  readonly text: string
  /** The skill as it is read with this overlay. */
  readonly parsed: Parsed
}

interface Overlay {
  readonly from: Proposal['from']
  readonly values: Readonly<Record<string, unknown>>
}

/** The best overlay for a skill: one of the package that fits its text, or else one from its own structure. */
export function propose(input: SkillInput, packaged: readonly string[]): Proposal | undefined {
  const { overlay: _, ...bare } = input
  const { definition } = readSkill(bare)
  if (definition.plan?.explicit === true) return undefined
  const ready = packaged.map((text) => ({ from: 'package' as const, text }))
  const made = fromText(sourceOf(bare), definition)
  const own = made === undefined ? [] : [{ from: made.from, text: written(definition.id, made) }]
  for (const { from, text } of [...ready, ...own]) {
    const parsed = readSkill({ ...bare, overlay: { file: `${definition.id}.yaml`, text } })
    if (isSound(parsed)) return { from, text, parsed }
  }
  return undefined
}

/** An overlay must refuse from the beginning, and give no cause for a diagnostic of its own. */
function isSound({ definition: { plan, id }, diagnostics }: Parsed): boolean {
  return (
    plan !== undefined &&
    isEnforceable(plan, diagnostics) &&
    (plan.faulty ?? []).length === 0 &&
    diagnostics.every(({ file, severity }) => file !== `${id}.yaml` || severity === 'info')
  )
}

function fromText(source: SkillSource, definition: Definition): Overlay | undefined {
  const { plan } = definition
  if (plan?.notation === 'steps') return { from: 'files', values: fromFiles(plan) }
  const phases = plan === undefined ? fromDrawing(source) : plan.steps.map(toPhase(source))
  if (phases.length < 2) return undefined
  const proof = plan === undefined ? [] : closingChecks(source.blocks, definition, plan)
  const last = phases.length - 1
  return {
    from: plan === undefined ? 'drawing' : 'headings',
    values: {
      ...(!ASKS.test(source.main.text) && { hold: 'stop' }),
      phases: phases.map((phase, index) =>
        index === last && proof.length > 0 ? { ...phase, proof } : phase,
      ),
    },
  }
}

/** A turn of a skill that asks its user often has to end before the plan does. */
const ASKS =
  /AskUserQuestion|\b(ask|asking|wait for|confirm with|check with|approval (of|from)|approved by) (the |your )?(user|human|partner|approval|confirmation)|one question at a time/i

/** Reading its files in order is all that such a plan asks. */
const fromFiles = ({ steps }: Plan) => ({
  gate: 'visited',
  steps: Object.fromEntries(steps.map(({ id }) => [id, {}])),
})

const toPhase =
  ({ blocks, main }: SkillSource) =>
  (step: Step, index: number): WrittenPhase => {
    const block = blocks.find(({ line }) => line === step.place.line && step.place.file === main.file)
    const title = block === undefined ? shortTitle(step.title) : titleOf(block)
    return {
      label: String(index + 1),
      name: nameFrom(title) === '' ? step.label : nameFrom(title),
      ...(title !== '' && { heading: title }),
      ...(step.optional && { optional: true }),
      ...(step.only !== undefined && { only: step.only }),
    }
  }

/** A title without its number and its marks, for people. */
const nameFrom = (title: string): string =>
  (entryOf(title)?.title ?? title)
    .replace(/\s*\((optional|full only|quick only)\)\s*$/i, '')
    .replace(/[:.\s]+$/, '')

/** The first drawing of a process; other drawings show how something is built. */
function fromDrawing({ blocks }: SkillSource): readonly WrittenPhase[] {
  let heading: string | undefined
  for (const block of blocks) {
    if (block.kind === 'heading') heading = block.text
    if (
      block.kind !== 'fence' ||
      heading === undefined ||
      !/\b(process|workflow|flow|cycle|loop|steps)\b/i.test(heading)
    )
      continue
    const chart = readFlowchart(block.language, block.content)
    const title = shortTitle(heading)
    if (chart !== undefined) return flowPhases(chart).map((phase) => ({ ...phase, heading: title }))
  }
  return []
}

const CLOSING =
  /\b(verif\w*|check ?list|definition of done|before (you )?(complet|finish|commit|claim)\w*|quality gates?|success criteria)\b/i
const MOST_CHECKS = 8

/** The check boxes of a closing section that follows the last step: each is something to prove. */
function closingChecks(blocks: readonly Block[], { checks }: Definition, { steps }: Plan): readonly string[] {
  const last = Math.max(...steps.map(({ place }) => place.line))
  const heading = blocks.findLast(
    (block) => block.kind === 'heading' && block.line > last && CLOSING.test(block.text),
  )
  if (heading === undefined) return []
  const end = blocks.find((block) => block.kind === 'heading' && block.line > heading.line)?.line ?? Infinity
  const names = checks
    .filter(({ line }) => line > heading.line && line < end)
    .map(({ text }) => slug(text, '').split('-').slice(0, 6).join('_'))
  const known = [...new Set(names)].filter((name) => /^[a-z]/.test(name))
  return known.length > MOST_CHECKS ? [] : known
}

/** The text of the overlay, with its purpose and its removal for people who find it. */
const written = (id: string, { values }: Overlay): string =>
  `# The plan of the skill ${id.replaceAll(/\s/g, ' ')}, proposed by Holdfast from its own text. Edit it as you like.
# Each heading must stay in the skill; if it goes, this plan is only a guide.
${stringify(values, { lineWidth: 0 })}`
