import { isChild } from '../../model/child.ts'
import { type OpenEffort, resumeCommand } from '../../model/effort.ts'
import type { OpenCall } from '../../model/open-call.ts'
import { begin } from '../../model/plan/advance.ts'
import { isPrinted } from '../../model/plan/plan.ts'
import { nextSteps } from '../../model/plan/visit.ts'
import type { Section } from '../../model/recap.ts'
import type { Session } from '../../model/session.ts'
import { inOneLine, oneLine } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Facts, SkillFacts } from '../facts.ts'
import { type Background, effortSections, projectSections, relatedSections } from './background.ts'
import { contentSections } from './content.ts'
import { chainSections } from './chains.ts'
import { noteSections } from './notes.ts'
import { inUse, openEffort } from './open.ts'
import { pastSections } from './past.ts'
import { standing } from './standing.ts'
import { IN_USE, inSubagent, UNFINISHED } from './words.ts'

/** Budgets in tokens. Clients cut contexts at 10,000 characters, and shell output at three times as many. */
export const BUDGETS = { session: 3000, call: 2000, command: 8000, memory: 700 } as const

/** What all routes tell about the work, most important first: one text, in several budgets. */
export function toldSections({
  work,
  openCalls,
  background,
  open,
  now,
}: Pick<Facts, 'work' | 'background' | 'open' | 'now'> & {
  readonly openCalls: readonly OpenCall[]
}): readonly Section[] {
  const own = workSections({ work, openCalls, background, now })
  // A sub-agent of a step has no part in other work.
  if (work?.effort !== undefined && isChild(work.effort)) return [...own, ...namedSections(background)]
  return [
    ...own,
    ...(background === undefined ? [] : relatedSections(background)),
    ...chainSections(background?.chains),
    ...(background === undefined ? [] : projectSections(background)),
    { name: 'waiting', title: UNFINISHED, lines: waits(open, now) },
    { name: 'in-use', title: IN_USE, lines: inUseBeside(open, background) },
    ...namedSections(background),
  ]
}

/** Long texts, which get the room that the rest leaves. */
export const namedSections = (background: Background | undefined): readonly Section[] =>
  contentSections([...(background?.contents ?? []), ...(background?.standards ?? [])])

/** The part about the effort, for an open session, which knows the project already. */
export function workSections({
  work,
  openCalls,
  background,
  now,
}: Pick<Facts, 'work' | 'background' | 'now'> & {
  readonly openCalls: readonly OpenCall[]
}): readonly Section[] {
  const where = work === undefined ? [] : standing(work)
  const calls = [...openCalls, ...(background?.lostCalls ?? [])]
  return [
    { name: 'standing', lines: where.flatMap((text) => text.split('\n')), isEssential: true },
    ...(background === undefined ? [] : noteSections(background.dehydrations, now)),
    {
      name: 'unknown',
      title:
        'These tool calls were running when the client ended; their outcome is unknown. Check before you repeat them:',
      lines: unknown([...new Map(calls.map((call) => [call.id, call])).values()], Date.parse(now)),
    },
    ...pastSections(background?.past, now),
    ...(background === undefined
      ? []
      : [
          { name: 'read', title: 'Read first:', lines: toRead(work, background) },
          ...effortSections(background),
        ]),
  ]
}

/** Where a new session finds the tasks that earlier ones left. */
export const sessionFileSections = (path: string | undefined): readonly Section[] =>
  path === undefined
    ? []
    : [
        {
          name: 'session-file',
          lines: [`Tasks for this project are in ${oneLine(path)}. To see the next one: holdfast handoff`],
        },
      ]

/** How the commands of a sub-agent name its effort. */
export const scopeSections = (
  { scope_of }: Pick<Session, 'scope_of'>,
  work: SkillFacts | undefined,
): readonly Section[] =>
  scope_of === null || work?.effort === undefined
    ? []
    : [{ name: 'scope', lines: [inSubagent(work.effort.id)], isEssential: true }]

const MOST_READ = 12

/** The skill, its current or next steps, and the files that notes require, without what the context has. */
function toRead(work: SkillFacts | undefined, { loadedFiles, requiredFiles }: Background): readonly string[] {
  const missing = new Set(requiredFiles.filter(({ isMissing }) => isMissing).map(({ path }) => path))
  const own = work === undefined ? [] : [...startedFiles(work), ...nextFiles(work)]
  // An agent that reads the files in order must not run through the plan.
  const later = new Set(work?.plan?.steps.map(({ place }) => place.file))
  const required = requiredFiles.map(({ path }) => path).filter((path) => !later.has(path))
  const files = [...own, ...required]
  return [...new Set(files)]
    .filter((file) => !loadedFiles.includes(file))
    .slice(0, MOST_READ)
    .map((file) => `- ${inOneLine(file)}${missing.has(file) ? ' (missing)' : ''}`)
}

const MOST_NEXT = 3

/** SKILL.md and the files of the started steps; the module of a workflow has all steps, which are printed one at a time. */
export function startedFiles({ plan, progress, folder }: SkillFacts): readonly string[] {
  const steps = plan === undefined || isPrinted(plan) ? [] : plan.steps
  // What is handed out is for a sub-agent to read.
  const started = steps.filter(
    ({ id, hands }) => hands === undefined && progress?.current.includes(id) === true,
  )
  return [...(folder === null ? [] : [`${folder}/SKILL.md`]), ...started.map(({ place }) => place.file)]
}

/** A started step comes before the next one. */
function nextFiles({ plan, progress, recorded }: SkillFacts): readonly string[] {
  if (plan?.notation !== 'steps' || (progress?.current ?? []).length > 0) return []
  const next = new Set(nextSteps(plan, progress ?? begin(plan), recorded).slice(0, MOST_NEXT))
  return plan.steps.filter(({ id }) => next.has(id)).map(({ place }) => place.file)
}

const MOST_SHOWN = 5
const MOST_CALLS = 20
const LONGEST_TEXT = 100

function unknown(calls: readonly OpenCall[], now: number): readonly string[] {
  const lines = calls
    .slice(-MOST_CALLS)
    .map(
      ({ tool, what, at }) =>
        `- ${oneLine(tool, LONGEST_TEXT)} ${inOneLine(what, LONGEST_TEXT)} (started ${relativeTime(at, now)})`,
    )
  const more = calls.length > MOST_CALLS ? [`- and ${calls.length - MOST_CALLS} earlier calls`] : []
  return [...lines, ...more]
}

/** The efforts that somebody works on, without those that the background lists. */
const inUseBeside = (open: readonly OpenEffort[], background: Background | undefined): readonly string[] =>
  inUse(open.filter(({ id }) => background?.others.some((one) => one.id === id) !== true)).map(
    (line) => `- ${line}`,
  )

function waits(open: readonly OpenEffort[], now: string): readonly string[] {
  const free = open.filter(({ holder }) => holder === null)
  const lines = free.slice(0, MOST_SHOWN).map((one) => `- ${openEffort(one, now)}: ${resumeCommand(one)}`)
  // The total is not loaded, because it has no bound.
  const more = free.length > MOST_SHOWN ? ['- more: holdfast effort find-active'] : []
  return [...lines, ...more]
}
