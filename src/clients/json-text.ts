/** A value of a JSON text and where it stands; `from` is where its key begins, if it has one. */
export interface JsonNode {
  readonly from: number
  readonly start: number
  readonly end: number
  /** The key that it stands under, in an object. */
  readonly key?: string
  /** Of an object or a list. */
  readonly children?: readonly JsonNode[]
}

export type JsonPath = readonly (string | number)[]

/** The value at a path, or undefined. */
export function valueAt(text: string, path: JsonPath): unknown {
  let value: unknown = JSON.parse(text)
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

/** The values of a key that a later one of the same name replaces. */
export function repeated(text: string, path: JsonPath): readonly unknown[] {
  const [missing, found] = follow(text, path)
  const [holder, node] = found.slice(-2)
  if (missing.length > 0 || holder?.children === undefined || node === undefined) return []
  return holder.children
    .filter((child) => child.key === node.key && child !== node)
    .map(({ start, end }) => JSON.parse(text.slice(start, end)) as unknown)
}

/** The text with a value put at a path: replaced where there is one, else added as the last of its holder. */
export function put(text: string, path: JsonPath, value: unknown): string {
  const [missing, found] = follow(text, path)
  const node = found.at(-1)
  if (node === undefined) return text
  const [first, ...rest] = missing
  if (first === undefined) return spliced(text, node, rendered(text, value, leadOf(text, node)))
  const inner = rest.toReversed().reduce<unknown>((held, key) => ({ [key]: held }), value)
  return append(text, node, typeof first === 'string' ? first : undefined, inner)
}

/** The text with what stands at a path in another text, byte for byte; it must be in both. */
export function putBack(text: string, path: JsonPath, from: string): string {
  const [there, here] = [from, text].map((one) => follow(one, path)[1].at(-1))
  if (there === undefined || here === undefined) return text
  return spliced(text, here, from.slice(there.start, there.end))
}

/** The text without what stands at a path. */
export function drop(text: string, path: JsonPath): string {
  const [missing, found] = follow(text, path)
  const [holder, node] = found.slice(-2)
  if (missing.length > 0 || holder?.children === undefined || node === undefined) return text
  const siblings = holder.children
  const index = siblings.indexOf(node)
  const [before, after] = [siblings[index - 1], siblings[index + 1]]
  if (before !== undefined) return spliced(text, { start: before.end, end: node.end }, '')
  if (after !== undefined) return spliced(text, { start: node.from, end: after.from }, '')
  return spliced(text, { start: holder.start + 1, end: holder.end - 1 }, '')
}

const spliced = (text: string, { start, end }: Pick<JsonNode, 'start' | 'end'>, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

/** The part of a path that does not exist, and the nodes along the part that does. */
function follow(text: string, path: JsonPath): readonly [JsonPath, readonly JsonNode[]] {
  const found = [parse(text)]
  for (const [index, key] of path.entries()) {
    const children = found.at(-1)?.children ?? []
    // Of a key that is there twice the last one counts, as for JSON.parse.
    const next = typeof key === 'number' ? children[key] : children.findLast((child) => child.key === key)
    if (next === undefined) return [path.slice(index), found]
    found.push(next)
  }
  return [[], found]
}

function append(text: string, holder: JsonNode, key: string | undefined, value: unknown): string {
  const last = holder.children?.at(-1)
  if (last !== undefined) {
    const lead = leadOf(text, last)
    const name = key === undefined ? '' : JSON.stringify(key) + colonOf(text, last)
    return spliced(text, { start: last.end, end: last.end }, `,${lead}${name}${rendered(text, value, lead)}`)
  }
  const inside = { start: holder.start + 1, end: holder.end - 1 }
  const lead = leadOf(text, holder)
  // A whole text that is empty says nothing about how it wants to be written.
  const isPretty = holder.from === parse(text).from || lead.includes('\n')
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `
  if (!isPretty) return spliced(text, inside, name + rendered(text, value, ''))
  const outer = lineEnd(text) + indentOf(lead)
  const inner = outer + unitOf(text)
  return spliced(text, inside, `${inner}${name}${rendered(text, value, inner)}${outer}`)
}

/** The white space before a node. */
const leadOf = (text: string, { from }: JsonNode): string => /\s*$/.exec(text.slice(0, from))?.[0] ?? ''

const indentOf = (lead: string): string => lead.slice(lead.lastIndexOf('\n') + 1)

const lineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'

function colonOf(text: string, { from, start, key }: JsonNode): string {
  return key === undefined ? '' : (/\s*:\s*$/.exec(text.slice(from, start))?.[0] ?? ': ')
}

/** By how much the text indents. */
function unitOf(text: string): string {
  const first = parse(text).children?.[0]
  const lead = first === undefined ? '' : leadOf(text, first)
  return lead.includes('\n') && indentOf(lead) !== '' ? indentOf(lead) : '  '
}

/** On many lines where what is beside it stands on a line of its own, else on one. */
function rendered(text: string, value: unknown, lead: string): string {
  if (!lead.includes('\n')) return JSON.stringify(value)
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', lineEnd(text) + indentOf(lead))
}

/** Where everything of a text stands that JSON.parse has accepted. */
function parse(text: string): JsonNode {
  const after = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : at
  }
  const next = (at: number) => after(/[\s,:]*/y, at)
  const node = (from: number, start = from, key?: string): JsonNode => {
    const close = { '{': '}', '[': ']' }[text[start] ?? '']
    const name = key === undefined ? {} : { key }
    if (close === undefined)
      return { from, start, end: after(text[start] === '"' ? STRING : PLAIN, start), ...name }
    const children: JsonNode[] = []
    let at = next(start + 1)
    while (text[at] !== close) {
      const keyEnd = after(STRING, at)
      const child =
        close === '}' ? node(at, next(keyEnd), JSON.parse(text.slice(at, keyEnd)) as string) : node(at)
      children.push(child)
      at = next(child.end)
    }
    return { from, start, end: at + 1, children, ...name }
  }
  return node(next(0))
}

const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/y
const PLAIN = /[^\s,\]}]+/y
