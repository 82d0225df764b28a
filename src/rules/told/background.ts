import type { Dehydration, KeptDehydration } from '../../model/dehydration.ts'
import { artifactName, type Effort } from '../../model/effort.ts'
import { oneLine } from '../../model/text/line.ts'
import { relativeLines, relativeTime } from '../../model/text/time.ts'
import type { QueueItem } from '../../model/queue.ts'
import type { Section } from '../../model/recap.ts'
import { statusText } from '../../model/status-line.ts'

/** What a new window must know besides the plan. */
export interface Background {
  /** The moment at which it is told. */
  readonly now: string
  /** What the windows before have left: at most one of each author, newest first. */
  readonly dehydrations: readonly KeptDehydration[]
  /** Open items of the project, newest first. */
  readonly queue: readonly QueueItem[]
  readonly artifacts: readonly { readonly name: string; readonly path: string | null }[]
  /** Escapes from the plan that the user allowed. */
  readonly approvals: readonly {
    readonly subject: string
    readonly reason: string
    /** An approval is good for once. */
    readonly used_at: string | null
  }[]
  /** Efforts of the project that others are at just now. */
  readonly others: readonly (Pick<Effort, 'id' | 'skill' | 'ordinal' | 'current_phase' | 'task_id'> & {
    readonly agent_id: string | null
  })[]
  /** Finished efforts of the same task, newest first. */
  readonly finished: readonly Pick<Effort, 'id' | 'skill' | 'ordinal'>[]
  /** What the new window has read already. */
  readonly loadedFiles: readonly string[]
}

/** What a window has left behind in the store. */
export interface Traces {
  /** What happened to the effort, newest first. */
  readonly lately: readonly {
    readonly event_type: string
    readonly phase: string
    readonly timestamp: string
  }[]
  /** What was said, newest first. */
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  /** Files that the window has read, in that order. */
  readonly loadedFiles: readonly string[]
  readonly artifacts: readonly string[]
  /** Open items of the queue that belong to the effort. */
  readonly open: readonly string[]
}

const LONGEST = 300

/** In the order of their importance. */
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
      title: 'Open in the queue; settle one with: holdfast queue resolve ID TEXT',
      lines: queue.map(({ id, kind, content }) => `- ${id} (${oneLine(kind)}): ${oneLine(content, LONGEST)}`),
    },
    {
      name: 'approvals',
      title: 'The user has allowed, against the plan:',
      lines: approvalLines(approvals),
    },
    {
      name: 'artifacts',
      title: 'Artifacts of this effort:',
      lines: artifactLines(artifacts),
    },
    {
      name: 'others',
      title: 'Others are at work in this project; leave their efforts to them:',
      lines: others.map(
        (effort) =>
          `- effort ${effort.id} ${oneLine(statusText(effort))}${effort.agent_id === null ? '' : ` by ${oneLine(effort.agent_id)}`}, in ${oneLine(effort.task_id)}`,
      ),
    },
    {
      name: 'finished',
      title: 'Finished before in this task, with their debriefs:',
      lines: finished.map(
        (effort) => `- effort ${effort.id}, skill ${oneLine(effort.skill)}: ${artifactName(effort)}`,
      ),
    },
  ]
}

export const approvalLines = (approvals: Background['approvals']): readonly string[] =>
  approvals.map(
    ({ subject, reason, used_at }) =>
      `- ${oneLine(subject, LONGEST)}: ${oneLine(reason, LONGEST)}${used_at === null ? ' (not used yet)' : ''}`,
  )

export const artifactLines = (artifacts: Background['artifacts']): readonly string[] =>
  artifacts.map(({ name, path }) => `- ${oneLine(name)}${path === null ? '' : `: ${oneLine(path)}`}`)

/** What an agent wrote for its successor. */
function left({ payload, created_at: at }: KeptDehydration, loaded: readonly string[], now: string): Section {
  return {
    name: 'dehydration',
    title: `Handover note of the last session (${relativeTime(at, Date.parse(now))}):`,
    isProse: true,
    lines: [
      ...list('Next steps', payload.nextSteps),
      ...text('Last action', payload.lastAction),
      ...text('Handover', payload.handoverInstructions),
      ...text('Summary', payload.summary),
      ...files(payload, loaded),
      ...text('What the user said', payload.userHistory),
    ],
  }
}

/** What we found in the store when a window ended; where the plan stands is told better by the plan of now. */
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
      ...text('Open', payload.handoverInstructions),
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
  items.length === 0 ? [] : [`${what}:`, ...items.map((item) => `- ${oneLine(item)}`)]

/** The lines of a text that somebody else wrote are set in, so that none can pass for one of ours. */
function text(what: string, value: string | undefined): readonly string[] {
  const lines = (value ?? '').split(/\r\n|[\r\n\u2028\u2029]/).filter((line) => line.trim() !== '')
  const [only = ''] = lines
  if (lines.length === 0) return []
  return lines.length === 1
    ? [`${what}: ${oneLine(only)}`]
    : [`${what}:`, ...lines.map((line) => `  ${oneLine(line)}`)]
}
