import type { Author, KeptDehydration } from '../../model/dehydration.ts'
import { inOneLine, oneLine } from '../../model/text/line.ts'
import { relativeLines, relativeTime } from '../../model/text/time.ts'
import type { Section } from '../../model/recap.ts'

/** A stored note, or the state of a session that is still open. */
export type Note = KeptDehydration & { readonly isLive?: true }

/** The last notes, newest first: an agent's note stays useful, an older state of the engine does not. */
export function noteSections(notes: readonly Note[], now: string): readonly Section[] {
  const [newest] = notes
  return notes
    .filter((note) => note.author === 'agent' || note === newest)
    .map((note) => ({
      name: NAMES[note.author],
      title: `${note.isLive === true ? LIVE : TITLES[note.author]} (${relativeTime(note.created_at, Date.parse(now))}):`,
      isProse: true,
      lines: note.author === 'agent' ? written(note) : recorded(note, Date.parse(now)),
    }))
}

const NAMES: Readonly<Record<Author, string>> = { agent: 'dehydration', engine: 'last-window' }

const TITLES: Readonly<Record<Author, string>> = {
  agent: 'Handover note by the agent',
  engine: 'State when the last session ended',
}

const LIVE = 'State of the open session'

/** What an agent wrote for the next session. */
const written = ({ payload }: KeptDehydration): readonly string[] => [
  ...list('Next steps', payload.nextSteps),
  ...text('Last action', payload.lastAction),
  ...text('Instructions', payload.handoverInstructions),
  ...text('Summary', payload.summary),
  ...text('What the user said', payload.userHistory),
]

/** What the store knew, without the state of the plan, which may be outdated. */
const recorded = ({ payload }: KeptDehydration, now: number): readonly string[] => [
  ...text('Last action', relativeLines(payload.lastAction ?? '', now)),
  ...text('Open items', payload.handoverInstructions),
  ...text('What the user said', payload.userHistory),
]

const list = (what: string, items: readonly string[] = []): readonly string[] =>
  items.length === 0 ? [] : [`${what}:`, ...items.map((item) => `- ${inOneLine(item)}`)]

/** Indents foreign lines, so that none can pass for one of ours. */
function text(what: string, value: string | undefined): readonly string[] {
  const lines = (value ?? '').split(/\r\n|[\r\n\u2028\u2029]/).filter((line) => line.trim() !== '')
  const [only = ''] = lines
  if (lines.length === 0) return []
  return lines.length === 1
    ? [`${what}: ${oneLine(only)}`]
    : [`${what}:`, ...lines.map((line) => `  ${oneLine(line)}`)]
}
