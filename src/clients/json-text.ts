import { getNodeValue, type Node, parseTree } from 'jsonc-parser'
import { commaAfter, endBefore, hasComments, marksOf, restOfLine } from './json-marks.ts'

/** A value in a JSON text with its offsets; `from` is the start of its key, if it has one. */
interface JsonNode {
  readonly from: number
  readonly start: number
  readonly end: number
  /** Its key, if the parent is an object. */
  readonly key: string | undefined
  /** Its value on demand, because each value contains all values below it. */
  readonly node: Node | undefined
  /** The members of an object or a list. */
  readonly children: readonly JsonNode[] | undefined
}

/** Keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[]

/** The value at a path, or undefined. */
export function valueAt(text: string, path: JsonPath): unknown {
  const [missing, found] = follow(text, path)
  return missing.length === 0 ? valueOf(found.at(-1)) : undefined
}

/** The values that a later duplicate of the same key overrides. */
export function repeated(text: string, path: JsonPath): readonly unknown[] {
  const [missing, found] = follow(text, path)
  const [holder, node] = found.slice(-2)
  if (missing.length > 0 || holder?.children === undefined || node === undefined) return []
  return holder.children.filter((child) => child.key === node.key && child !== node).map(valueOf)
}

/** Sets the value at a path: replaces it, or appends it to its parent. */
export function put(text: string, path: JsonPath, value: unknown): string {
  const [missing, found] = follow(text, path)
  const node = found.at(-1)
  if (node === undefined) return text
  const [first, ...rest] = missing
  if (first === undefined) return spliced(text, node, rendered(text, value, leadOf(text, node)))
  const inner = rest.toReversed().reduce<unknown>((held, key) => ({ [key]: held }), value)
  return append(text, node, typeof first === 'string' ? first : undefined, inner)
}

/** Copies the value at a path from another text, byte for byte; both texts must have it. */
export function putBack(text: string, path: JsonPath, from: string): string {
  const [there, here] = [from, text].map((one) => follow(one, path)[1].at(-1))
  if (there === undefined || here === undefined) return text
  return spliced(text, here, from.slice(there.start, there.end))
}

/** Removes the value at a path, the exact reverse of `put`; comments stay. */
export function drop(text: string, path: JsonPath): string {
  const [missing, found] = follow(text, path)
  const [holder, node] = found.slice(-2)
  if (missing.length > 0 || holder?.children === undefined || node === undefined) return text
  const marks = marksOf(text)
  const [before, after] = neighbours(holder.children, node)
  if (before === undefined && after === undefined && !hasComments(marks, holder))
    return spliced(text, inside(holder), '')
  // For the first value, remove the white space after it.
  if (
    before === undefined &&
    after !== undefined &&
    !hasComments(marks, { start: node.end, end: after.from })
  )
    return spliced(text, { start: node.from, end: after.from }, '')
  const following = commaAfter(marks, node.end, after?.from ?? holder.end)
  const begin = endBefore(marks, node.from, before?.end ?? holder.start + 1)
  // What comes next must not become a part of the comment of a line.
  const isJoined =
    marks.some(({ kind, end }) => kind === 'line' && end === begin) &&
    !/^[ \t]*,?[ \t]*\r?\n/.test(text.slice(node.end))
  const less = { start: isJoined ? begin + lineEnd(text.slice(begin)).length : begin, end: node.end }
  if (following !== undefined) return spliced(spliced(text, following, ''), less, '')
  const without = spliced(text, less, '')
  const preceding = before === undefined ? undefined : commaAfter(marks, before.end, node.from)
  return preceding === undefined ? without : spliced(without, preceding, '')
}

/** Whether a value contains comments. */
export function isCommented(text: string, path: JsonPath): boolean {
  const [missing, found] = follow(text, path)
  const node = found.at(-1)
  return missing.length === 0 && node !== undefined && hasComments(marksOf(text), node)
}

type Range = Pick<JsonNode, 'start' | 'end'>

