import type { Dispatch } from '../../../model/plan/plan.ts'
import { isVariableName, MOST_SUBAGENTS } from '../../../model/plan/step-fields.ts'
import { type At, readerAt, tell } from './at.ts'
import { ANYTHING, listOf, TEXTS_BY_NAME } from './kinds.ts'
import { oneLine, TITLE, WORD, WORDS } from '../../text/typed-fields.ts'
import { isRecord } from '../../text/values.ts'

const DISPATCH_KEYS = [
  'agent',
  'workflow',
  'count',
  'join',
  'instruction',
  'vars',
  'model',
  'returns',
  'each',
]
const MOST_EACH = 100

/** What a workflow says of its sub-agents besides their number. */
export type Instructed = Omit<Dispatch, 'count' | 'join'>

/** The sub-agents of a step: what every notation says of them, still unread, and what only a workflow says. */
export interface ReadDispatch {
  readonly shape: unknown
  readonly more: Instructed
}

export function readDispatch(value: unknown, step: At): ReadDispatch {
  if (!isRecord(value)) return { shape: value, more: {} }
  const at = { ...step, name: `${step.name}: dispatch` }
  const fields = readerAt(at, value, DISPATCH_KEYS)
  const [agent, workflow, model] = (['agent', 'workflow', 'model'] as const).map((key) =>
    fields.may(key, WORD),
  )
  const instruction = fields.may('instruction', TITLE)
  const vars = fields.may('vars', TEXTS_BY_NAME)
  const returns = fields.may('returns', WORDS)
  const each = readEach(fields.may('each', listOf('sub-agents', MOST_EACH)), at)
  const [count, join] = [fields.may('count', ANYTHING), fields.may('join', ANYTHING)]
  const countOf = typeof count === 'string' && isVariableName(count) ? count : undefined
  if (each !== undefined && count !== undefined && count !== each.length)
    tell(at, `${at.name}: leave out count, because each names ${each.length} sub-agents.`)
  return {
    shape: {
      count: countOf === undefined ? (each?.length ?? count ?? 1) : MOST_SUBAGENTS,
      ...(join !== undefined && { join }),
    },
    more: {
      ...(countOf !== undefined && { countOf }),
      ...(agent !== undefined && { agent }),
      ...(workflow !== undefined && { workflow }),
      ...(instruction !== undefined && { instruction }),
      ...(vars !== undefined && { vars }),
      ...(model !== undefined && { model }),
      ...(returns !== undefined && { returns: [...new Set(returns)] }),
      ...(each !== undefined && { each }),
    },
  }
}

function readEach(list: readonly unknown[] | undefined, at: At): Dispatch['each'] {
  const read = Array.from(list ?? [], (value, index) => {
    const fields = readerAt({ ...at, name: `${at.name}: sub-agent ${index + 1}` }, value, EACH_KEYS)
    const [id = '', title = ''] = [fields.must('id', WORD), fields.must('title', TITLE)]
    return { id, title: oneLine(title), task: fields.must('task', TITLE) ?? '' }
  })
  if (new Set(read.map(({ id }) => id)).size < read.length) tell(at, `${at.name}: each has two of one id.`)
  return list === undefined ? undefined : read
}

const EACH_KEYS = ['id', 'title', 'task']
