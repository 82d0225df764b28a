import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemIo } from '../src/cli/frame/io.ts'
import { describeOffer } from '../src/cli/frame/step-screen.ts'
import { agentsFor } from '../src/cli/skill/link-agents.ts'
import { clients } from '../src/clients/index.ts'
import { viewOfStep } from '../src/engine/effort/step-view.ts'
import type { Mover } from '../src/engine/effort/mover.ts'
import { modulesOf, textsAt } from '../src/files/skill-at.ts'
import { parse } from '../src/files/skill-texts.ts'
import type { Shipped } from '../src/model/catalogue.ts'
import type { Definition, ExportedModule } from '../src/model/plan/definition.ts'
import { NOTHING_RECORDED } from '../src/model/plan/evidence.ts'
import { ownValues } from '../src/model/plan/plan-for.ts'
import { offerOf } from '../src/model/plan/pipeline.ts'
import { isPipeline, isPrinted, type Plan, type Step } from '../src/model/plan/plan.ts'
import { allTexts } from '../src/model/plan/template.ts'
import { tokensOf } from '../src/model/recap.ts'
import { printStep } from '../src/model/workflow/print.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openStore, type Store } from '../src/store/store.ts'

/** What `skill list --catalogue` says of the skills of the package, measured by what our own program prints. */
export async function catalogue(
  contents: string,
  trusted: Readonly<Record<string, unknown>>,
): Promise<readonly Shipped[]> {
  const folder = join(contents, 'skills')
  const names = readdirSync(folder).toSorted()
  const store = await openStore(openSqlite(':memory:'), { clock: { now: () => 0 } })
  try {
    const measured = await Promise.all(
      names.map(async (name) => await shippedAt(join(folder, name), { names, trusted, store, contents })),
    )
    return measured.map(({ runs, ...one }) => ({ ...one, tokens: one.tokens + sumOf(measured, runs) }))
  } finally {
    await store.close()
  }
}

/** A skill, and those that its pipeline runs, whose tokens are a part of a full run. */
type Measured = Shipped & { readonly runs: readonly string[] }

const sumOf = (all: readonly Measured[], names: readonly string[]): number =>
  all.filter(({ name }) => names.includes(name)).reduce((sum, { tokens }) => sum + tokens, 0)

interface Around {
  readonly contents: string
  readonly names: readonly string[]
  readonly trusted: Readonly<Record<string, unknown>>
  readonly store: Store
}

async function shippedAt(folder: string, { contents, names, trusted, store }: Around): Promise<Measured> {
  const found = await textsAt(folder, clients)
  if (found === undefined) throw new Error(`${folder} has no SKILL.md.`)
  const { candidate, texts, code } = found
  const module = trusted[code?.digest ?? ''] as ExportedModule | undefined
  const { definition } = await parse(candidate, texts, { modules: modulesOf(candidate, module) })
  const { id: name, plan, file } = definition
  const own = plan !== undefined && (isPrinted(plan) || isPipeline(plan)) ? plan : undefined
  const printed = own === undefined ? NOTHING_PRINTED : await printedBy(store, name, own)
  const skillFile = tokensOf(texts.get(file) ?? '')
  return {
    name,
    ...saidOf(definition),
    steps: own?.steps.length ?? 0,
    tokens: skillFile + (own === undefined ? 0 : longestWay(own, printed.own)),
    largest: Math.max(own === undefined ? skillFile : 0, ...printed.own.values(), ...printed.below),
    skills: names.filter((other) => other !== name && goesOnTo(definition).has(other)),
    runs: (plan?.steps ?? []).flatMap(({ runs }) => (runs?.kind === 'skill' ? [runs.name] : [])),
    agents: agentsFor(name, plan).filter((agent) => existsSync(join(contents, 'agents', `${agent}.md`))),
  }
}

const NOTHING_PRINTED: Printed = { own: new Map(), below: [] }

