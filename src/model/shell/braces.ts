import type { Value } from './args.ts'

const MOST = 64
const LONGEST = 4096

/** The members of a brace list, with nested lists expanded; a range becomes a pattern. */
export function braceValues(text: string): readonly Value[] {
  // What is longer names no files, and a member that a backslash joins is not worked out.
  if (text.length > LONGEST || /\\[{},]/.test(text)) return [undefined]
  const { values, end } = listAt(text, 0)
  if (end !== text.length) return [undefined]
  // Of too many, any name may be one, and one with a slash as well.
  return values.length <= MOST ? values : ['*', undefined]
}

interface Read {
  readonly values: readonly string[]
  readonly end: number
}

function listAt(text: string, begin: number): Read {
  const members: string[] = []
  let at = begin
  let count = 0
  do {
    const member = memberAt(text, at + 1)
    members.push(...member.values)
    at = member.end
    count++
  } while (text[at] === ',')
  return { values: count === 1 ? ['*'] : members.slice(0, MOST + 1), end: at + 1 }
}

function memberAt(text: string, begin: number): Read {
  let values: readonly string[] = ['']
  let at = begin
  while (at < text.length && text[at] !== ',' && text[at] !== '}') {
    const next = text[at] === '{' ? listAt(text, at) : plainAt(text, at)
    values = values.flatMap((value) => next.values.map((more) => value + more)).slice(0, MOST + 1)
    at = next.end
  }
  return { values, end: at }
}

const PLAIN = /(?:[^{},'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+/y
const PROTECTED = /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"/g

function plainAt(text: string, at: number): Read {
  PLAIN.lastIndex = at
  const [plain = ''] = PLAIN.exec(text) ?? []
  // What has no end is taken as it stands.
  if (plain === '') return { values: [text.slice(at, at + 1)], end: at + 1 }
  const value = plain.replaceAll(PROTECTED, (_, one?: string, single?: string, double?: string) =>
    double === undefined ? (one ?? single ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
  )
  return { values: [value], end: at + plain.length }
}
