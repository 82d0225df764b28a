import type { Dehydration, KeptDehydration } from '../../model/dehydration.ts'
import { artifactName, type Effort } from '../../model/effort.ts'
import { inOneLine, oneLine } from '../../model/text/line.ts'
import { relativeLines, relativeTime } from '../../model/text/time.ts'
import type { QueueItem } from '../../model/queue.ts'
import type { Section } from '../../model/recap.ts'
import { statusText } from '../../model/status-line.ts'
import { effortOf } from './words.ts'

/** What a new session must know besides the plan. */
export interface Background {
  /** The current time. */
  readonly now: string
  /** Handover notes of earlier sessions: at most one per author, newest first. */
  readonly dehydrations: readonly KeptDehydration[]
  /** Open queue items of the project, newest first. */
  readonly queue: readonly QueueItem[]
  readonly artifacts: readonly { readonly name: string; readonly path: string | null }[]
  /** Exceptions to the plan that the user approved. */
  readonly approvals: readonly {
    readonly subject: string
    readonly reason: string
    /** Set once used: an approval works once. */
    readonly used_at: string | null
  }[]
  /** Efforts of the project that other sessions are using. */
  readonly others: readonly (Pick<Effort, 'id' | 'skill' | 'ordinal' | 'current_phase' | 'task_id'> & {
    readonly agent_id: string | null
  })[]
  /** Finished efforts of the same task, newest first. */
  readonly finished: readonly Pick<Effort, 'id' | 'skill' | 'ordinal' | 'metadata'>[]
  /** Files that the new session has already read. */
  readonly loadedFiles: readonly string[]
}

/** What a session left behind in the store. */
export interface Traces {
  /** Recent events of the effort, newest first. */
  readonly lately: readonly {
    readonly event_type: string
    readonly phase: string
    readonly timestamp: string
  }[]
  /** Messages, newest first. */
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  /** Files that the session read, in order. */
  readonly loadedFiles: readonly string[]
  readonly artifacts: readonly string[]
  /** Open queue items of the effort. */
  readonly open: readonly string[]
}

const LONGEST = 300

/** Sections in order of importance. */
export function backgroundSections(background: Background): readonly Section[] {
  const { now, dehydrations, queue, artifacts, approvals, others, finished, loadedFiles } = background
  const [newest] = dehydrations
  const byAgent = dehydrations.find(({ author }) => author === 'agent')
  const byEngine = newest?.author === 'engine' ? newest : undefined
  return [
    ...(byAgent === undefined ? [] : [left(byAgent, loadedFiles, now)]),
    ...(byEngine === undefined ? [] : [found(byEngine, loadedFiles, now)]),
    {
      name: 'queue',
      title: 'Open queue items (to close one: holdfast queue resolve ID TEXT):',
      lines: queue.map(
        ({ id, kind, content }) => `- ${id} (${oneLine(kind)}): ${inOneLine(content, LONGEST)}`,
      ),
    },
    {
      name: 'approvals',
      title: 'Exceptions to the plan that the user approved:',
      lines: approvalLines(approvals),
    },
    {
      name: 'artifacts',
      title: 'Artifacts of this effort:',
      lines: artifactLines(artifacts),
    },
    {
      name: 'others',
      title: 'Other agents are working in this project. Leave these efforts to them:',
      lines: others.map(
        (effort) =>
          `- effort ${effort.id} ${oneLine(statusText(effort))}${effort.agent_id === null ? '' : ` by ${oneLine(effort.agent_id)}`}, in ${oneLine(effort.task_id)}`,
      ),
    },
    {
      name: 'finished',
      title: 'Finished efforts of this task:',
      // The file may be missing, and rules cannot look.
      lines: finished.map(
        (effort) => `- ${effortOf(effort.id, effort.skill)} (debrief, if written: ${artifactName(effort)})`,
      ),
    },
  ]
}

export const approvalLines = (approvals: Background['approvals']): readonly string[] =>
  approvals.map(
    ({ subject, reason, used_at }) =>
      `- ${oneLine(subject, LONGEST)}: ${inOneLine(reason, LONGEST)}${used_at === null ? ' (not used yet)' : ''}`,
  )

export const artifactLines = (artifacts: Background['artifacts']): readonly string[] =>
  artifacts.map(({ name, path }) => `- ${oneLine(name)}${path === null ? '' : `: ${oneLine(path)}`}`)

/** The note that an agent wrote for the next session. */
function left({ payload, created_at: at }: KeptDehydration, loaded: readonly string[], now: string): Section {
  return {
    name: 'dehydration',
    title: `Handover note from the last session (${relativeTime(at, Date.parse(now))}):`,
    isProse: true,
    lines: [
      ...list('Next steps', payload.nextSteps),
      ...text('Last action', payload.lastAction),
      ...text('Instructions', payload.handoverInstructions),
      ...text('Summary', payload.summary),
      ...files(payload, loaded),
      ...text('What the user said', payload.userHistory),
    ],
  }
}

/** What the store knew when a session ended, without the state of the plan, which may be outdated. */
function found(
  { payload, created_at: at }: KeptDehydration,
  loaded: readonly string[],
  now: string,
): Section {
  return {
    name: 'last-window',
    title: `State when the last session ended (${relativeTime(at, Date.parse(now))}):`,
    isProse: true,
    lines: [
      ...text('Last action', relativeLines(payload.lastAction ?? '', Date.parse(now))),
      ...text('Open items', payload.handoverInstructions),
      ...files(payload, loaded),
      ...text('What the user said', payload.userHistory),
    ],
  }
}

const files = ({ requiredFiles = [] }: Dehydration, loaded: readonly string[]): readonly string[] =>
  list(
    'Read first',
    requiredFiles.filter((file) => !loaded.includes(file)),
  )

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