/** What the author says in the frontmatter; without a summary, the first sentence of the description. */
function saidOf({ fields, description }: Definition): Pick<Shipped, 'summary' | 'needs' | 'leaves'> {
  const said = (fields['metadata']?.value ?? {}) as Readonly<Record<string, unknown>>
  const text = (key: string): string | null => {
    const value = said[key]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  const [first = ''] = /^.*?\.(?= |$)/.exec(description) ?? [description]
  return { summary: text('summary') ?? first, needs: text('needs'), leaves: text('leaves') }
}

interface Printed {
  /** The tokens of each step, by id. */
  readonly own: ReadonlyMap<string, number>
  /** The tokens of each step of its sub-agents. */
  readonly below: readonly number[]
}

/** What each step prints when it is reached for the first time. */
async function printedBy(store: Store, skill: string, plan: Plan): Promise<Printed> {
  const own = await Promise.all(
    plan.steps.map(async (step) => [step.id, await tokensOfStep(store, skill, plan, step)] as const),
  )
  const below = await Promise.all(
    Object.entries(plan.workflows ?? {}).map(
      async ([word, one]) => await printedBy(store, `${skill}/${word}`, one),
    ),
  )
  return { own: new Map(own), below: below.flatMap((one) => [...one.own.values(), ...one.below]) }
}

/** A task folder as long as people have them; no machine has it. */
const TASK = '/home/somebody/code/project/.holdfast/tasks/2026-01-01-an-example-of-a-task'

async function tokensOfStep(store: Store, skill: string, plan: Plan, step: Step): Promise<number> {
  if (isPipeline(plan)) return tokensOfOffer(plan, step)
  const { id } = step
  const effort = { id: 1, task_id: TASK, skill, lifecycle: 'active' }
  // Only what decides what a step prints; the rest is how an effort is stored.
  const mover = {
    effort,
    plan,
    progress: { status: 'running', current: [id], open: [], visits: { [id]: { attempts: 1 } } },
    recorded: NOTHING_RECORDED,
    values: ownValues(plan, effort),
  } as unknown as Mover
  const view = await store.transact(async (tx) => await viewOfStep(tx, mover), { reads: true })
  if (view === null) throw new Error(`Step ${id} of ${skill} prints nothing.`)
  return tokensOf(`${printStep(view)}\n`)
}

function tokensOfOffer(plan: Plan, step: Step): number {
  const about = { effortId: 1, folder: TASK, args: 'what the user asked for', attempt: 1, resumed: false }
  return tokensOf(`${describeOffer({ ...systemIo(false), color: false }, offerOf(plan, step, about))}\n`)
}

/** The most that a way from the first step to an end prints if it never goes back. */
function longestWay(plan: Plan, tokens: ReadonlyMap<string, number>): number {
  // The stages of a pipeline follow each other.
  if (isPipeline(plan)) return [...tokens.values()].reduce((sum, one) => sum + one, 0)
  const from = new Map<string, number>()
  for (const step of plan.steps.toReversed()) {
    const after = forward(plan, step).map((id) => from.get(id) ?? 0)
    from.set(step.id, (tokens.get(step.id) ?? 0) + Math.max(0, ...after))
  }
  return Math.max(0, ...from.values())
}

/** The steps that a step leads to and that stand behind it, because those before it belong to a loop. */
function forward({ steps }: Plan, step: Step): readonly string[] {
  const behind = new Set(steps.slice(steps.indexOf(step) + 1).map(({ id }) => id))
  const targets = [...Object.values(step.next ?? {}).flat(), step.onLimit, step.onError]
  return targets.filter((id) => id !== undefined && behind.has(id)) as readonly string[]
}

/** The skills that follow by default, that a pipeline runs, or that a command in a step names. */
function goesOnTo({ engine, plan }: Definition): ReadonlySet<string> {
  const { 'default-exit': exit } = (engine['continuation'] ?? {}) as { readonly 'default-exit'?: unknown }
  const ours = allTexts(plan ?? {}).flatMap((text) => text.match(/\bholdfast [^`]+/g) ?? [])
  const run = (plan?.steps ?? []).flatMap(({ runs }) => (runs?.kind === 'skill' ? allTexts(runs) : []))
  const called = [...allTexts(exit ?? []), ...ours].flatMap((text) => [
    ...text.matchAll(/(?<![\w.])\/([a-z0-9-]+)/g),
  ])
  return new Set([...called.map(([, name = '']) => name), ...run.map((name) => name.replace(/^\//, ''))])
}
