/** Whether a path matches a shell pattern (`*`, `?`, `[a-z]`); no wildcard matches a slash. */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern === path) return true
  // Hooks call this for every step, mostly with a plain path.
  if (!/[*?[]/.test(pattern)) return false
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length && wanted.every((part, index) => matchesName(part, given[index] ?? ''))
  )
}

/** Like `matchesGlob`, but two stars between slashes match any number of folders, also hidden ones. */
export function matchesBelow(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.replace(/\/\*\*$/, '/**/*').split('/**/')
  if (rest.length === 0) return matchesGlob(pattern, path)
  const given = path.split('/')
  // The shortest match of each piece leaves the most for the pieces behind it.
  let at = first.split('/').length
  if (!matchesGlob(first, given.slice(0, at).join('/'))) return false
  for (const [index, piece] of rest.entries()) {
    const length = piece.split('/').length
    const isLast = index === rest.length - 1
    const matchesAt = (from: number) => matchesGlob(piece, given.slice(from, from + length).join('/'))
    const last = given.length - length
    const found = isLast
      ? last >= at && matchesAt(last)
        ? last
        : -1
      : given.findIndex((_, from) => from >= at && from <= last && matchesAt(from))
    if (found === -1) return false
    at = found + length
  }
  return true
}

/** The remaining parts of patterns below a folder; `**` matches zero or more folders. */
export type Rest = readonly (readonly string[])[]

/** Splits patterns into parts, as the rest to match at the root; exceptions are no part of it. */
export const restOf = (patterns: readonly string[]): Rest =>
  patterns
    .filter((pattern) => !pattern.startsWith('!'))
    .map((pattern) => pattern.split('/').filter((part) => part !== '' && part !== '.'))

/** Folders of generated or downloaded files, which no wildcard matches. */
const UNMEANT = new Set(['node_modules', '__pycache__'])

/** The rest of the patterns below a name in a folder; empty if none matches. */
export function below(rest: Rest, name: string): Rest {
  const left = rest.flatMap((pattern) => leftOf(pattern, name))
  // Without this, several `**` would multiply the rests with each folder.
  return [...new Map(left.map((pattern) => [pattern.join('/'), pattern])).values()]
}

function leftOf(pattern: readonly string[], name: string): Rest {
  const [head, ...others] = pattern
  if (head === undefined) return []
  if (head !== '**' && !isMeant(head, name)) return []
  // The plain name of a folder matches everything in it.
  if (head !== '**') return others.length === 0 && !/[*?[]/.test(head) ? [['**']] : [others]
  const stays = isMeant('*', name) ? [pattern] : []
  return others.length === 0 ? stays : [...leftOf(others, name), ...stays]
}

const isMeant = (pattern: string, name: string): boolean =>
  pattern === name || (!UNMEANT.has(name) && matchesName(pattern, name))

/** Whether the patterns match this file itself. */
export const isMatched = (rest: Rest): boolean =>
  rest.some((pattern) => pattern.every((part) => part === '**'))

/** Patterns that begin with `!` name what the others do not mean. */
export const exceptionsIn = (patterns: readonly string[]): readonly string[] =>
  patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : []))

/** Whether a path below the root matches a pattern, and no exception. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '')
  const matches = (some: readonly string[]) => some.length > 0 && isMatched(parts.reduce(below, restOf(some)))
  return matches(patterns) && !matches(exceptionsIn(patterns))
}

/** Escapes a path, so that the pattern matches only this file. */
export const exactly = (path: string): string =>
  `${path.startsWith('!') ? './' : ''}${path.replaceAll(/[*?[]/g, '[$&]')}`

/** Backtracks only to the last star, so no pattern makes it slow. */
function matchesName(pattern: string, name: string): boolean {
  // Wildcards do not match hidden files, as in the shell.
  if (name.startsWith('.') && !pattern.startsWith('.')) return false
  let [p, n] = [0, 0]
  let star: { readonly p: number; readonly n: number } | undefined
  while (n < name.length) {
    const step = pattern[p] === '*' ? 0 : matchOne(pattern, p, name[n] ?? '')
    if (step === 0) {
      star = { p: ++p, n }
    } else if (step !== undefined) {
      p += step
      n++
    } else if (star !== undefined) {
      star = { p: star.p, n: star.n + 1 }
      ;({ p, n } = star)
    } else return false
  }
  return /^\**$/.test(pattern.slice(p))
}

/** The length of the pattern part that matches this character, if it does. */
function matchOne(pattern: string, at: number, char: string): number | undefined {
  const end = pattern[at] === '[' ? pattern.indexOf(']', at + 2) : -1
  if (end === -1) return pattern[at] === '?' || pattern[at] === char ? 1 : undefined
  const isNegated = /[!^]/.test(pattern[at + 1] ?? '')
  const set = pattern.slice(at + (isNegated ? 2 : 1), end)
  return isIn(set, char) === isNegated ? undefined : end + 1 - at
}

function isIn(set: string, char: string): boolean {
  for (let at = 0; at < set.length; at++) {
    const [from = '', dash, to] = set.slice(at, at + 3)
    if (dash === '-' && to !== undefined) {
      if (char >= from && char <= to) return true
      at += 2
    } else if (char === from) return true
  }
  return false
}
