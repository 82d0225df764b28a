import { cutTo } from './kept.ts'

// oxlint-disable-next-line no-control-regex -- a NUL ends a path for the kernel but not for us
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g

/** Control and direction characters in names and paths could forge what people and agents read. */
export const hasControl = (text: string): boolean => text.search(CONTROL) !== -1

/** Foreign text inside one of our lines: it can neither end the line nor hide what follows. */
export const oneLine = (text: string, limit = Infinity): string =>
  cutTo(text.toWellFormed().replaceAll(CONTROL, escapedCharacter), limit)

/** A character by its number, for readers who could not see it. */
export const escapedCharacter = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/** Foreign prose in one of our lines: its line breaks become spaces. */
export const inOneLine = (text: string, limit = Infinity): string =>
  oneLine(text.trim().replaceAll(/[\s\u2028\u2029]+/g, ' '), limit)

/** A name from outside in quotes, so that it stands apart from our words. */
export const quoted = (name: string, limit = Infinity): string => `"${oneLine(name, limit)}"`

/** Characters that show nothing, and the underscores of a form that nobody filled in. */
const BLANK = /^[\s_\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** True if a text shows nothing to its reader. */
export const isBlank = (text: string): boolean => BLANK.test(text)

/** A count with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const LONGEST_NAME = 200

/** Names in one line; if they do not fit, the first ones and the number of the rest. */
export function listed(names: readonly string[], room: number): string {
  let left = room
  const shown: string[] = []
  for (const name of names) {
    const text = oneLine(name, LONGEST_NAME)
    left -= text.length
    if (left < 0 && shown.length > 0) break
    shown.push(text)
  }
  const more = names.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
