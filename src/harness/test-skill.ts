import { dirname, join, relative, resolve } from 'node:path'
import type { Command } from '../cli/frame/command.ts'
import type { Io } from '../cli/frame/io.ts'
import { defaultClient } from '../clients/index.ts'
import { skillsFolder } from '../model/client-files.ts'
import type { Parsed } from '../model/plan/definition.ts'
import type { Plan } from '../model/plan/plan.ts'
import { beHasty, beLazy, beObedient } from './agents.ts'
import { type Level, once, type Tested } from './finding.ts'
import { testGraph } from './graph.ts'
import { ABOUT_ORCHESTRATE, carriesOut, tryOrchestrate } from './orchestrate.ts'
import { ABOUT_PLAIN, missingFiles, testCheck, textsIn, tryPlain } from './plain.ts'
import { Rehearsal } from './rehearsal.ts'
import { testTexts } from './told.ts'
import { type Walk, walksOf } from './walks.ts'
import type { Heard, Window } from './window.ts'
import type { Worked } from './worked.ts'

/** A skill as it was read, and where it is. */
export interface Subject {
  readonly parsed: Parsed
  /** Undefined if it has none, or errors leave none. */
  readonly plan: Plan | undefined
  /** The folder that its paths are relative to. */
  readonly root: string
  readonly overlay: string | undefined
}

/** How a test tells what it does. */
export interface Told {
  readonly io: Io
  readonly commands: readonly Command[]
  /** Says what is tested now. */
  readonly doing: (text: string) => void
}

/** Tests a skill up to a level; texts and agents need a daemon, which is private and gone at the end. */
export async function testSkill(subject: Subject, level: Level, told: Told): Promise<readonly Tested[]> {
  const { parsed, plan, root, overlay } = subject
  told.doing('level 0: the check, and every path of the plan')
  const { about, attempt } = carriesOut(parsed.definition.id) ? BY_RUNBOOK : BY_TEXT
  const first =
    plan === undefined ? testCheck(parsed.diagnostics, about) : testGraph(plan, parsed.diagnostics)
  // A plan with an error is not in force, so agents could only be told of it.
  const isFaulty = first.findings.some(({ code }) => code === 'check')
  if (level === 0 || isFaulty) return [first]
  const { id, file } = parsed.definition
  const folder = resolve(root, dirname(file))
  const rehearsal = new Rehearsal(told.io, told.commands, { id, folder, plan, overlay })
  try {
    const further =
      plan === undefined
        ? await rehearsePlain(rehearsal, parsed, attempt, { level, told })
        : await rehearsePlan(rehearsal, parsed, plan, { level, told })
    return [first, ...further]
  } finally {
    await rehearsal.close()
  }
}

/** How a skill without a plan is tested, and what the report says of that. */
const BY_TEXT = { about: ABOUT_PLAIN, attempt: tryPlain }
const BY_RUNBOOK = { about: ABOUT_ORCHESTRATE, attempt: tryOrchestrate }

interface How {
  readonly level: Level
  readonly told: Told
}

/** Levels 1 and 2 of a skill without a plan, whose texts are those that its agents read. */
async function rehearsePlain(
  rehearsal: Rehearsal,
  parsed: Parsed,
  attempt: typeof tryPlain,
  { level, told }: How,
): Promise<readonly Tested[]> {
  const { heard, tested } = await attempt(rehearsal, parsed.definition, told.doing)
  const texts = testTexts([...textsIn(rehearsal.skill.folder), ...heard], {
    commands: told.commands,
    launcher: rehearsal.launcher,
    fills: false,
  })
  const findings = [...texts.findings, ...missingFiles(parsed.diagnostics)]
  return [{ ...texts, findings }, ...(level === 1 ? [] : [tested])]
}

/** Levels 1 and 2 of a plan: what is read on every walk, and the agents. */
async function rehearsePlan(
  rehearsal: Rehearsal,
  parsed: Parsed,
  plan: Plan,
  { level, told }: How,
): Promise<readonly Tested[]> {
  const { id, file } = parsed.definition
  const staged = inProject(plan, dirname(file), join(skillsFolder(defaultClient), id))
  const walked = await walkAll(rehearsal, staged, told)
  const texts = testTexts(walked.heard, {
    commands: told.commands,
    launcher: rehearsal.launcher,
    fills: plan.format !== undefined,
  })
  const counts = { ...texts.counts, walks: walked.walks.length }
  const agents = level === 1 ? [] : [await testAgents(rehearsal, staged, walked, told)]
  return [{ ...texts, counts }, ...agents]
}

/** The plan, with the paths that its step files have in a project with a copy of the skill. */
const inProject = (plan: Plan, from: string, to: string): Plan => ({
  ...plan,
  steps: plan.steps.map((step) => ({
    ...step,
    place: { ...step.place, file: join(to, relative(from, step.place.file)) },
  })),
})

interface Walked {
  readonly walks: readonly Walk[]
  readonly worked: readonly Worked[]
  readonly heard: readonly Heard[]
}

async function walkAll(rehearsal: Rehearsal, plan: Plan, { doing }: Told): Promise<Walked> {
  const walks = walksOf(plan)
  const worked: Worked[] = []
  const windows: Window[] = []
  for (const [index, walk] of walks.entries()) {
    doing(`an obedient agent, walk ${index + 1} of ${walks.length}`)
    const it = await rehearsal.open()
    windows.push(it)
    worked.push(await beObedient(it, plan, walk))
    await it.ends()
  }
  return { walks, worked, heard: windows.flatMap(({ heard }) => heard) }
}

/** Level 2: the agents. */
async function testAgents(
  rehearsal: Rehearsal,
  plan: Plan,
  { worked, walks }: Walked,
  { doing }: Told,
): Promise<Tested> {
  doing('a lazy agent')
  const lazy = await beLazy(await rehearsal.open(), plan)
  doing('a hasty agent')
  const hasty = await beHasty(await rehearsal.open(), plan)
  const all = [...worked, lazy, hasty]
  return {
    level: 2,
    counts: { walks: walks.length, agents: all.length },
    findings: once(all.flatMap(({ findings }) => findings)),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
  }
}
