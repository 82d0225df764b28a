import { changed, type Change } from './lines.ts'
import { nameKey } from './problem.ts'
import { readSessionFile, type SessionFile } from './session-file.ts'
import { ANY_TOKEN, PENDING_TOKEN, TOKEN_LENGTH, TOKEN_SIGNS } from './task-line.ts'

/** A task that got its token. */
export interface Expanded {
  readonly line: number
  readonly name: string
  readonly token: string
}

/** A token of its own for each `#PNDNG`; equal names get equal tokens, unless one is taken. */
export function chooseTokens({ tasks }: SessionFile, taken: ReadonlySet<string>): readonly Expanded[] {
  const used = new Set(taken)
  for (const { token } of tasks) if (token !== undefined) used.add(token)
  const chosen: Expanded[] = []
  for (const { name, line, pending } of tasks) {
    if (pending.length === 0) continue
    const token = tokenFor(name, used)
    used.add(token)
    chosen.push({ line, name, token })
  }
  return chosen
}

/** Puts tokens in the place of `#PNDNG`, by the keys of names. */
export function putTokens(text: string, tokens: ReadonlyMap<string, string>): string {
  const file = readSessionFile(text)
  const changes = file.tasks.flatMap(({ name, line, pending: [at] }): Change[] => {
    const token = tokens.get(nameKey(name))
    if (at === undefined || token === undefined) return []
    const before = file.lines[line - 1]?.text ?? ''
    const after = before.slice(0, at) + token + before.slice(at + PENDING_TOKEN.length)
    return [{ at: line - 1, removes: 1, puts: [after] }]
  })
  return changed(file, changes)
}

/** The first token for a name that nobody has. */
export function tokenFor(name: string, taken: ReadonlySet<string>): string {
  for (let nth = 0; ; nth++) {
    const token = `#${spelled(hashOf(`${nameKey(name)}\n${nth}`))}`
    if (/[A-Z]/.test(token) && !taken.has(token)) return token
  }
}

/** FNV-1a with 32 bits; equal names must give equal tokens everywhere, and nothing is secret. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93)
  return hash >>> 0
}

function spelled(hash: number): string {
  let [left, word] = [hash, '']
  for (let at = 0; at < TOKEN_LENGTH; at++) {
    word += TOKEN_SIGNS[left % TOKEN_SIGNS.length] ?? ''
    left = Math.floor(left / TOKEN_SIGNS.length)
  }
  return word
}

const IN_TEXT = new RegExp(String.raw`${ANY_TOKEN}(?!\w)`, 'g')

/** Every token that a text has anywhere, such as a diff. */
export const tokensIn = (text: string): readonly string[] =>
  [...text.matchAll(IN_TEXT)].map(([token]) => token)
