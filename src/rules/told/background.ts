import type { Frames } from '../../model/chain/move.ts'
import type { Effort } from '../../model/effort.ts'
import type { OpenCall } from '../../model/open-call.ts'
import { shellWord } from '../../model/shell/word.ts'
import { inOneLine, listed, oneLine, quoted } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { QueueItem } from '../../model/queue.ts'
import type { Section } from '../../model/recap.ts'
import type { RelatedSession } from '../../model/same-files.ts'
import { resultInShort } from '../../model/result.ts'
import { statusText } from '../../model/status-line.ts'
import type { Content } from './content.ts'
import type { Note } from './notes.ts'
import { type KeptMode, modeLine } from './modes.ts'
import type { Past } from './past.ts'
import { effortOf } from './words.ts'

/** What a session must know besides the plan. */
export interface Background {
  /** The current time. */
  readonly now: string
  /** Handover notes of earlier sessions: at most one per author, newest first. */
  readonly dehydrations: readonly Note[]
  /** Calls of the last session of another client, which ended before they did. */
  readonly lostCalls: readonly OpenCall[]
  /** Files that the sessions of this work wrote, newest first. */
  readonly changedFiles: readonly string[]
  /** The files of this effort in its task folder; undefined if nobody looked for the file. */
  readonly files: readonly {
    readonly kind: string
    readonly path: string
    readonly isWritten: boolean | undefined
  }[]
  /** Finished efforts of the same task, newest first, with the debriefs that exist. */
  readonly finished: readonly (Pick<Effort, 'id' | 'skill' | 'result'> & {
    readonly debrief: string | undefined
  })[]
  /** How the work came to where it is. */
  readonly path: WorkPath
  /** What the current phase names. */
  readonly contents: readonly Content[]
  /** Standards of the project that the context does not have. */
  readonly standards: readonly Content[]
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
  /** Files that the context has loaded. */
  readonly loadedFiles: readonly string[]
  /** Files that the notes require, those of the agent first. */
  readonly requiredFiles: readonly { readonly path: string; readonly isMissing: boolean }[]
  /** The chain of the session, and those that no live session has. */
  readonly chains?: { readonly own: Frames | undefined; readonly free: readonly Frames[] } | undefined
  /** Earlier sessions of the project with the same files, for a new context. */
  readonly related: readonly RelatedSession[]
  /** What was said and done before, in a session without a skill. */
  readonly past?: Past | undefined
  /** The root of the workplace; texts show paths below it as relative. */
  readonly root: string
}

/** What was looked up on disk before the transaction. */
export interface LookedUp {
  /** Which files of efforts exist. */
  readonly written: ReadonlyMap<string, boolean>
  /** What phases name, by skill, phase and mode. */
  readonly contents: ReadonlyMap<string, readonly Content[]>
  /** The standards of the project. */
  readonly standards: readonly Content[]
}

export const NOTHING_LOOKED_UP: LookedUp = { written: new Map(), contents: new Map(), standards: [] }

/** The mode, the caller, the visits and the work folder of a skill. */
export interface WorkPath {
  readonly mode?: string | undefined
  /** The modes that the effort keeps; one that nobody knows any more has no text. */
  readonly modes?: readonly KeptMode[] | undefined
  /** The skill that called this one. */
  readonly from?: string | undefined
  readonly stage?: string | undefined
  /** The current steps or phase, and how often the work was there. */
  readonly visits: readonly { readonly name: string; readonly count: number }[]
  /** The text about the folder of its run. */
  readonly run?: string | undefined
}

/** What a session left behind in the store. */
export interface Traces {
  /** Messages of the session, newest first. */
  readonly messages: readonly {
    readonly role: string
    readonly content: string
    readonly tool_name: string | null
  }[]
  /** What the user said in all sessions of the effort, newest first. */
  readonly asked: readonly string[]
  /** Files that the session read, in order. */
  readonly loadedFiles: readonly string[]
  readonly artifacts: readonly string[]
  /** Open queue items of the effort. */
  readonly open: readonly string[]
}

const LONGEST = 300
const MOST_CHANGED = 20
const LONGEST_FILES = 160

