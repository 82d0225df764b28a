import { linesOfText } from '../text/prose.ts'
import { maskLine } from './masks.ts'

/** A run of characters without white space; a line that holds no calls is one word. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly line: number
  /** True for the first word of a line, and the first after a list mark. */
  readonly begins: boolean
  /** True in quotes, brackets, code and lines that hold no calls. */
  readonly masked: boolean
  /** A mark such as `-` or `1.` that begins a list item. */
  readonly mark: boolean
  /** How many of its last characters are commas and the like outside quotes. */
  readonly ending: number
}

/** A prompt as words, in linear time. */
export function wordsOf(prompt: string): readonly Word[] {
  const masked = new Uint8Array(prompt.length)
  const words: Word[] = []
  let from = 0
  /** The indentation of the list item that a line may belong to. */
  let item: number | undefined
  for (const { text, line, isCode } of linesOfText(prompt)) {
    const to = from + text.length
    const indent = text.length - text.trimStart().length
    const isBlank = indent === text.length
    const belongs = item !== undefined && indent > item
    if (!isBlank && !belongs) item = !isCode && ITEM.test(text) ? indent : undefined
    const isBranch = belongs && BRANCH.test(text)
    if (isCode || ((belongs || NO_CALLS.test(text)) && !isBranch)) {
      if (!isBlank) words.push({ ...whole(text, line), from, to })
    } else {
      maskLine(prompt, { from, to }, masked)
      addWords(words, { text, from, line }, masked)
    }
    from = to + 1
  }
  return words
}

const MARK = /^\s*(?:[-*+]|\d{1,9}[.)])$/
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\w+\s+){0,2}\//
const BRANCH = /^\s*(?:[-*+]\s+)?(?:or\s+)?else\s+\//i
const NO_CALLS = /^\s*(?:[-*+]\s+)?(?:>|notes?:)/i

const whole = (text: string, line: number) =>
  ({ text, line, begins: true, masked: true, mark: false, ending: 0 }) as const

function addWords(
  words: Word[],
  { text, from, line }: { readonly text: string; readonly from: number; readonly line: number },
  masked: Uint8Array,
): void {
  let begins = true
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const start = from + index
    const to = start + word.length
    const mark: boolean = begins && words.at(-1)?.line !== line && MARK.test(word)
    let ending = 0
    while (
      ending < word.length &&
      /[,;:]/.test(word.charAt(word.length - ending - 1)) &&
      masked[to - ending - 1] !== 1
    )
      ending++
    words.push({ text: word, from: start, to, line, begins, masked: masked[start] === 1, mark, ending })
    begins = mark
  }
}

/** A word without the punctuation at its end, without a pattern that could be slow. */
export function bare({ text }: Word): string {
  let end = text.length
  while (end > 0 && '.,;:!?'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
