/** A text as it is; one such as `="a, /b"` is a JSON string, for words that would be read as calls. */
export function exactIn(text: string): string {
  if (!text.startsWith('="')) return text
  try {
    return String(JSON.parse(text.slice(1)))
  } catch {
    // A user who did not mean JSON keeps the words as typed.
    return text
  }
}

/** The spelling that reads back as exactly this text. */
export const exact = (text: string): string => `=${JSON.stringify(text).replaceAll('`', String.raw`\u0060`)}`
