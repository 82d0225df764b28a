const LONGEST_SLUG = 48

/** Names a folder by day and words; the second with the same name ends with `-02`. */
export function datedName(now: string, words: string, counter: number): string {
  const slug = words
    .slice(0, 10 * LONGEST_SLUG)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^-|-$/g, '')
  const name = `${now.slice(0, 10)}-${slug === '' ? 'run' : slug}`
  return counter === 1 ? name : `${name}-${String(counter).padStart(2, '0')}`
}