const spliced = (text: string, { start, end }: Range, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

const inside = ({ start, end }: JsonNode): Range => ({ start: start + 1, end: end - 1 })

function neighbours(siblings: readonly JsonNode[], node: JsonNode) {
  const index = siblings.indexOf(node)
  return [siblings[index - 1], siblings[index + 1]] as const
}

/** The part of a path that does not exist, and the nodes along the part that does. */
function follow(text: string, path: JsonPath): readonly [JsonPath, readonly JsonNode[]] {
  const found = [treeOf(text)]
  for (const [index, key] of path.entries()) {
    const children = found.at(-1)?.children ?? []
    // The last duplicate of a key wins, as in JSON.parse.
    const next = typeof key === 'number' ? children[key] : children.findLast((child) => child.key === key)
    if (next === undefined) return [path.slice(index), found]
    found.push(next)
  }
  return [[], found]
}

function append(text: string, holder: JsonNode, key: string | undefined, value: unknown): string {
  const last = holder.children?.at(-1)
  if (last === undefined) return fill(text, holder, key, value)
  const marks = marksOf(text)
  const trailing = commaAfter(marks, last.end, holder.end)
  // A comment on the same line belongs to the existing value.
  const { end, isLine } = restOfLine(text, marks, trailing?.end ?? last.end)
  const own = leadOf(text, last)
  const lead = isLine && !own.includes('\n') ? lineEnd(text) + indentOf(own) : own
  const name = key === undefined ? '' : JSON.stringify(key) + colonOf(text, last)
  const added = `${lead}${name}${rendered(text, value, lead)}`
  const more = spliced(text, { start: end, end }, trailing === undefined ? added : `${added},`)
  return trailing === undefined ? spliced(more, { start: last.end, end: last.end }, ',') : more
}

/** Adds the first value to an empty object or list, after its comments. */
function fill(text: string, holder: JsonNode, key: string | undefined, value: unknown): string {
  const lead = leadOf(text, holder)
  // An empty document has no style to follow.
  const isPretty = holder.from === treeOf(text).from || lead.includes('\n')
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `
  const marks = marksOf(text)
  const outer = lineEnd(text) + indentOf(lead)
  const inner = outer + unitOf(text)
  if (hasComments(marks, holder)) {
    const at = endBefore(marks, holder.end - 1, holder.start + 1)
    return spliced(text, { start: at, end: at }, `${inner}${name}${rendered(text, value, inner)}`)
  }
  if (!isPretty) return spliced(text, inside(holder), name + rendered(text, value, ''))
  return spliced(text, inside(holder), `${inner}${name}${rendered(text, value, inner)}${outer}`)
}

/** The white space before a node, without blanks at the end of the previous line. */
function leadOf(text: string, { from }: JsonNode): string {
  const blank = /\s*$/.exec(text.slice(0, from))?.[0] ?? ''
  return blank.slice(Math.max(0, blank.search(/\r?\n/)))
}

const indentOf = (lead: string): string => lead.slice(lead.lastIndexOf('\n') + 1)

const lineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'

/** The colon as in the neighboring value, unless a comment is there. */
function colonOf(text: string, { from, start, key }: JsonNode): string {
  return key === undefined ? '' : (/^"(?:[^"\\]|\\.)*"(\s*:\s*)$/s.exec(text.slice(from, start))?.[1] ?? ': ')
}

/** The indentation unit of the text. */
function unitOf(text: string): string {
  const first = treeOf(text).children?.[0]
  const lead = first === undefined ? '' : leadOf(text, first)
  return lead.includes('\n') && indentOf(lead) !== '' ? indentOf(lead) : '  '
}

/** Uses several lines if the neighboring value starts on its own line. */
function rendered(text: string, value: unknown, lead: string): string {
  if (!lead.includes('\n')) return JSON.stringify(value)
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', lineEnd(text) + indentOf(lead))
}

interface Parsed {
  readonly text: string
  readonly tree: JsonNode
}

let newest: Parsed | undefined
let second: Parsed | undefined

/** Caches two trees, because a change reads one text many times, and an undo also the original. */
function treeOf(text: string): JsonNode {
  if (newest?.text === text) return newest.tree
  const known = second?.text === text ? second : { text, tree: parsed(text) }
  ;[newest, second] = [known, newest]
  return known.tree
}

/** The tree of a text that is known to be valid. */
function parsed(text: string): JsonNode {
  const root = parseTree(text, [], { allowTrailingComma: true })
  if (root !== undefined) return nodeOf(root)
  return { from: 0, start: 0, end: 0, key: undefined, node: undefined, children: undefined }
}

function nodeOf(node: Node, holder?: Node): JsonNode {
  const name = holder?.children?.[0]
  return {
    from: holder?.offset ?? node.offset,
    start: node.offset,
    end: node.offset + node.length,
    key: name === undefined ? undefined : String(name.value),
    node,
    children: node.children?.flatMap(childOf),
  }
}

const valueOf = (one: JsonNode | undefined): unknown =>
  one?.node === undefined ? undefined : getNodeValue(one.node)

function childOf(child: Node): readonly JsonNode[] {
  if (child.type !== 'property') return [nodeOf(child)]
  const value = child.children?.[1]
  return value === undefined ? [] : [nodeOf(value, child)]
}
