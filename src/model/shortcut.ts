import { linesOfText } from './text/prose.ts'

/** A part of what a shortcut asks for. */
export type Deed =
  | 'status'
  | 'execute'
  | 'leave'
  | 'resume'
  | 'handoff'
  | 'commit'
  | 'help'
  | 'discuss'
  | 'note'

/** A short form of a prompt. */
export interface Shortcut {
  readonly word: string
  /** The first line alone, or a line that begins with the word and a colon. */
  readonly form: 'alone' | 'colon'
  readonly name: string
  /** What it asks for, in order, or the words of the user for it. */
  readonly asks: readonly Deed[] | string
}

/** A shortcut in a prompt, with the words after its colon. */
export interface UsedShortcut {
  readonly shortcut: Shortcut
  readonly words: string
}

/** The name of a shortcut in the config, as it is typed: `xc`, `p:`. */
export const shortcutKey = ({ word, form }: Pick<Shortcut, 'word' | 'form'>): string =>
  form === 'colon' ? `${word}:` : word

const LONGEST_WORD = 30
const WORD = new RegExp(String.raw`^[\p{L}\p{N}_?!+.-]{1,${LONGEST_WORD}}$`, 'u')
const COLON = new RegExp(String.raw`^\s{0,3}([\p{L}\p{N}_?!+.-]{1,${LONGEST_WORD}}):[ \t]+(\S.*)$`, 'u')

/** True for a word that can be a shortcut, with its colon. */
export const isShortcutKey = (key: string): boolean => WORD.test(key.replace(/:$/, ''))

/** Whether a prompt may have a shortcut of some config; cheap, because it is asked of every prompt. */
export const mayBeShortcut = (prompt: string): boolean =>
  WORD.test(firstLine(prompt)) || (prompt.includes(':') && /^\s{0,3}[^\s:]{1,30}:[ \t]/m.test(prompt))

function firstLine(prompt: string): string {
  const text = prompt.trimStart()
  const end = text.indexOf('\n')
  return (end === -1 ? text : text.slice(0, end)).trim()
}

/** The shortcuts of a prompt, in order: one alone in the first line, or lines with a colon outside of code. */
export function shortcutsIn(prompt: string, known: readonly Shortcut[]): readonly UsedShortcut[] {
  const meant = (word: string, form: Shortcut['form']) =>
    known.find((one) => one.form === form && one.word === word.toLowerCase())
  const alone = meant(firstLine(prompt), 'alone')
  if (alone !== undefined) return [{ shortcut: alone, words: '' }]
  const used: { shortcut: Shortcut; words: string }[] = []
  let goesOn = false
  for (const { text, isCode } of linesOfText(prompt.replaceAll(/\r\n?/g, '\n'))) {
    const line = isCode ? null : COLON.exec(text)
    const shortcut = line === null ? undefined : meant(line[1] ?? '', 'colon')
    const last = used.at(-1)
    if (shortcut !== undefined) used.push({ shortcut, words: (line?.[2] ?? '').trim() })
    // Further lines of the paragraph belong to the words.
    else if (goesOn && last !== undefined && !isCode && text.trim() !== '') last.words += ` ${text.trim()}`
    else {
      goesOn = false
      continue
    }
    goesOn = true
  }
  return used
}
