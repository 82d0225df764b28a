/** A word of a command line that is a flag. */
interface TypedFlag {
  /** As typed, without its value. */
  readonly typed: string
  /** Its declared name: hyphens and underscores are equal. */
  readonly name: string
  /** The text after `=`. */
  readonly given: string | undefined
}

/** Reads a word as a flag; undefined for a value. `-` alone is a value (stdin), and so is a negative number. */
export function flagIn(word: string): TypedFlag | undefined {
  if (!/^--?[a-zA-Z]/.test(word)) return undefined
  const [typed = '', ...rest] = word.split('=')
  const name = typed.replace(/^-+/, '').replaceAll('-', '_')
  return { typed, name, given: rest.length > 0 ? rest.join('=') : undefined }
}
