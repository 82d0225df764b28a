import { dirname, join, relative, resolve } from 'node:path'
import type { Command } from '../cli/frame/command.ts'
import type { Io } from '../cli/frame/io.ts'
import { defaultClient } from '../clients/index.ts'
import { skillsFolder } from '../model/client-files.ts'
import type { Parsed } from '../model/plan/definition.ts'
import type { Plan } from '../model/plan/plan.ts'
import { beHasty, beLazy, beObedient, type Worked } from './agents.ts'
import type { Finding, Level, Tested } from './finding.ts'
import { testGraph } from './graph.ts'
import { Rehearsal } from './rehearsal.ts'
import { faultsIn, type Measure } from './told.ts'
import { type Walk, walksOf } from './walks.ts'
import type { Heard, Window } from './window.ts'

/** A skill as it was read, and where it is. */
export interface Subject {
  readonly parsed: Parsed
  /** Undefined if errors leave no plan. */
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
  told.doing('level 0: every path of the plan')
  const graph = testGraph(plan, parsed.diagnostics)
  // A plan with an error is not in force, so agents could only be told of it.
  const isFaulty = graph.findings.some(({ code }) => code === 'check')
  if (level === 0 || plan === undefined || isFaulty) return [graph]
  const { id, file } = parsed.definition
  const folder = resolve(root, dirname(file))
  const rehearsal = new Rehearsal(told.io, told.commands, { id, folder, plan, overlay })
  const staged = inProject(plan, dirname(file), join(skillsFolder(defaultClient), id))
  const walked = await walkAll(rehearsal, staged, told)
  const texts = testTexts(walked, {
    commands: told.commands,
    launcher: rehearsal.launcher,
    fills: plan.format !== undefined,
  })
  const agents = level === 1 ? [] : [await testAgents(rehearsal, staged, walked, told)]
  await rehearsal.close()
  return [graph, texts, ...agents]
}

/** The plan with the files of its steps as they are called in a project that has a copy of the skill. */
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

/** Level 1: what agents read on all walks. */
function testTexts({ heard, walks }: Walked, measure: Measure): Tested {
  const texts = [...new Map(heard.map((one) => [one.text, one])).values()]
  const largest = texts.reduce((most, { text }) => Math.max(most, text.length), 0)
  return {
    level: 1,
    counts: { texts: texts.length, largest, walks: walks.length },
    findings: once(texts.flatMap((one) => faultsIn(one, measure))),
    notes: [],
  }
}

/** Reports the same fault of many texts with the first. */
const once = (findings: readonly Finding[]): readonly Finding[] =>
  [...new Map(findings.toReversed().map((one) => [`${one.code} ${one.message}`, one])).values()].toReversed()

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
