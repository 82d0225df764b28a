import type { Block, Deciding, Gate, Review, Step } from '../../../model/plan/plan.ts'
import { isVariableName, STEP_FIELDS } from '../../../model/plan/step-fields.ts'
import { faultsOfBlock } from '../../../model/workflow/block-fields.ts'
import { isTextName } from '../../../model/workflow/texts.ts'
import { given, oneLine, TITLE, WORD, WORDS } from '../../text/typed-fields.ts'
import { isRecord } from '../../text/values.ts'
import { type At, readerAt, tell } from './at.ts'
import { type Instructed, readDispatch } from './dispatch.ts'
import { ACTIONS, ANYTHING, listOf, RECORD, valueText } from './kinds.ts'

/** The fields that only a workflow has; `STEP_FIELDS` has those of every notation. */
const STEP_KEYS = [
  'id',
  'title',
  'phase',
  'actions',
  'onError',
  'proof',
  'consumes',
  'produces',
  'decides',
  'run',
  'review',
  'gate',
  ...STEP_FIELDS,
]
const MOST_DECISIONS = 50
const LONGEST_COMMAND = 2000

/** A step as far as it was read: what every notation says of it is in `written`. */
export interface ReadStep {
  readonly step: Step
  readonly written: unknown
  readonly instructed: Instructed
}

export function readStep(value: unknown, index: number, workflow: At): ReadStep | undefined {
  const id = isRecord(value) ? value['id'] : undefined
  const name = WORD.is(id) ? `Step ${id}` : `Step ${index + 1} of the list`
  const at = { ...workflow, name, place: workflow.places.step(id, workflow.place) }
  const fields = readerAt(at, value, STEP_KEYS)
  const [word, title] = [fields.must('id', WORD), fields.must('title', TITLE)]
  const phase = fields.may('phase', TITLE)
  const actions = readActions(fields.may('actions', ACTIONS), at)
  const onError = fields.may('onError', WORD)
  const [proof = [], consumes = [], produces = []] = (['proof', 'consumes', 'produces'] as const).map((key) =>
    fields.may(key, WORDS),
  )
  const decides = readDecisions(fields.may('decides', listOf('outcomes', MOST_DECISIONS)), at)
  const run = readCommand(fields.may('run', TITLE), at)
  const [review, gate] = [
    readReview(fields.may('review', RECORD), at),
    readGate(fields.may('gate', RECORD), at),
  ]
  const sent = fields.may('dispatch', ANYTHING)
  const { shape, more } = readDispatch(sent, at)
  if (run !== undefined && sent !== undefined)
    tell(at, `${name}: a step has either run or dispatch; make two steps of it.`)
  if (word !== undefined && !isStepId(word))
    tell(at, `${name}: id must not begin with -, nor be __proto__, because commands name the step by it.`)
  if (word === undefined || title === undefined) return undefined
  return {
    written: sent === undefined ? value : { ...(value as object), dispatch: shape },
    instructed: more,
    step: {
      id: word,
      label: word,
      title: oneLine(title),
      ...(phase !== undefined && { phase: oneLine(phase) }),
      ...(actions !== undefined && { actions }),
      optional: false,
      consumes,
      produces,
      proof,
      ...(onError !== undefined && { onError }),
      ...(decides !== undefined && { decides }),
      ...(run !== undefined && { run }),
      ...(review !== undefined && { review }),
      ...(gate !== undefined && { gate }),
      place: at.place,
    },
  }
}

/** A command would take such a word for a flag; no object keeps a value of `__proto__`. */
const isStepId = (word: string): boolean => !word.startsWith('-') && word !== '__proto__'

function readActions(actions: Step['actions'], at: At): Step['actions'] {
  for (const action of actions ?? []) if (typeof action !== 'string') judgeBlock(action, at)
  return actions
}

function judgeBlock(block: Block, at: At): void {
  const { block: name, name: text } = block
  const faults = faultsOfBlock(block)
  for (const { field, wanted } of faults)
    tell(
      at,
      field === null
        ? `${at.name}: ${given(name)} is no block; write ${wanted}.`
        : `${at.name}: ${field} of the block ${name} must be ${wanted}, not ${given(block[field])}.`,
    )
  const isText = name === 'convention' || name === 'resource'
  if (faults.length === 0 && isText && !isTextName(text))
    tell(
      at,
      `${at.name}: ${name} must be the name of a file without .md, such as plan-format, not ${given(text)}.`,
    )
}

function readDecisions(list: readonly unknown[] | undefined, at: At): Step['decides'] {
  if (list === undefined) return undefined
  return Array.from(list).flatMap((value, index) => {
    const one = { ...at, name: `${at.name}: decision ${index + 1}` }
    const fields = readerAt(one, value, ['when', 'outcome'])
    const outcome = fields.must('outcome', WORD)
    const when = readWhen(fields.may('when', RECORD), one)
    return outcome === undefined ? [] : [{ outcome, ...(when !== undefined && { when }) }]
  })
}

function readWhen(value: Readonly<Record<string, unknown>> | undefined, at: At): Deciding['when'] {
  if (value === undefined) return undefined
  const pairs = Object.entries(value).map(([name, wanted]) => {
    const values = (Array.isArray(wanted) ? Array.from(wanted as unknown[]) : [wanted]).map(valueText)
    const known = values.filter((one) => one !== undefined)
    const isSound = isVariableName(name) && known.length > 0 && known.length === values.length
    if (!isSound)
      tell(
        at,
        `${at.name}: when must be values such as {confidence: ["high", "certain"]}, not ${given(wanted)}.`,
      )
    return [name, Array.isArray(wanted) ? known : (known[0] ?? '')] as const
  })
  return Object.fromEntries(pairs)
}

function readCommand(run: string | undefined, at: At): string | undefined {
  if (run !== undefined && run.length > LONGEST_COMMAND)
    tell(
      at,
      `${at.name}: run has ${run.length} characters; the most are ${LONGEST_COMMAND}. Put it into a script.`,
    )
  return run
}

function readReview(value: unknown, at: At): Review | undefined {
  if (value === undefined) return undefined
  const fields = readerAt({ ...at, name: `${at.name}: review` }, value, ['name', 'gate'])
  const [name, gate] = [fields.must('name', TITLE), fields.must('gate', WORD)]
  return name === undefined || gate === undefined ? undefined : { name: oneLine(name), gate }
}

function readGate(value: unknown, at: At): Gate | undefined {
  if (value === undefined) return undefined
  const fields = readerAt({ ...at, name: `${at.name}: gate` }, value, GATE_KEYS)
  const [name, message] = [fields.must('name', TITLE), fields.must('message', TITLE)]
  const [review, work, fix] = (['review', 'work', 'fix'] as const).map((key) => fields.must(key, WORD))
  if (name === undefined || message === undefined) return undefined
  if (review === undefined || work === undefined || fix === undefined) return undefined
  return { name: oneLine(name), review, work, message, fix }
}

const GATE_KEYS = ['name', 'review', 'work', 'message', 'fix']
