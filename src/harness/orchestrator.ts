import { defaultClient } from '../clients/index.ts'
import type { RunbookState } from '../engine/effort/runbook-run.ts'
import { skillsFolder } from '../model/client-files.ts'
import { shellWord } from '../model/shell/word.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import { doNamed } from './named-action.ts'
import { codeLinesIn } from './told.ts'
import { filledBlanks } from './values.ts'
import type { Window } from './window.ts'

/** What sub-agents answer, by step, one try after the other; every other answer is good. */
export interface Answers {
  readonly said?: Readonly<Record<string, readonly string[]>>
  /** A step whose sub-agent commits nothing at first. */
  readonly forgets?: string
  /** Reports each step as done without having it done. */
  readonly idles?: boolean
  /** What else the orchestrator does before it hands out a step; returns what is wrong. */
  readonly before?: (it: Window) => Promise<string | undefined>
}

/** What an orchestrator handed out, as `step model`, and what kept it from the end. */
export interface Conducted {
  readonly handed: readonly string[]
  readonly wrong?: string | undefined
}

/** Where its text leads an orchestrator: what it runs first, and what it calls an answer that says nothing it knows. */
export interface Score {
  readonly first: string
  readonly otherwise: string
}

/** What a text says; undefined if it has no first command. */
export function scoreOf(text: string, runbook: string): Score | undefined {
  const first = codeLinesIn(text).find((line) => line.startsWith(`${PROGRAM} `))
  const [, otherwise = 'unexpected'] = /category `([^`]*)`/.exec(text) ?? []
  return first === undefined ? undefined : { first: first.replaceAll(/\b[A-Z]{2,}\b/g, runbook), otherwise }
}

/** Shows the text of the skill to the agent, and returns it. */
export async function readSkill(it: Window): Promise<string> {
  await it.read(`${skillsFolder(defaultClient)}/${it.skill}/SKILL.md`)
  return it.heard.at(-1)?.text ?? ''
}

/** More moves than a small runbook can take, with every try of every step. */
const MOST_MOVES = 60

/** Copies what is printed and decides nothing, until every step is done. */
export async function conduct(it: Window, score: Score, answers: Answers): Promise<Conducted> {
  const handed: string[] = []
  let command = score.first
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const wrong = await it.shell(command)
    const printed = it.said
    it.effort = Number(/--effort (\d+)/.exec(printed)?.[1] ?? it.effort)
    if (DONE.test(printed)) return { handed }
    if (printed.includes(LINE)) {
      const odd = (await answers.before?.(it)) ?? (await handOut(it, printed, { handed, score, answers }))
      if (odd !== undefined) return { handed, wrong: odd }
      if (DONE.test(it.said)) return { handed }
    }
    const next = await wayOn(it, { refused: wrong, handed, score })
    if ('wrong' in next) return { handed, ...next }
    command = next.command
  }
  return { handed, wrong: `There is no end after ${MOST_MOVES} moves.` }
}

const DONE = /^Every step of the runbook is done\.$/m
const LINE = '\n-----\n'

interface Doing {
  readonly handed: string[]
  readonly score: Score
  readonly answers: Answers
}

/** Has the printed step done, and reports how it ended; returns what is wrong. */
async function handOut(it: Window, printed: string, { handed, score, answers }: Doing) {
  const [step = ''] = /^\[\d+\/\d+\] (\S+)/m.exec(printed)?.slice(1) ?? []
  const prompt = printed.split(LINE)[1] ?? ''
  const model = fieldIn(printed, 'model')
  const tries = handed.filter((one) => one.startsWith(`${step} `)).length
  handed.push(`${step} ${model ?? 'itself'}`)
  const work = () => doStep(it, { step, prompt, commits: answers.forgets !== step })
  const does = model === undefined ? work : () => it.inAgent(prompt, work)
  const wrong = answers.idles === true ? undefined : await does()
  if (wrong !== undefined) return wrong
  const answer = answers.said?.[step]?.[tries] ?? 'done: it is there'
  return await it.shell(reportOf(printed, answer, score))
}

const fieldIn = (printed: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(printed)?.[1]

/** The printed command that reports an answer. */
function reportOf(printed: string, answer: string, { otherwise }: Score): string {
  const commandFor = (word: string) =>
    new RegExp(`^If .*${word}.*?, run: (.*)$`, 'm').exec(printed)?.[1] ?? ''
  if (answer.startsWith('done:')) return commandFor('(?:"done|is done)')
  const [, category = otherwise, reason = answer] = /^error: (\w+): (.*)/.exec(answer) ?? []
  return filledBlanks(commandFor('(?:"error|cannot)').replace('CATEGORY', shellWord(category)), reason)
}

export const COMMIT = 'git add -A && git -c user.name=test -c user.email=test@localhost commit -q -m work'

/** Reads the file of a step, and writes its work and its report; returns what is refused. */
async function doStep(
  it: Window,
  { step, prompt, commits }: { readonly step: string; readonly prompt: string; readonly commits: boolean },
): Promise<string | undefined> {
  const [, file] = /Read (\S+) and do exactly/.exec(prompt) ?? []
  const [, report] = /^Write your report to (\S+)\.$/m.exec(prompt) ?? []
  return (
    (file === undefined ? undefined : await it.read(file)) ??
    (await it.write(`work/${step}-${it.did.length}.txt`, 'An example.\n')) ??
    (report === undefined ? undefined : await it.write(report, 'An example.\n')) ??
    (commits ? await it.shell(COMMIT) : undefined)
  )
}

/** What a report or a refusal leads to: the next command, the user, or what is wrong. */
async function wayOn(
  it: Window,
  { refused, handed, score }: { readonly refused: string | undefined } & Pick<Doing, 'handed' | 'score'>,
): Promise<{ readonly command: string } | { readonly wrong: string }> {
  const text = it.said
  const [, forUser] = /^only the user can run: (.*)$/m.exec(text) ?? []
  if (forUser !== undefined) {
    handed.push('the user')
    const held = await it.stops()
    const wrong = held ?? (await doNamed(it, `Next: run ${forUser}`))
    await it.hears('Go on.')
    return wrong === undefined ? { command: score.first } : { wrong }
  }
  if (refused?.includes('not everything is committed') === true) {
    handed.push('a commit')
    const wrong = await it.inAgent('Commit what you changed for your last step.', () => it.shell(COMMIT))
    return wrong === undefined ? { command: score.first } : { wrong }
  }
  const [, next] = /^next: (.*)$/m.exec(text) ?? []
  return next === undefined ? { wrong: refused ?? `It leads nowhere: ${text}` } : { command: next }
}

/** The step that is handed out, and where the runbook stands, for comparing. */
export async function standOf(it: Window): Promise<{ readonly step: string | null; readonly text: string }> {
  const params = { effort_id: it.effort, cwd: it.project }
  const state = await it.ask<RunbookState & { readonly steps: unknown }>('runbook.status', params)
  const { step, status, next, steps } = state
  return { step, text: JSON.stringify([step, status, next, steps]) }
}
