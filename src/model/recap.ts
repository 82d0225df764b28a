/** What a fresh context window is told of one matter, the most important line first. */
export interface Section {
  readonly name: string
  /** Stands above the lines, and not without one of them. */
  readonly title?: string
  readonly lines: readonly string[]
  /** Without it the rest is worth nothing, so it takes all the room that it needs. */
  readonly isEssential?: true
  /** Half a line of it is better than none; half a command is not. */
  readonly isProse?: true
}

/** What a fresh context window must know, within a budget. */
export interface Recap {
  readonly text: string
  readonly tokens: number
  readonly budget: number
  /** The names of the sections that are not there, or not whole. */
  readonly left_out: readonly string[]
}

/** An estimate on the safe side: prose has four bytes or more in a token, paths and code about three. */
const BYTES_PER_TOKEN = 3

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** How many tokens a text has at most, by an estimate. */
export const tokensOf = (text: string): number => Math.ceil(bytesOf(text) / BYTES_PER_TOKEN)

/**
 * The sections in their order, the most important first, and never over the budget. What is essential takes what it
 * needs; every other section may take half of what is left, and more where those after it need less.
 */
export function recapOf(
  sections: readonly Section[],
  wish: { readonly budget: number; readonly whole?: string },
): Recap {
  const { budget, whole: command } = wish
  const room = Math.max(0, Math.floor(budget)) * BYTES_PER_TOKEN
  const told = sections.filter(({ lines }) => lines.length > 0)
  const whole = told.map(textOf).join(GAP)
  if (bytesOf(whole) <= room) return { text: whole, tokens: tokensOf(whole), budget, left_out: [] }
  const note = noteOf(
    told.map(({ name }) => name),
    command,
  )
  // A note that takes much of the little room there is tells less than what it takes the place of.
  const hasNote = bytesOf(note) * NOTE_SHARE <= room
  const { texts, leftOut } = fill(told, hasNote ? room - bytesOf(GAP + note) : room)
  const text = [...texts, ...(hasNote ? [noteOf(leftOut, command)] : [])].join(GAP)
  return { text, tokens: tokensOf(text), budget, left_out: leftOut }
}

/** The smallest budget that tells all that is essential; where nothing is, all that there is. */
export function leastBudget(sections: readonly Section[], command?: string): number {
  const told = sections.filter(({ lines }) => lines.length > 0)
  const whole = tokensOf(told.map(textOf).join(GAP))
  const last = told.findLastIndex(({ isEssential }) => isEssential === true)
  if (last === -1) return whole
  // Whatever comes before may take the room that it needs.
  const first = told.slice(0, last + 1)
  const note = noteOf(
    told.map(({ name }) => name),
    command,
  )
  return Math.min(whole, tokensOf([...first.map(textOf), note].join(GAP)))
}

const GAP = '\n\n'
const NOTE_SHARE = 5

const noteOf = (names: readonly string[], command: string | undefined): string =>
  `(Left out or cut for want of room: ${names.join(', ')}.${command === undefined ? '' : ` All of it: ${command}`})`

const textOf = ({ title, lines }: Section): string =>
  [...(title === undefined ? [] : [title]), ...lines].join('\n')

function fill(sections: readonly Section[], room: number) {
  const texts: string[] = []
  const leftOut: string[] = []
  let left = room
  let after = sections.reduce((sum, section) => sum + bytesOf(GAP + textOf(section)), 0)
  for (const section of sections) {
    after -= bytesOf(GAP + textOf(section))
    const gap = texts.length === 0 ? 0 : bytesOf(GAP)
    const share = section.isEssential === true ? left : Math.max(Math.floor(left / 2), left - after)
    const text = partOf(section, share - gap)
    if (text !== textOf(section)) leftOut.push(section.name)
    if (text === '') continue
    texts.push(text)
    left -= gap + bytesOf(text)
  }
  return { texts, leftOut }
}

/** As many of the first lines as there is room for. */
function partOf(section: Section, room: number): string {
  const { title, lines, isProse } = section
  const parts: string[] = title === undefined ? [] : [title]
  let left = room - (title === undefined ? 0 : bytesOf(title))
  let told = 0
  for (const line of lines) {
    const end = parts.length === 0 ? 0 : 1
    const fits = end + bytesOf(line) <= left
    const part = fits ? line : isProse === true ? cutToBytes(line, left - end) : ''
    if (!fits && part === '') break
    parts.push(part)
    left -= end + bytesOf(part)
    told++
    if (!fits) break
  }
  return told === 0 ? '' : parts.join('\n')
}

const CUT = '…'
/** Less of a line says nothing. */
const SHORTEST_PART = 40

/** As much of a text as so many bytes hold, with a sign that more was there; nothing where that would say nothing. */
function cutToBytes(text: string, room: number): string {
  if (room < SHORTEST_PART) return ''
  let left = room - bytesOf(CUT)
  let end = 0
  for (const char of text) {
    left -= bytesOf(char)
    if (left < 0) break
    end += char.length
  }
  return `${text.slice(0, end)}${CUT}`
}
