/** The text of a file without BOM and with \n, and its lines, which places refer to. */
export interface SourceText {
  readonly file: string
  readonly text: string
  readonly lines: readonly string[]
}

export function sourceText(file: string, raw: string): SourceText {
  const plain = raw.replace(/^\uFEFF/, '')
  const text = plain.includes('\r') ? plain.replaceAll(/\r\n?/g, '\n') : plain
  return { file, text, lines: text.split('\n') }
}

/** An id made from a text, or the fallback if no letter fits, as in Japanese titles. */
export function slug(text: string, fallback: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return plain === '' ? fallback : plain
}

/** Makes unique ids: a second `step 1` becomes `step-1-no2`, which no number can produce. */
export function idGiver(): (wanted: string) => string {
  const counts = new Map<string, number>()
  return (wanted) => {
    const base = slug(wanted, 'step')
    const count = (counts.get(base) ?? 0) + 1
    counts.set(base, count)
    return count === 1 ? base : `${base}-no${count}`
  }
}

let natural: Intl.Collator | undefined

/** Sorts step-2 before step-10. Creates the collator lazily, because it slows the start of every command. */
export const byName = (a: string, b: string): number =>
  (natural ??= new Intl.Collator('en', { numeric: true })).compare(a, b)
