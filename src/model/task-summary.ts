import { type Effort, wordsOf } from './effort.ts'
import { EngineError } from './error.ts'
import type { QueueItem } from './queue.ts'
import { resultInShort } from './result.ts'
import type { Task } from './task.ts'
import { inOneLine, listed, oneLine } from './text/line.ts'

/** What the store and the disk know of a task. */
export interface TaskFacts {
  readonly task: Pick<Task, 'dir_path' | 'title' | 'description'>
  readonly efforts: readonly (Pick<
    Effort,
    'id' | 'ordinal' | 'skill' | 'lifecycle' | 'current_phase' | 'request' | 'metadata' | 'result'
  > & {
    /** Names of files in the folder of the task. */
    readonly debrief: string | undefined
    readonly artifacts: readonly string[]
  })[]
  readonly open: readonly Pick<QueueItem, 'id' | 'content'>[]
  /** Below the root of the checkout, newest first. */
  readonly changed: readonly string[]
}

const LONGEST = 300
const LONGEST_LIST = 1000

/** The summary of a task from facts alone: the same facts give the same lines. */
export function summaryLines({ task, efforts, open, changed }: TaskFacts): readonly string[] {
  const about = task.description ?? ''
  return [
    ...(about === '' ? [] : [text(about), '']),
    ...(efforts.length === 0 ? ['No effort has worked on this task yet.'] : efforts.map(effortLine)),
    ...(open.length === 0
      ? []
      : ['', 'Open:', ...open.map(({ id, content }) => `- ${text(content)} (queue ${id})`)]),
    ...(changed.length === 0 ? [] : ['', `Changed files: ${foreign(listed(changed, LONGEST_LIST))}`]),
  ]
}

function effortLine(effort: TaskFacts['efforts'][number]): string {
  const { ordinal, skill, lifecycle, current_phase: phase, result, debrief, artifacts } = effort
  const words = wordsOf(effort)
  const state = lifecycle === 'active' && phase !== null ? `active, in ${phase}` : lifecycle
  const more = [
    ...(result == null ? [] : [`Result: ${resultInShort(result)}.`]),
    ...(debrief === undefined ? [] : [`Debrief: ${debrief}.`]),
    ...(artifacts.length === 0 ? [] : [`Artifacts: ${listed(artifacts, LONGEST)}.`]),
  ]
  const head = `- Effort ${ordinal}, ${skill} (${state})${words === '' ? '.' : `: ${inOneLine(words, LONGEST)}`}`
  return foreign([head, ...more].join(' '))
}

const BEGIN = '<!-- holdfast:summary'
const END = '<!-- /holdfast:summary -->'

/** Words of others cannot end the summary, nor begin a heading or another one. */
const foreign = (words: string): string => oneLine(words).replaceAll('<!--', '&lt;!--')
const text = (words: string): string => foreign(inOneLine(words, LONGEST_LIST)).replace(/^(?=#)/, '\\')

/** The paragraphs of a model, as text below our heading. */
export const paragraphs = (words: string): readonly string[] =>
  words
    .slice(0, 4000)
    .split(/\r?\n/)
    .map((line) => foreign(line.trimEnd()).replace(/^(?=\s*(?:#|```|~~~))/, '\\'))

/** The place of the summary in a text, with the digest of what it was made of. */
export interface Kept {
  readonly from: number
  readonly to: number
  readonly digest: string
}

/** The summary in a text; undefined if it has none. A damaged one is refused, because nobody knows where it ends. */
export function keptIn(whole: string, name: string): Kept | undefined {
  const begins = [...whole.matchAll(/^<!-- holdfast:summary ([\da-f]*) ?-->\r?$/gm)]
  const ends = [...whole.matchAll(/^<!-- \/holdfast:summary -->\r?$/gm)]
  const [begin] = begins
  const [end] = ends
  if (begin === undefined && end === undefined) return undefined
  if (
    begin === undefined ||
    end === undefined ||
    begins.length > 1 ||
    ends.length > 1 ||
    end.index < begin.index
  )
    throw new EngineError('invalid', `${name} has a damaged summary, so nothing was written to it.`, {
      hint: `Remove the lines "${BEGIN} … -->" and "${END}" from ${name}, then repeat the command.`,
    })
  return { from: begin.index, to: end.index + END.length, digest: begin[1] ?? '' }
}

/** A text with its summary replaced, or with one at its end; every other byte stays. */
export function withSummary(
  whole: string | undefined,
  {
    lines,
    digest,
    title,
    name,
  }: {
    readonly lines: readonly string[]
    readonly digest: string
    readonly title: string
    readonly name: string
  },
): string {
  const eol = whole?.includes('\r\n') === true ? '\r\n' : '\n'
  const block = [`${BEGIN} ${digest} -->`, '## Summary', '', ...lines, END].join(eol)
  if (whole === undefined || whole.trim() === '')
    return `# ${foreign(inOneLine(title, LONGEST))}\n\n${block}\n`
  const kept = keptIn(whole, name)
  if (kept !== undefined) return whole.slice(0, kept.from) + block + whole.slice(kept.to)
  const gap = /\n\r?\n$/.test(whole) ? '' : whole.endsWith('\n') ? eol : eol + eol
  return whole + gap + block + eol
}
