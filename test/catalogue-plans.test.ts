import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clients } from '../src/clients/index.ts'
import { modulesOf, textsAt } from '../src/files/skill-at.ts'
import { parse } from '../src/files/skill-texts.ts'
import type { ExportedModule } from '../src/model/plan/definition.ts'
import type { Plan, Step } from '../src/model/plan/plan.ts'

const FOLDER = 'contents/skills'
const TRUSTED = JSON.parse(readFileSync('contents/trusted.json', 'utf8')) as Readonly<Record<string, unknown>>

async function planOf(name: string): Promise<Plan> {
  const found = await textsAt(join(FOLDER, name), clients)
  if (found === undefined) throw new Error(`${name} has no SKILL.md.`)
  const { candidate, texts, code } = found
  const module = TRUSTED[code?.digest ?? ''] as ExportedModule | undefined
  const { definition } = await parse(candidate, texts, { modules: modulesOf(candidate, module) })
  if (definition.plan === undefined) throw new Error(`${name} has no plan.`)
  return definition.plan
}

/** What people who know the method look for in a skill: its steps in order, what sub-agents do, and how loops end. */
interface Shape {
  /** Those of prompt-engineer are counted for each way behind its triage. */
  readonly steps: string
  /** How many steps each workflow of its sub-agents has. */
  readonly below?: Readonly<Record<string, number>>
  /** A loop that reaches its limit goes on. */
  readonly caps?: readonly string[]
  /** Sub-agents at the same time, and how many must succeed. */
  readonly atOnce?: readonly string[]
  readonly edges?: readonly string[]
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'codebase-analysis': {
    steps: 'scope survey deepen synthesize',
    below: { 'explore-area': 2 },
    caps: ['scope 3 → survey', 'survey 3 → deepen', 'deepen 4 → synthesize'],
    atOnce: ['survey explorers'],
    edges: ['scope iterate → scope', 'deepen iterate → deepen', 'deepen survey → survey'],
  },
  'decision-critic': {
    steps:
      'extract-structure classify-verifiability generate-questions factored-verification contrarian-perspective alternative-framing synthesis',
  },
  deepthink: {
    steps:
      'context-clarification abstraction characterization analogical-recall planning sub-agent-design design-critique design-revision dispatch quality-gate aggregation initial-synthesis iterative-refinement formatting-output',
    below: { inquiry: 8 },
    caps: ['iterative-refinement 5 → formatting-output'],
    atOnce: ['dispatch 4, 3 needed'],
    edges: [
      'planning skip → initial-synthesis',
      'sub-agent-design skip → initial-synthesis',
      'design-critique skip → initial-synthesis',
      'design-revision skip → initial-synthesis',
      'quality-gate skip → initial-synthesis',
    ],
  },
  executor: {
    steps:
      'planning reconciliation implementation qr-code qr-code-gate documentation qr-docs qr-docs-gate retrospective',
    below: { 'carry-out': 4, reconcile: 3, 'review-code': 5, document: 3, 'review-docs': 3 },
    caps: ['planning 6 → qr-code'],
    atOnce: ['reconciliation agents', 'implementation agents'],
    edges: [
      'planning check → reconciliation',
      'reconciliation ok → planning',
      'qr-code-gate pass → documentation',
      'qr-code-gate fail → implementation',
      'qr-docs-gate pass → retrospective',
      'qr-docs-gate fail → documentation',
    ],
  },
  // With the 8 steps of its sub-agents, 21.
  incoherence: {
    steps:
      'codebase-survey dimension-selection exploration-dispatch synthesize-candidates deep-dive-dispatch verdict-analysis prepare-batches present-batch loop-controller plan-dispatch reconcile-dispatch reconcile-collect present-report',
    below: { explore: 4, 'deep-dive': 2, reconcile: 2 },
    caps: ['present-batch 8 → plan-dispatch'],
    atOnce: [
      'exploration-dispatch 4, 3 needed',
      'deep-dive-dispatch 3, 2 needed',
      'reconcile-dispatch 3, 3 needed',
    ],
    edges: ['present-batch ok → loop-controller', 'loop-controller next → present-batch'],
  },
  planner: {
    steps:
      'context testing-strategy approaches assumptions milestones qr-completeness qr-completeness-gate diffs qr-code qr-code-gate scrub qr-docs qr-docs-gate',
    below: {
      context: 5,
      'review-plan': 6,
      'fill-diffs': 4,
      'review-code': 7,
      'scrub-docs': 6,
      'review-docs': 5,
    },
    edges: [
      'qr-completeness-gate fail → milestones',
      'qr-code-gate fail → diffs',
      'qr-docs-gate fail → scrub',
    ],
  },
  'problem-analysis': {
    steps: 'gate hypothesize investigate formulate output',
    caps: ['investigate 5 → formulate'],
    edges: ['investigate iterate → investigate'],
  },
  'prompt-engineer': {
    steps: 'triage 1, single 7, ecosystem 8, greenfield 7, problem 7',
    caps: [
      'single-propose 4 → single-report',
      'ecosystem-propose 4 → ecosystem-report',
      'greenfield-propose 4 → greenfield-report',
      'problem-isolate 5 → problem-propose',
      'problem-propose 4 → problem-report',
    ],
  },
  refactor: {
    steps: 'dispatch triage cluster contextualize synthesize',
    below: { 'look-for-smells': 2 },
    atOnce: ['dispatch explorers'],
  },
  'solution-design': {
    steps: 'context calibrate reflect dispatch aggregate synthesize challenge select output',
    below: { perspective: 3 },
    atOnce: ['dispatch 7, 5 needed'],
  },
  // It learns an author first; the steps from "classify" on write by what it learned.
  'writing-style': {
    steps:
      'samples more measure sheet classify purpose ask draft tells markers alignment consolidate refine final deliver',
    caps: ['refine 3 → deliver'],
    edges: ['samples known → classify', 'final again → refine'],
  },
}