/** What belongs to the effort itself, most important first. */
export const effortSections = (background: Background): readonly Section[] => [
  {
    name: 'changed',
    title: 'Files changed by the work so far, newest first:',
    lines: changedLines(background),
  },
  { name: 'files', title: 'Files of this effort:', lines: background.files.map(fileLine) },
  {
    name: 'finished',
    title: 'Finished efforts of this task:',
    lines: background.finished.map(
      ({ id, skill, debrief, result }) =>
        `- ${effortOf(id, skill)}${debrief === undefined ? '' : `, debrief: ${oneLine(debrief)}`}${result == null ? '' : `, result: ${resultInShort(result)}`}`,
    ),
  },
  { name: 'path', lines: pathLines(background.path) },
  {
    name: 'approvals',
    title: 'Exceptions to the plan that the user approved:',
    lines: background.approvals.map(
      ({ subject, reason, used_at }) =>
        `- ${oneLine(subject, LONGEST)}: ${inOneLine(reason, LONGEST)}${used_at === null ? ' (not used yet)' : ''}`,
    ),
  },
  {
    name: 'artifacts',
    title: 'Artifacts of this effort:',
    lines: background.artifacts.map(
      ({ name, path }) => `- ${oneLine(name)}${path === null ? '' : `: ${oneLine(path)}`}`,
    ),
  },
]

/** What belongs to the project, most important first. */
export const projectSections = ({ queue, others }: Background): readonly Section[] => [
  {
    name: 'queue',
    title: 'Open queue items (to close one: holdfast queue resolve ID TEXT):',
    lines: queue.map(({ id, kind, content }) => `- ${id} (${oneLine(kind)}): ${inOneLine(content, LONGEST)}`),
  },
  {
    name: 'others',
    title: 'Other agents are working in this project. Leave these efforts to them:',
    lines: others.map(
      (effort) =>
        `- effort ${effort.id} ${oneLine(statusText(effort))}${effort.agent_id === null ? '' : ` by ${oneLine(effort.agent_id)}`}, in ${oneLine(effort.task_id)}`,
    ),
  },
]

/** Earlier sessions about the files of this work, with the command that shows what was said. */
export const relatedSections = ({ related, root, now }: Background): readonly Section[] => [
  {
    name: 'related',
    title: 'Earlier sessions that worked on these files:',
    lines: related.map(({ native_id, at, about, changed, read }) => {
      const names = (paths: readonly string[]) =>
        listed(
          paths.map((path) => inside(path, root)),
          LONGEST_FILES,
        )
      const what = [
        ...(changed.length === 0 ? [] : [`changed ${names(changed)}`]),
        ...(read.length === 0 ? [] : [`read ${names(read)}`]),
      ]
      const asked = about === null ? '' : ` ${quoted(inOneLine(about), LONGEST_FILES)}`
      const when = relativeTime(at, Date.parse(now))
      return `- ${when},${asked} ${what.join(' and ')}: holdfast session show ${shellWord(native_id)}`
    }),
  },
]

function changedLines({ changedFiles, root }: Background): readonly string[] {
  const lines = changedFiles.slice(0, MOST_CHANGED).map((path) => `- ${oneLine(inside(path, root))}`)
  const more = changedFiles.length - lines.length
  return more > 0 ? [...lines, `- and ${more} earlier files`] : lines
}

const inside = (path: string, root: string): string =>
  root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path

const fileLine = ({ kind, path, isWritten }: Background['files'][number]): string =>
  `- ${kind}: ${oneLine(path)}${isWritten === false ? ' (not written yet)' : ''}`

function pathLines({ mode, modes = [], from, stage, visits, run }: WorkPath): readonly string[] {
  return [
    ...(mode === undefined ? [] : [`Mode: ${oneLine(mode, LONGEST)}.`]),
    ...(modes.length === 0 ? [] : ['Modes set for this work:', ...modes.map(modeLine)]),
    ...(from === undefined ? [] : [`Called by skill ${quoted(from, LONGEST)}.`]),
    ...(stage === undefined ? [] : [`Planning stage: ${oneLine(stage, LONGEST)}.`]),
    ...visits.map(({ name, count }) => `Visit ${count} of ${quoted(name, LONGEST)}.`),
    ...(run === undefined ? [] : run.split('\n')),
  ]
}
