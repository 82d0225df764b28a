import {
  itemsOf,
  type Runbook,
  RUNBOOK_ROLES,
  runbookAgent,
  type RunbookItem,
  type RunbookModel,
  type RunbookPhase,
  type RunbookRole,
  stepFileOf,
} from './runbook.ts'
import { shellWord } from '../shell/word.ts'

/** A file that a compile makes, with its path below the folder of one version. */
export interface CompiledFile {
  readonly path: string
  readonly content: string
}

/** The texts that the agents of runbooks begin with, without frontmatter. */
export interface Baselines {
  readonly quiet: string
  readonly tdd: string
}

/** The list of a runbook that an orchestrator reads. */
export const ORCHESTRATOR_PLAN = 'orchestrator-plan.md'

/** The file of an agent below the folder of one version. */
export const agentFileOf = (name: string): string => `agents/${name}.md`

/** Everything that a compile makes of a runbook. The same runbook always gives the same bytes. */
export function compiledFiles(runbook: Runbook, baselines: Baselines): readonly CompiledFile[] {
  return [
    ...runbook.phases.flatMap((phase) =>
      phase.items.flatMap((item) => {
        const path = stepFileOf(item)
        return path === undefined ? [] : [{ path, content: stepText(phase, item) }]
      }),
    ),
    { path: ORCHESTRATOR_PLAN, content: planText(runbook) },
    ...rolesOf(runbook).map((role) => {
      const name = runbookAgent(runbook.name, role)
      return { path: agentFileOf(name), content: agentText(runbook, role, baselines) }
    }),
  ]
}

const hasCycles = (runbook: Runbook): boolean => itemsOf(runbook).some(({ kind }) => kind === 'cycle')

/** The roles that a runbook has agents for. */
export const rolesOf = (runbook: Runbook): readonly RunbookRole[] =>
  hasCycles(runbook) ? RUNBOOK_ROLES : RUNBOOK_ROLES.slice(0, 2)

/** An item as its author calls it, such as `Cycle 1.2 (test)`. */
export const itemLabel = ({ kind, number, part }: Pick<RunbookItem, 'kind' | 'number' | 'part'>): string =>
  kind === 'inline'
    ? `Phase ${number}`
    : `${kind === 'cycle' ? 'Cycle' : 'Step'} ${number}${part === undefined ? '' : ` (${part})`}`

const titled = (label: string, title: string): string => (title === '' ? label : `${label}: ${title}`)

function stepText(phase: RunbookPhase, item: RunbookItem): string {
  return `${[
    `# ${titled(itemLabel(item), item.title)}`,
    [
      `**Plan**: \`${item.place.file}\``,
      `**Phase**: ${titled(String(phase.number), phase.title)}`,
      `**Execution Model**: ${item.model ?? ''}`,
      `**Max Turns**: ${item.maxTurns}`,
      ...(item.reportPath === undefined ? [] : [`**Report Path**: \`${item.reportPath}\``]),
    ].join('\n'),
    ...(phase.context === '' ? [] : ['---', '## Phase Context', phase.context]),
    '---',
    item.text,
  ].join('\n\n')}\n`
}

const PART_WORDS = { bootstrap: 'BOOTSTRAP', test: 'TEST', impl: 'IMPLEMENT' } as const

function planText(runbook: Runbook): string {
  const { name, folder, type, phases, files, instructions } = runbook
  const agent = (role: RunbookRole) => runbookAgent(name, role)
  const head = [
    `**Agent:** ${agent('task')}`,
    `**Corrector Agent:** ${agent('corrector')}`,
    ...(hasCycles(runbook)
      ? [`**Tester Agent:** ${agent('tester')}`, `**Implementer Agent:** ${agent('implementer')}`]
      : []),
    `**Type:** ${type}`,
    ...(runbook.model === undefined ? [] : [`**Model:** ${runbook.model}`]),
  ]
  return `${[
    `# Orchestrator Plan: ${name}`,
    `Made from ${files.map((file) => `\`${file}\``).join(', ')}. Edit the runbook and compile it again, not this file.`,
    head.join('\n'),
    ...(instructions === undefined
      ? [instructionsFor(folder)]
      : ['## Orchestrator Instructions', instructions]),
    '## Phase-Agent Mapping',
    ['| Phase | Agents | Type |', '| --- | --- | --- |', ...phases.map(mappingRow)].join('\n'),
    '## Steps',
    phases.map((phase, at) => stepLines(phase, at === phases.length - 1)).join('\n\n'),
    '## Phase Models',
    phases.map((phase) => `- Phase ${phase.number}: ${modelsOf(phase)}`).join('\n'),
    '## Phase Files',
    phases.map(({ number, place }) => `- Phase ${number}: \`${place.file}\``).join('\n'),
    '## Phase Summaries',
    ...phases.map((phase) => summaryOf(phase, phases)),
  ].join('\n\n')}\n`
}

/** What an orchestrator does whose runbook says nothing else. */
const instructionsFor = (folder: string): string =>
  [
    `\`holdfast runbook next ${shellWord(folder)}\` hands out this list, one step at a time: the agent, the model and the prompt. It keeps the place, chooses the next model after a failure, and has the work reviewed behind each phase. Start nothing that it did not name, and report each result with the command that it prints.`,
    'By hand: one step at a time, in this order, each with the agent and the model of its line. After each step, `git status --porcelain` prints nothing; otherwise stop. If a step reports an error, try the next stronger model, then ask the user.',
  ].join('\n\n')

