/** An element as a parser sees it, with its attributes in order. */
export interface Parsed {
  readonly name: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly content: readonly (string | Parsed)[]
}

// oxlint-disable-next-line no-control-regex -- what no document of XML may hold
const NOT_IN_XML = /[\0-\u0008\u000B-\u001F\uFFFE\uFFFF]/
const TOKEN = /<(\/?)([a-z_]+)((?: [a-z_-]+="[^"<>\n\t]*")*)( ?\/?)>|([^<>]+)/y
const SIGN = /&(?:(lt|gt|amp|quot)|#x([0-9a-f]+));|&/g
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** The roots of a text and the text between them; throws at anything that XML does not allow. */
export function parseXml(text: string): readonly (string | Parsed)[] {
  if (NOT_IN_XML.test(text) || !text.isWellFormed()) throw new Error('There is a sign that XML cannot hold.')
  const open: { name: string; attributes: Parsed['attributes']; content: (string | Parsed)[] }[] = []
  const roots: (string | Parsed)[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex
    const [, slash, name = '', written = '', end, words] = TOKEN.exec(text) ?? []
    const siblings = open.at(-1)?.content ?? roots
    if (words !== undefined) siblings.push(unescaped(words))
    else if (slash === '/') {
      const closed = open.pop()
      if (closed?.name !== name || written !== '') throw new Error(`</${name}> closes ${closed?.name}.`)
    } else if (slash === undefined) throw new Error(`Not XML: ${text.slice(at, at + 40)}`)
    else {
      const attributes = [...written.matchAll(/ ([a-z_-]+)="([^"]*)"/g)].map(
        ([, key = '', value = '']) => [key, unescaped(value)] as const,
      )
      if (new Set(attributes.map(([key]) => key)).size < attributes.length)
        throw new Error(`Twice in ${name}.`)
      const element = { name, attributes, content: [] }
      siblings.push(element)
      if (end === '') open.push(element)
    }
  }
  if (open.length > 0) throw new Error(`${open.at(-1)?.name} is not closed.`)
  return roots
}

/** The only root of a text. */
export function parseElement(text: string): Parsed {
  const [root, ...others] = parseXml(text)
  if (root === undefined || typeof root === 'string' || others.length > 0) throw new Error('Not one element.')
  return root
}

/** The elements in an element, at any depth, in order. */
export const elementsIn = ({ content }: Pick<Parsed, 'content'>): readonly Parsed[] =>
  content.flatMap((part) => (typeof part === 'string' ? [] : [part, ...elementsIn(part)]))

/** The names and attributes of an element and of all in it, without any text. */
export const shapeOf = ({ name, attributes, content }: Parsed): string =>
  `${name}(${attributes.map(([key]) => key).join(' ')})[${content
    .filter((part) => typeof part !== 'string')
    .map(shapeOf)
    .join(' ')}]`

/** The text of an element without its elements. */
export const textOf = ({ content }: Parsed): string =>
  content.filter((part) => typeof part === 'string').join('')

const unescaped = (text: string): string =>
  text.replaceAll(SIGN, (_, name?: string, code?: string) => {
    if (name !== undefined) return NAMED[name] ?? ''
    if (code === undefined) throw new Error(`A bare & in ${text}`)
    return String.fromCodePoint(Number.parseInt(code, 16))
  })