function stepsOf(name: string, { steps }: Plan): string {
  const ids = steps.map(({ id }) => id)
  if (name !== 'prompt-engineer') return ids.join(' ')
  const counts = Map.groupBy(ids, (id) => id.split('-', 1)[0] ?? id)
  return [...counts].map(([way, of]) => `${way} ${of.length}`).join(', ')
}

const atOnceOf = ({ id, dispatch }: Step): readonly string[] => {
  if (dispatch === undefined || dispatch.count === 1) return []
  return [
    dispatch.countOf === undefined
      ? `${id} ${dispatch.count}, ${dispatch.join} needed`
      : `${id} ${dispatch.countOf}`,
  ]
}

const edgesOf = ({ steps }: Plan): readonly string[] =>
  steps.flatMap(({ id, next = {} }) =>
    Object.entries(next).flatMap(([outcome, targets]) => targets.map((to) => `${id} ${outcome} → ${to}`)),
  )

test.each(Object.entries(SHAPES))(
  '%s has the steps, sub-agents, limits and edges of its method',
  async (name, { below = {}, caps = [], atOnce = [], edges = [], steps }) => {
    const plan = await planOf(name)
    expect(stepsOf(name, plan)).toBe(steps)
    const workflows = Object.entries(plan.workflows ?? {})
    expect(Object.fromEntries(workflows.map(([one, { steps: of }]) => [one, of.length]))).toEqual(below)
    const left = plan.steps.flatMap(({ id, limit, onLimit }) =>
      onLimit === undefined ? [] : [`${id} ${limit} → ${onLimit}`],
    )
    expect(left).toEqual(caps)
    expect(plan.steps.flatMap(atOnceOf)).toEqual(atOnce)
    expect(edgesOf(plan)).toEqual(expect.arrayContaining([...edges]))
  },
)

/** Each loop of a shipped skill parks only where a gate lets the user decide. */
test.each(readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'workflow.ts'))))(
  'every step of %s names the evidence that ends it, and a limit without a way on is that of a gate',
  async (name) => {
    const plan = await planOf(name)
    for (const { steps } of [plan, ...Object.values(plan.workflows ?? {})]) {
      const isOurs = ({ gate, review }: Step) => gate !== undefined || review !== undefined
      const isBare = (step: Step) => !isOurs(step) && !JSON.stringify(step.actions).includes('Done when: ')
      expect(steps.filter(isBare).map(({ id }) => id)).toEqual([])
      const reworked = new Set(steps.flatMap(({ gate, next }) => (gate ? (next?.['fail'] ?? []) : [])))
      const parks = ({ id, limit, onLimit }: Step) =>
        limit !== undefined && onLimit === undefined && !reworked.has(id)
      expect(steps.filter(parks).map(({ id }) => id)).toEqual([])
    }
  },
)

test.each(readdirSync(FOLDER).filter((name) => !existsSync(join(FOLDER, name, 'workflow.ts'))))(
  '%s, which has no workflow, names the evidence that ends it too',
  (name) => {
    const pipeline = join(FOLDER, name, 'holdfast.yaml')
    const text = readFileSync(join(FOLDER, name, 'SKILL.md'), 'utf8')
    expect(text.includes('Done when: ') || readFileSync(pipeline, 'utf8').includes('verify:')).toBe(true)
  },
)
