import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { EngineError } from '../../model/error.ts'
import { counted } from '../../model/text/line.ts'
import { type Item, type ItemDraft, MOST_ADDED, MOST_ITEMS } from '../../model/work/item.ts'
import { draftsOfLines } from '../../model/work/jsonl.ts'
import { draftsOfMarkdown } from '../../model/work/markdown.ts'
import { inOrder, type ItemProblem, itemsOf } from '../../model/work/resolve.ts'
import { type Io, usage } from '../frame/io.ts'

/** What a file of a plan says is to be done. */
export interface PlanFile {
  readonly title: string
  readonly items: readonly Item[]
  /** The items as the daemon gets them, each behind all that it waits for, in parts that fit into a message. */
  readonly parts: readonly (readonly ItemDraft[])[]
  /** How many are ticked already. */
  readonly ticked: number
}

const LARGEST_FILE = 20_000_000
/** Well below the largest message, because JSON escapes. */
const LARGEST_PART = 300_000

/** Reads a plan in markdown, or JSONL; every fault is named with its place. */
export function readPlanFile({ cwd }: Pick<Io, 'cwd'>, name: string): PlanFile {
  const path = resolve(cwd, name)
  const isLines = /\.(?:jsonl|ndjson)$/i.test(path)
  const text = textOf(path, name)
  const {
    drafts,
    ticked,
    problems = [],
  } = isLines ? draftsOfLines(text) : { ...draftsOfMarkdown(text), problems: undefined }
  if (problems.length > 0) throw faulty(name, problems, 'Line')
  if (drafts.length === 0)
    throw usage(
      `${name} has nothing to do: ${ticked > 0 ? `its ${counted(ticked, 'entry')} ${ticked === 1 ? 'is' : 'are'} ticked` : isLines ? 'it has no items' : 'it has no phases, no numbered list and no check list'}.`,
      'holdfast work add TITLE',
    )
  if (drafts.length > MOST_ITEMS)
    throw new EngineError(
      'too-large',
      `A body of work has at most ${MOST_ITEMS} items; ${name} has ${drafts.length}.`,
    )
  const { items, problems: faults } = itemsOf(drafts)
  if (faults.length > 0) throw faulty(name, faults, 'Item')
  const draftOf = new Map(items.map((one, at) => [one, drafts[at]]))
  const whole = partsOf(drafts)
  // Only parts must not name what comes later; a whole plan keeps its own order.
  const parts = whole.length === 1 ? whole : partsOf(inOrder(items).flatMap((one) => draftOf.get(one) ?? []))
  return { title: titleOf(text, isLines) ?? basename(name), items, parts, ticked }
}

function textOf(path: string, name: string): string {
  try {
    if (statSync(path).size > LARGEST_FILE)
      throw new EngineError('too-large', `${name} is too large for a plan.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw usage(
      `Cannot read ${name}: ${error instanceof Error ? error.message : String(error)}.`,
      'holdfast work import PLAN.md',
    )
  }
}

const MOST_TOLD = 10

function faulty(name: string, problems: readonly ItemProblem[], what: string): EngineError {
  const told = problems.slice(0, MOST_TOLD).map(({ at, message }) => `${what} ${at}: ${message}`)
  const more = problems.length - told.length
  return usage(
    `${name} cannot be imported.\n${[...told, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n')}`,
  )
}

/** The first heading, without the word that most plans begin with. */
const titleOf = (text: string, isLines: boolean): string | undefined =>
  isLines ? undefined : /^#\s+(?:plan\s*:\s*)?(\S.*?)\s*$/im.exec(text)?.[1]?.slice(0, 200)

function partsOf(drafts: readonly ItemDraft[]): readonly (readonly ItemDraft[])[] {
  const parts: ItemDraft[][] = []
  let room = 0
  for (const draft of drafts) {
    const size = JSON.stringify(draft).length
    const last = parts.at(-1)
    if (last === undefined || last.length >= MOST_ADDED || size > room) {
      parts.push([draft])
      room = LARGEST_PART - size
    } else {
      last.push(draft)
      room -= size
    }
  }
  return parts
}
