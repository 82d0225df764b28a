import { cutTo } from './kept.ts'

// oxlint-disable-next-line no-control-regex -- a NUL ends a path for the kernel but not for us
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g

/** Names and paths are shown to people and agents, where controls and changes of direction would forge what is read. */
export const hasControl = (text: string): boolean => text.search(CONTROL) !== -1

/** A text from outside as part of a line of ours: it can neither end the line nor hide what comes after it. */
export const oneLine = (text: string, limit = Infinity): string =>
  cutTo(text.toWellFormed().replaceAll(CONTROL, escaped), limit)

const escaped = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`

const LONGEST_NAME = 200

/** Names in one line; where they are more than there is room for, the first ones and how many more there are. */
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
