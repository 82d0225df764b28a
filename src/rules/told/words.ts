import type { UnsureWhy } from '../../model/subject.ts'
import { fillIn } from '../../model/plan/action-words.ts'
import { type Seen, shownOf } from '../../model/plan/shown.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed, oneLine, quoted } from '../../model/text/line.ts'
import type { BusyNamesake } from '../facts.ts'

/** Sentences that several rules share or tests look for; each stands here only. */

export const effortOf = (id: number, skill: string): string => `effort ${id} of ${oneLine(skill)}`

export const tracking = (id: number, skill: string): string => `Tracking ${effortOf(id, skill)}`

export const stepToDo = (label: string, file: string, isOptional = false): string =>
  `do step ${quoted(label)}${isOptional ? ', optional' : ''} (read ${oneLine(file)})`

/** The steps that are left, in the order to do them. */
export const thenLine = (labels: readonly string[]): string =>
  ` Then: ${listed(
    labels.map((label) => quoted(label)),
    600,
  )}.`

export const needs = (step: string, artifacts: string): string => `Step ${quoted(step)} needs ${artifacts}`

/** An artifact as the object of a sentence, with the steps that produce it. */
export const productOf = (artifact: string, producers: readonly string[]): string =>
  `${quoted(artifact)}, which step ${producers.map((label) => quoted(label)).join(' or ')} produces`

/** Says how much of a step was shown, and what to read to go on. */
export function readInPart(label: string, file: string, seen: Seen | undefined): string {
  const read = `Next: read ${oneLine(file)}`
  if (seen === undefined) return `Step ${quoted(label)} was read only in part. ${read}.`
  const { total, missing, bySubagent } = seen
  if (bySubagent !== undefined)
    return `Step ${quoted(label)} was given to a sub-agent that was shown ${bySubagent} of its ${total} lines. ${read}.`
  return `Step ${quoted(label)} was read only in part (${shownOf(seen)} of ${total} lines). ${read} from line ${missing[0] ?? 1}.`
}

/** Says what a sub-agent does with a step that its main thread may not read yet. */
export const LEAVE_IT =
  'Next: go on without it and report that; the main thread does the steps in order, and can give you one.'

/** Says that the main thread must wait for steps that sub-agents have. */
export const withSubagent = (labels: readonly string[]): string =>
  `Next: wait for the sub-agent that has step ${labels.map((label) => quoted(label)).join(' and ')}; it counts once the sub-agent is done. Do not do it yourself.`

/** Says to a sub-agent, whose shell is that of its session, how its commands name its own effort. */
export const inSubagent = (id: number): string =>
  `You are a sub-agent with an effort of your own. Name it in every command: holdfast step --effort ${id}`

/** Says that the main thread has nothing to do for a skill. */
export const givenToSubagent = (skill: string): string =>
  `A sub-agent does skill ${quoted(skill)}, and its plan applies there. Do not do its steps yourself.`

/** Says that a skill has changed, so that its plan is no longer in force. */
export const unfitText = (skill: string): string =>
  `The plan of skill ${quoted(skill)} no longer fits its text, so nothing is enforced. See: holdfast skill check --all. Propose it again: holdfast skill adopt ${shellWord(skill)} --replace`

/** Says that a skill has a workflow to which nothing holds anybody. */
export const distrustText = (skill: string, why: 'untrusted' | 'changed'): string =>
  `The workflow of skill ${quoted(skill)} is not in force, because its code ${why === 'changed' ? 'has changed since the user trusted it' : 'is not trusted'}. Nothing is enforced. Only the user can trust it: holdfast skill trust ${shellWord(skill)}`

/** A plan that is only a guide, by the titles of its steps. */
export const guideText = (skill: string, { steps, unfit }: Plan): string =>
  `Guide of skill ${quoted(skill)}, ${unfit === true ? 'which has changed since its plan was made' : 'guessed from its headings'}: ${listed(steps.map(titleOf), 1200)}. Nothing is enforced.`

