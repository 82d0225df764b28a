import type { Attempt, CrashRecord } from './crash-record.ts'
import { type Model, type Timed, unexplained } from './linear.ts'

export type FileOp = { readonly key: string; readonly text: string } | 'read'
/** Where a text was appended, or what was read. */
export type FileAnswer = { readonly offset: number } | { readonly content: string }
interface FileState {
  readonly content: string
  readonly offsets: ReadonlyMap<string, number>
}

/** A file to which each key appends once; a repeated key has the first answer. Texts are ASCII. */
export const fileModel: Model<FileState, FileOp, FileAnswer> = {
  initial: { content: '', offsets: new Map() },
  apply(state, op, answer) {
    if (op === 'read') return isAnswer(answer, { content: state.content }) ? state : undefined
    const known = state.offsets.get(op.key)
    const offset = known ?? state.content.length
    if (!isAnswer(answer, { offset })) return undefined
    if (known !== undefined) return state
    return { content: state.content + op.text, offsets: new Map([...state.offsets, [op.key, offset]]) }
  },
  // A file only grows.
  isOver({ content, offsets }, op, answer) {
    if (answer === undefined) return op === 'read' || offsets.has(op.key)
    if (op === 'read') return 'content' in answer && !answer.content.startsWith(content)
    if (!('offset' in answer)) return false
    const known = offsets.get(op.key)
    return known === undefined ? answer.offset < content.length : answer.offset !== known
  },
  nameOf: ({ content }) => content,
}

export type RegisterOp = { readonly key: string; readonly value: string } | 'read'
interface RegisterState {
  readonly value: string | null
  readonly keys: ReadonlySet<string>
}

/** A value that each key sets once; a repeated key changes nothing. */
export const registerModel: Model<RegisterState, RegisterOp, string | null> = {
  initial: { value: null, keys: new Set() },
  apply(state, op, answer) {
    if (op === 'read') return isAnswer(answer, state.value) ? state : undefined
    if (!isAnswer(answer, op.value)) return undefined
    return state.keys.has(op.key) ? state : { value: op.value, keys: new Set([...state.keys, op.key]) }
  },
  isOver: ({ keys }, op, answer) => answer === undefined && (op === 'read' || keys.has(op.key)),
  nameOf: ({ value, keys }) => `${value} ${[...keys].toSorted().join()}`,
}

const isAnswer = (answer: unknown, expected: unknown): boolean =>
  answer === undefined || JSON.stringify(answer) === JSON.stringify(expected)

interface Task {
  readonly dir_path: string
  readonly title: string | null
}

/** Each file and each title of a task has answered as if one call came after the other. */
export function checkOrder(record: CrashRecord, files: readonly string[], tasks: readonly string[]): void {
  const report = (name: string, stuck: readonly Timed<unknown, unknown>[] | undefined) => {
    if (stuck !== undefined) record.report('order', `${name}: ${JSON.stringify(stuck.slice(0, 5))}`)
  }
  for (const path of files) report(path, unexplained(historyOf(path, record.attempts), fileModel))
  for (const dir of tasks) report(dir, unexplained(titlesOf(dir, record.attempts), registerModel))
}

function historyOf(path: string, attempts: readonly Attempt[]): readonly Timed<FileOp, FileAnswer>[] {
  return attempts
    .filter(({ method, params }) => method.startsWith('fs.files.') && params['path'] === path)
    .map(({ key, method, params, value, ...times }) => {
      const { offset, content } = (value ?? {}) as { readonly offset?: number; readonly content?: string }
      if (method === 'fs.files.read')
        return { ...times, op: 'read', answer: content === undefined ? undefined : { content } }
      const op = { key, text: String(params['content']) }
      return { ...times, op, answer: offset === undefined ? undefined : { offset } }
    })
}

function titlesOf(dir: string, attempts: readonly Attempt[]): readonly Timed<RegisterOp, string | null>[] {
  return attempts.flatMap(({ key, method, params, value, ...times }): Timed<RegisterOp, string | null>[] => {
    if (method === 'db.task.list') {
      const found = (value as readonly Task[] | undefined)?.find((task) => task.dir_path === dir)
      return [{ ...times, op: 'read', answer: found?.title }]
    }
    if (method !== 'db.task.upsert' || params['dir_path'] !== dir) return []
    const op = { key, value: String(params['title']) }
    return [{ ...times, op, answer: (value as Task | undefined)?.title }]
  })
}
