/** Whether a path is one that a shell's pattern (`*`, `?`, `[a-z]`) stands for. Nothing crosses a slash. */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern === path) return true
  // A hook asks it of every step, mostly with the plain path of one file.
  if (!/[*?[]/.test(pattern)) return false
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length && wanted.every((part, index) => matchesName(part, given[index] ?? ''))
  )
}

/** The same, where two stars between slashes stand for any number of folders, also hidden ones, as `find` goes. */
export function matchesBelow(pattern: string, path: string): boolean {
  const at = pattern.lastIndexOf(ANY_FOLDERS)
  if (at === -1) return matchesGlob(pattern, path)
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    path.startsWith(pattern.slice(0, at + 1)) && matchesName(pattern.slice(at + ANY_FOLDERS.length), name)
  )
}

const ANY_FOLDERS = '/**/'

/** What patterns leave to be matched below a folder; `**` stands for any number of folders, also none. */
export type Rest = readonly (readonly string[])[]

/** A pattern with slashes between its parts, as what is left of it at the root. */
export const restOf = (patterns: readonly string[]): Rest =>
  patterns.map((pattern) => pattern.split('/').filter((part) => part !== '' && part !== '.'))

/** Folders that nobody means by a star: what is in them was made or fetched. */
const UNMEANT = new Set(['node_modules', '__pycache__'])

/** What is left of patterns below one of the names in a folder; nothing where they do not lead there. */
export function below(rest: Rest, name: string): Rest {
  const left = rest.flatMap((pattern) => leftOf(pattern, name))
  // Two ways to the same rest are one, or several `**` would multiply with each folder.
  return [...new Map(left.map((pattern) => [pattern.join('/'), pattern])).values()]
}

function leftOf(pattern: readonly string[], name: string): Rest {
  const [head, ...others] = pattern
  if (head === undefined) return []
  if (head !== '**' && !isMeant(head, name)) return []
  // The plain name of a folder stands for all that is in it.
  if (head !== '**') return others.length === 0 && !/[*?[]/.test(head) ? [['**']] : [others]
  const stays = isMeant('*', name) ? [pattern] : []
  return others.length === 0 ? stays : [...leftOf(others, name), ...stays]
}

const isMeant = (pattern: string, name: string): boolean =>
  pattern === name || (!UNMEANT.has(name) && matchesName(pattern, name))

/** Whether a name that patterns led to is matched itself, where it is a file. */
export const isMatched = (rest: Rest): boolean =>
  rest.some((pattern) => pattern.every((part) => part === '**'))

/** The path of one file as a pattern that stands for nothing else. */
export const exactly = (path: string): string => path.replaceAll(/[*?[]/g, '[$&]')

/** Goes back to the last star only, so a pattern cannot make it slow. */
function matchesName(pattern: string, name: string): boolean {
  // The shell finds hidden files only when they are asked for.
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

/** How much of the pattern stands for this one character, if it does. */
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
