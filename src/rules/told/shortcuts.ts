import { isAdHoc, wordsOf } from '../../model/effort.ts'
import { nameFault } from '../../model/handoff/task-edits.ts'
import { type AtHand, DEEDS } from '../../model/shipped-shortcuts.ts'
import { shortcutKey, type Shortcut, type UsedShortcut } from '../../model/shortcut.ts'
import { shellWord } from '../../model/shell/word.ts'
import { inOneLine, quoted } from '../../model/text/line.ts'
import type { FactsFor } from '../facts.ts'
import { effortOf } from './words.ts'

const LONGEST = 300
const LONGEST_NOTE = 1000
const LONGEST_TEXT = 2000

type Known = FactsFor<'shortcuts' | 'work' | 'queued'>

/** What a shortcut asks the agent to do, and the same in one line for the user. */
export function shortcutTexts(
  { shortcut, words }: UsedShortcut,
  facts: Known,
): { readonly context: string; readonly notice: string } {
  const { asks, name } = shortcut
  const head = `Shortcut ${shortcutKey(shortcut)} (${name}):`
  if (typeof asks === 'string') return same(`${head} ${inOneLine(asks, LONGEST_TEXT)}`)
  const at = atHand(words, facts)
  const texts = asks.map((deed) => DEEDS[deed](at))
  if (texts.length === 1) return same(`${head} ${texts.join('')}`)
  const lines = texts.map((text, index) => `${index + 1}. ${text}`)
  return { context: [head, ...lines].join('\n'), notice: [head, ...lines].join(' ') }
}

const same = (text: string) => ({ context: text, notice: text })

function atHand(words: string, { shortcuts, work, queued }: Known): AtHand {
  const { known, sessionFile, skills } = shortcuts
  const oldest = queued.at(-1)
  return {
    work:
      work === undefined || isAdHoc(work.effort) ? undefined : { id: work.effort.id, title: titleOf(work) },
    item: oldest === undefined ? undefined : { id: oldest.id, content: inOneLine(oldest.content, LONGEST) },
    sessionFile,
    knows: (skill) => skills.includes(skill),
    known: known.map(described).join('; '),
    words: shellWord(inOneLine(words, LONGEST_NOTE)),
    isName: nameFault(inOneLine(words)) === undefined,
  }
}

function titleOf({ effort, name }: NonNullable<Known['work']>): string {
  const words = inOneLine(wordsOf(effort))
  return `${effortOf(effort.id, name)}${words === '' ? '' : `, ${quoted(words, LONGEST)},`}`
}

const described = (shortcut: Shortcut): string => `${shortcutKey(shortcut)} ${shortcut.name}`
