import { hasControl } from '../text/line.ts'

/** Quotes a text as one shell word, so that users can paste the command. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const LONGEST = 200

/** A text that the caller gave, for the command that repeats it; a long one is only named. */
export const textWord = (text: string): string =>
  text.length > LONGEST || hasControl(text) || text.startsWith('-') ? 'TEXT' : shellWord(text)
