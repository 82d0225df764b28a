/** A file's text as every front end sees it: without BOM, with \n, and with the lines that places are counted in. */
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

/** A name for what has none in letters that ids are made of, such as titles in Japanese. */
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

/** Gives each wanted name an id of its own; `step 1` for the second time is `step-1-no2`, which no number spells. */
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

/** As people sort names: step-2 before step-10. Made at its first use, because every command would wait for it. */
export const byName = (a: string, b: string): number =>
  (natural ??= new Intl.Collator('en', { numeric: true })).compare(a, b)