const mappingRow = ({ number, type, items }: RunbookPhase): string => {
  const agents = [...new Set(items.flatMap(({ agent }) => agent ?? []))]
  return `| ${number} | ${agents.length === 0 ? 'the orchestrator' : agents.join(', ')} | ${type} |`
}

function stepLines(phase: RunbookPhase, isLast: boolean): string {
  const lines = phase.items.map((item, at) => {
    const fields = [
      item.kind === 'inline' ? 'INLINE' : `${item.id}.md`,
      `Phase ${phase.number}`,
      ...(item.kind === 'inline' ? ['—'] : [item.model ?? '', String(item.maxTurns), kindWord(item)]),
      ...(at === phase.items.length - 1 ? ['PHASE_BOUNDARY'] : []),
    ]
    return `- ${fields.join(' | ')}`
  })
  const note = isLast
    ? '[Final review: all changes of the runbook are reviewed, and what is found is fixed.]'
    : `[Checkpoint: the changes of phase ${phase.number} are reviewed, and what is found is fixed before the next phase begins.]`
  return [...lines, note].join('\n')
}

const kindWord = ({ kind, part }: RunbookItem): string =>
  part !== undefined ? PART_WORDS[part] : kind === 'cycle' ? 'CYCLE' : 'STEP'

const modelsOf = ({ items }: RunbookPhase): string => {
  const models = [...new Set(items.flatMap(({ model }) => model ?? []))]
  return models.length === 0 ? '—' : models.join(', ')
}

function summaryOf(phase: RunbookPhase, phases: readonly RunbookPhase[]): string {
  const titles = [
    ...new Set(phase.items.map(({ title, kind, number }) => title || itemLabel({ kind, number }))),
  ]
  const others = phases.filter((one) => one !== phase).map(phaseLabel)
  return [
    `### ${phaseLabel(phase)}`,
    '',
    `- IN: ${titles.join('; ')}`,
    `- OUT: ${others.length === 0 ? 'nothing' : others.join('; ')}`,
  ].join('\n')
}

/** Phases that were made of the numbers of their steps have no title. */
export const phaseLabel = ({ number, title }: Pick<RunbookPhase, 'number' | 'title'>): string =>
  titled(`Phase ${number}`, title)

const TOOLS = 'Read, Write, Edit, Bash, Grep, Glob'

function agentText(runbook: Runbook, role: RunbookRole, { quiet, tdd }: Baselines): string {
  const { name, type, context } = runbook
  const baseline = role === 'task' ? (type === 'tdd' ? tdd : quiet) : role === 'corrector' ? quiet : tdd
  const { does, duty } = ROLES[role]
  return `${[
    [
      '---',
      `name: ${runbookAgent(name, role)}`,
      `description: ${does} of the runbook ${name}. Only its orchestrator starts it.`,
      `model: ${agentModel(runbook, role)}`,
      'color: cyan',
      `tools: ${TOOLS}`,
      '---',
    ].join('\n'),
    baseline.trim(),
    ...(duty === undefined ? [] : ['---', '# Your part', duty]),
    ...(context === '' ? [] : ['---', '# Context of the runbook', context]),
    '---',
    CLEAN_TREE,
  ].join('\n\n')}\n`
}

const CLEAN_TREE =
  '**Clean tree**: commit your changes, with the report, before you report success. Then `git status --porcelain` prints nothing; otherwise the orchestrator stops.'

/** A corrector judges the work of others, so it is never the weakest. */
function agentModel(runbook: Runbook, role: RunbookRole): RunbookModel {
  if (role.endsWith('corrector')) return 'sonnet'
  const agent = runbookAgent(runbook.name, role)
  const items = itemsOf(runbook)
  return (
    items.find((item) => item.agent === agent)?.model ??
    runbook.model ??
    items.find(({ model }) => model !== undefined)?.model ??
    'sonnet'
  )
}

const ROLES: Readonly<Record<RunbookRole, { readonly does: string; readonly duty?: string }>> = {
  task: { does: 'Carries out one step' },
  corrector: {
    does: 'Reviews the changes of a phase and fixes what it finds,',
    duty: 'You work at a checkpoint. Your prompt names the phase, or the whole runbook, and the commit before its first step. Read its steps and everything that changed since that commit. Look for what a step asked for and nobody did, for wrong behavior, and for tests that cannot fail. Fix what you find, run the checks of the project again, and list each finding in the report with what you did about it. A decision that the runbook leaves open is `error: ambiguity`.',
  },
  tester: {
    does: 'Writes the failing test of a cycle',
    duty: 'You do only RED: the test, and the sight of its failure. Another agent writes the code, so change no file that is not a test or its fixture. A failing test is your success: commit it, and report `done` with the message of the failure. In a cycle marked [REGRESSION], the test must pass at once; show that it can fail.',
  },
  implementer: {
    does: 'Makes the failing test of a cycle pass',
    duty: 'You do GREEN and REFACTOR. Another agent has written and committed the test: run it first and see it fail. Do not change it; if it is wrong, stop with `error: misalignment`. If your step is a bootstrap, make only the names that the test needs to load, without behavior.',
  },
  'test-corrector': {
    does: 'Reviews the tests of a cycle and fixes them,',
    duty: 'You review a test before anybody writes the code for it. It must fail, for the reason that its cycle names, and it must assert what users see. Fix the test, never the code, and list each finding in the report.',
  },
  'impl-corrector': {
    does: 'Reviews the code of a cycle and fixes it,',
    duty: 'You review code that made a test pass. Look for behavior that no test asks for, for values that fit only the test, and for what the cycle asked for and nobody did. Fix the code, run all tests again, and list each finding in the report. Do not change tests.',
  },
}