const titleOf = ({ label, title }: Step): string =>
  title === '' || title === label ? label : `${label} ${title}`

export const NO_STEP_LEFT = 'No step is left to start.'

/** Says what the command that shows an effort does for a workflow. */
export const PRINTS_STEP =
  'It prints the step to do and the exact command that goes on; run it before anything else.'

/** Says that nothing may come before the first step of a workflow. */
export const firstStepFirst = (skill: string, command: string): string =>
  [
    `Skill ${quoted(skill)} prints its first step before anything else is done.`,
    ...fillIn([command]),
    `Next: run ${command}`,
  ].join(' ')

export const STARTED = 'Started'

export const TODOS = 'Required todos'

export const PROOF = 'Proof required to leave it'

export const NO_PHASE = 'No phase entered yet.'

export const currentPhase = (phase: string): string => `Current phase: ${quoted(phase)}.`

export const nowInPhase = (effort: number, phase: string): string =>
  `Effort ${effort} is now in phase ${quoted(phase, 200)}.`

export const effortLost = (
  id: number,
  skill: string,
  { by, command }: { readonly by: string | undefined; readonly command: string },
): string =>
  by === undefined
    ? `This session no longer has ${effortOf(id, skill)}: it was ended elsewhere, and its plan no longer applies. To begin it again, if the user asks: ${command}`
    : `This session no longer has ${effortOf(id, skill)}: ${oneLine(by)} has it. To get it back, if the user asks: ${command}`

/** Tells a session that the user gave it an effort in a terminal. */
export const effortGiven = (id: number, skill: string): string =>
  `The user gave ${effortOf(id, skill)} to this session, which goes on with it.`

/** Tells a session that another one works in the name of its agent. */
export const agentBusy = ({ agent, effort, by, command }: BusyNamesake): string =>
  `Agent ${oneLine(agent)} works on ${effortOf(effort.id, effort.skill)} in ${oneLine(by)}, so this session works without that name.${command === undefined ? '' : ` To take it over, if the user asks: ${command}`}`

export const IN_USE = 'Work of others. Leave it to them:'

export const UNFINISHED = 'Unfinished work. Resume only if the user asks:'

export const noLogEntry = (calls: number): string =>
  `${calls} tool ${calls === 1 ? 'call' : 'calls'} with no log entry`

export const contextFull = (percent: number): string => `The context window is ${percent} % full.`

export const NO_EFFORT = 'This project requires an effort for file changes, and this session has none.'

/** Which files may not change yet, since when they may, and where the plan stands. */
export const changedOnlyFrom = (files: string, since: string, now: string): string =>
  `${files} may be changed only from ${since} on; now ${now}.`

/** What keeps a turn from ending. */
export const stillOpen = (id: number, skill: string, open: string): string =>
  `Effort ${id} of ${oneLine(skill)} is still open at: ${open}; if only the user can decide how to continue, ask and stop again.`

export const directiveFor = (folder: string, path: string): string =>
  `Directive for ${oneLine(folder)}, from ${oneLine(path)}:`

export const inQueue = (items: string, newest: string): string =>
  `${items} in the queue. Newest: ${oneLine(newest, 200)}.`

export const todosLacking = (skill: string, names: string): string =>
  `The todo list lacks items that skill ${quoted(skill)} requires: ${names}.`

/** Says why a strict project refuses a command that does not read a step openly. */
export const namesStep = (why: UnsureWhy): string =>
  why === 'limit'
    ? 'The command names a step and is more than Holdfast can work out.'
    : 'The command gives a step to a program that may show its text.'

/** Says why a strict project refuses to read a file by the folder of a process. */
export const ofProcess = (path: string): string =>
  `Holdfast cannot tell which file ${quoted(path)} is, because it leads through a process. Next: read the file by its own path.`
