/** Whether a path is one that a shell's pattern (`*`, `?`, `[a-z]`) stands for. Nothing crosses a slash. */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern === path) return true
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length && wanted.every((part, index) => matchesName(part, given[index] ?? ''))
  )
}

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
