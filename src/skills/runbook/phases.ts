import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import {
  DEFAULT_MAX_TURNS,
  pathIn,
  type RunbookItem,
  type RunbookModel,
  type RunbookPhase,
  runbookAgent,
  type RunbookRole,
} from '../../model/runbook/runbook.ts'
import { idWords } from '../series/entry.ts'
import { idGiver, slug } from '../text/text.ts'
import { partsOf, sortOf } from './cycle.ts'
import { fieldsIn, modelIn, textIn } from './fields.ts'
import { itemFields, modelOr } from './item-fields.ts'
import { readPhaseHeader } from './phase-header.ts'
import {
  nameOf,
  placeOfItem,
  placeOfPhase,
  type Sections,
  type WrittenItem,
  type WrittenPhase,
} from './sections.ts'

/** What the phases of a runbook get from it. */
interface Around {
  readonly name: string
  readonly folder: string
  readonly model: RunbookModel | undefined
  /** Whether phases without steps are inline by the frontmatter. */
  readonly isInline: boolean
}

/** Makes phases and items of what is written. */
export function readPhases(
  { phases }: Sections,
  around: Around,
): { readonly phases: readonly RunbookPhase[]; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const ids = new Map<string, Place>()
  const give = idGiver()
  const read = phases.map((written): RunbookPhase => {
    const { items, intro } = written
    const { phase, isInline, diagnostics: told } = headerOf(written, around)
    diagnostics.push(...told)
    if (isInline && items.length === 0) {
      const item = inlineItem(phase, written)
      // Two headers with one number are told elsewhere.
      return { ...phase, type: 'inline', context: '', items: [{ ...item, id: give(item.id) }] }
    }
    return {
      ...phase,
      type: items.some(({ kind }) => kind === 'cycle') ? 'tdd' : 'general',
      context: textIn(intro),
      items: items.flatMap((item) => {
        const { base, made, diagnostics: faults } = itemsOf(item, phase, around)
        diagnostics.push(...faults)
        const place = placeOfItem(item)
        const taken = ids.get(base)
        if (taken === undefined) ids.set(base, place)
        else
          diagnostics.push(diagnose('HF402', place, `${nameOf(item)} is already at ${where(taken, place)}.`))
        return made
      }),
    }
  })
  return { phases: merged(read).filter(({ items }) => items.length > 0), diagnostics }
}

type Head = Pick<RunbookPhase, 'number' | 'title' | 'model' | 'place'>

function headerOf(written: WrittenPhase, around: Around) {
  const { number, header, part, intro, items } = written
  const [first] = items
  const told = readPhaseHeader(part, header)
  const field = fieldsIn(intro).get('model')
  const model = told.model ?? (field === undefined ? undefined : modelIn(field.value))
  const isInline = told.type === 'inline' || (around.isInline && first === undefined)
  const place = placeOfPhase(written)
  const phase: Head = { number, title: told.title, ...modelOr(model), place }
  const message = `Phase ${number} is inline, so this step in it would have no agent.`
  const faults = isInline && first !== undefined ? [diagnose('HF417', placeOfItem(first), message)] : []
  return { phase, isInline, diagnostics: [...told.diagnostics, ...faults] }
}

/** The item of a phase that the orchestrator does itself. */
function inlineItem({ number, title, place }: Head, { intro, header }: WrittenPhase): RunbookItem {
  const heading = header === undefined ? '' : (intro.part.source.lines[header.line - 1] ?? '').trim()
  return {
    kind: 'inline',
    number: String(number),
    title,
    id: `inline-${number}`,
    phase: number,
    maxTurns: DEFAULT_MAX_TURNS,
    text: [heading, textIn(intro)].filter((text) => text !== '').join('\n\n'),
    place,
  }
}

/** The items of one step or cycle: a cycle with RED and GREEN is done by several agents. */
function itemsOf(written: WrittenItem, phase: Head, { name, folder, model }: Around) {
  const { kind, entry, lines } = written
  const base = `step-${slug(idWords(entry.number), '0')}`
  const place = placeOfItem(written)
  const { values, report, diagnostics } = itemFields(written, phase.model ?? model, place)
  const one = (id: string, role: RunbookRole, text: string): RunbookItem => ({
    kind,
    number: entry.number,
    title: entry.title,
    id,
    phase: phase.number,
    ...values,
    reportPath: report ?? pathIn({ folder }, `reports/${id}.md`),
    agent: runbookAgent(name, role),
    text,
    place,
  })
  const sort = kind === 'cycle' ? sortOf(entry.number, entry.title) : undefined
  const parts = sort === 'full' ? [...partsOf(lines)] : []
  const made = parts.map(([part, of]): RunbookItem => {
    const role = part === 'test' ? 'tester' : 'implementer'
    return { ...one(`${base}-${part}`, role, of.map(textIn).join('\n\n')), part }
  })
  // A cycle without its sections is reported, and must not vanish.
  const whole = () => one(base, sort === 'regression' ? 'tester' : 'task', textIn(lines))
  return { base, made: made.length > 0 ? made : [whole()], diagnostics }
}

const where = (there: Place, here: Place): string =>
  there.file === here.file ? `line ${there.line}` : `${there.file}:${there.line}`

/** Of phases that become one, the first of these counts. */
const TYPES = ['tdd', 'general'] as const

/** Two headers in a row with the same number are one phase. */
function merged(phases: readonly RunbookPhase[]): readonly RunbookPhase[] {
  const runs: (readonly [RunbookPhase, ...RunbookPhase[]])[] = []
  let run: [RunbookPhase, ...RunbookPhase[]] | undefined
  for (const phase of phases)
    if (run?.[0].number === phase.number) run.push(phase)
    else runs.push((run = [phase]))
  return runs.map((all) => {
    const [first] = all
    if (all.length === 1) return first
    const contexts = all.map(({ context }) => context).filter((text) => text !== '')
    return {
      ...first,
      type: TYPES.find((type) => all.some((one) => one.type === type)) ?? first.type,
      context: contexts.join('\n\n'),
      items: all.flatMap(({ items }) => items),
    }
  })
}
