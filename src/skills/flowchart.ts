/** A box of a drawn flowchart. */
interface FlowNode {
  readonly id: string
  readonly label: string
}

interface FlowEdge {
  readonly from: string
  readonly to: string
  readonly label: string
}

export interface Flowchart {
  /** In the order in which the text names them. */
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
}

/** Longer drawings are not made by hand. */
const LONGEST = 20_000

/** Reads a dot or Mermaid drawing as far as boxes and arrows go; undefined for any other drawing. */
export function readFlowchart(language: string, content: string): Flowchart | undefined {
  if (content.length > LONGEST) return undefined
  if (language === 'dot' || language === 'graphviz') return readDot(content)
  return language === 'mermaid' && /^\s*(flowchart|graph)\b/.test(content) ? readMermaid(content) : undefined
}

/** Collects nodes in the order of their first mention; the first label that is given counts. */
class Drawing {
  readonly #labels = new Map<string, string>()
  readonly #edges: FlowEdge[] = []

  node(id: string, label?: string): string {
    const known = this.#labels.get(id)
    if (known === undefined || (known === id && label !== undefined)) this.#labels.set(id, label ?? id)
    return id
  }

  edge(from: string, to: string, label: string): void {
    this.#edges.push({ from: this.node(from), to: this.node(to), label: inOneLine(label) })
  }

  get chart(): Flowchart {
    const nodes = [...this.#labels].map(([id, label]) => ({ id, label: inOneLine(label) }))
    return { nodes, edges: this.#edges }
  }
}

const inOneLine = (text: string): string =>
  text
    .replaceAll(/\\[nlr]|<br\s*\/?>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const DOT_ID = String.raw`(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_][\w]*))`
/** A box or a row of arrows, with its attributes: `a [label="Read"]`, `a -> b -> "c" [label="no"]`. */
const DOT_STATEMENT = new RegExp(String.raw`^${DOT_ID}((?:\s*->\s*${DOT_ID})*)\s*(?:\[(.*)\])?$`, 's')

function readDot(content: string): Flowchart {
  const drawing = new Drawing()
  const body = content.replace(/^[^{]*\{/, '').replaceAll(/\/\/.*$/gm, '')
  for (const statement of statementsIn(body)) {
    const found = DOT_STATEMENT.exec(statement)
    if (found === null) continue
    const first = found[1] ?? found[2] ?? ''
    if (/^(node|edge|graph|subgraph|rankdir|digraph)$/.test(first)) continue
    const label = /\blabel\s*=\s*"((?:[^"\\]|\\.)*)"/.exec(found[6] ?? '')?.[1]
    const arrows = [...(found[3] ?? '').matchAll(new RegExp(String.raw`->\s*${DOT_ID}`, 'g'))]
    if (arrows.length === 0) drawing.node(first, label)
    let from = first
    for (const [, quoted, plain] of arrows) {
      const to = quoted ?? plain ?? ''
      drawing.edge(from, to, label ?? '')
      from = to
    }
  }
  return drawing.chart
}

/** Splits at semicolons, braces and line ends outside of quotes and brackets. */
function statementsIn(body: string): readonly string[] {
  const found: string[] = []
  let [from, isQuoted, isInside] = [0, false, false]
  for (let at = 0; at <= body.length; at++) {
    const sign = body[at] ?? '\n'
    if (sign === '"' && body[at - 1] !== '\\') isQuoted = !isQuoted
    else if (!isQuoted && (sign === '[' || sign === ']')) isInside = sign === '['
    else if (!isQuoted && !isInside && /[;{}\n]/.test(sign)) {
      const statement = body.slice(from, at).trim()
      // An arrow may go on in the next line.
      if (sign === '\n' && (statement.endsWith('->') || /^\s*->/.test(body.slice(at)))) continue
      if (statement !== '') found.push(statement)
      from = at + 1
    }
  }
  return found
}

/** A box with its words: `A`, `A[Read]`, `B{Is it green?}`, `C([End])`. */
const MERMAID_NODE =
  /^([\p{L}\p{N}_-]+?)(?=$|[\s[({>:&-])\s*(?:(\[[[(/\\]?|\({1,3}\[?|\{{1,2}|>)([^\n]*?)[\])}/\\]+)?/u
/** An arrow with its words: `-->`, `-->|no|`, `-- no -->`, `==>`, `-.->`. */
const MERMAID_ARROW = /^\s*(?:--\s+([^-|>]+?)\s+--+>|<?[-=.]{2,}[>ox]?\s*(?:\|([^|]*)\|)?)\s*/

function readMermaid(content: string): Flowchart {
  const drawing = new Drawing()
  for (const line of content.split('\n').slice(0, 500))
    readMermaidLine(line.trim().replace(/;$/, ''), drawing)
  return drawing.chart
}

function readMermaidLine(line: string, drawing: Drawing): void {
  if (
    line === '' ||
    /^(%%|flowchart\b|graph\b|subgraph\b|end$|style\b|class|click\b|linkStyle\b|direction\b)/.test(line)
  )
    return
  let rest = line
  let before: { readonly id: string; readonly label: string } | undefined
  while (rest !== '') {
    const node = MERMAID_NODE.exec(rest)
    if (node === null) return
    const [whole, id = '', , text] = node
    drawing.node(id, text?.replaceAll(/^["']|["']$/g, ''))
    if (before !== undefined) drawing.edge(before.id, id, before.label)
    rest = rest.slice(whole.length)
    const arrow = MERMAID_ARROW.exec(rest)
    if (arrow === null || arrow[0] === '') return
    before = { id, label: (arrow[1] ?? arrow[2] ?? '').replaceAll('"', '') }
    rest = rest.slice(arrow[0].length)
  }
}
