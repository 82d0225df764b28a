import { inOurVoice, VOICE_BYTES } from './text/voice.ts'

/** One topic of a recap, most important line first. */
export interface Section {
  readonly name: string
  /** Shown above the lines; omitted when no line fits. */
  readonly title?: string
  readonly lines: readonly string[]
  /** The rest is useless without this section, so it takes all the room it needs. */
  readonly isEssential?: true
  /** Lines may be cut; a cut command would be wrong. */
  readonly isProse?: true
}

/** What a new session must know, within a token budget. */
export interface Recap {
  readonly text: string
  readonly tokens: number
  readonly budget: number
  /** Sections that are missing or cut. */
  readonly left_out: readonly string[]
}

/** How a text begins; by default with our name. */
type Voice = (text: string) => string

/** A safe estimate: prose has at least four bytes per token, paths and code about three. */
const BYTES_PER_TOKEN = 3

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** The most tokens that a text may have, by estimate. */
export const tokensOf = (text: string): number => Math.ceil(bytesOf(text) / BYTES_PER_TOKEN)

/**
 * Joins sections in order, never over the budget. Essential sections take what they need; every other section takes
 * at most half of the remaining room, or more if the sections after it need less.
 */
export function recapOf(
  sections: readonly Section[],
  wish: { readonly budget: number; readonly whole?: string; readonly voice?: Voice },
): Recap {
  const { budget, whole: command, voice = inOurVoice } = wish
  const room = Math.max(0, Math.floor(budget)) * BYTES_PER_TOKEN
  const told = sections.filter(({ lines }) => lines.length > 0)
  const whole = voice(told.map(textOf).join(GAP))
  if (bytesOf(whole) <= room) return { text: whole, tokens: tokensOf(whole), budget, left_out: [] }
  const note = noteOf(
    told.map(({ name }) => name),
    command,
  )
  // In a small budget, content is worth more than the note.
  const hasNote = bytesOf(note) * NOTE_SHARE <= room
  const { texts, leftOut } = fill(told, room - VOICE_BYTES - (hasNote ? bytesOf(GAP + note) : 0))
  const text = voice([...texts, ...(hasNote ? [noteOf(leftOut, command)] : [])].join(GAP))
  return { text, tokens: tokensOf(text), budget, left_out: leftOut }
}

/** The smallest budget that holds every essential section; if there is none, every section. */
export function leastBudget(sections: readonly Section[], command?: string): number {
  const told = sections.filter(({ lines }) => lines.length > 0)
  const whole = tokensOf(inOurVoice(told.map(textOf).join(GAP)))
  const last = told.findLastIndex(({ isEssential }) => isEssential === true)
  if (last === -1) return whole
  // Earlier sections may take the room they need.
  const first = told.slice(0, last + 1)
  const note = noteOf(
    told.map(({ name }) => name),
    command,
  )
  return Math.min(whole, tokensOf(inOurVoice([...first.map(textOf), note].join(GAP))))
}

const GAP = '\n\n'
const NOTE_SHARE = 5

const noteOf = (names: readonly string[], command: string | undefined): string =>
  `(Cut to fit: ${names.join(', ')}.${command === undefined ? '' : ` Full text: ${command}`})`

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

/** The first lines that fit. */
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
/** A shorter part of a line says nothing. */
const SHORTEST_PART = 40

/** The start of a text that fits, with an ellipsis; empty if too short to say anything. */
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
