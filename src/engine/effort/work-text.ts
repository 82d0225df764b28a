import { phaseCommand } from '../../model/plan/next-action.ts'
import { artifactPath, type Effort } from '../../model/effort.ts'
import { recapOf, type Section } from '../../model/recap.ts'
import { wholeRecap } from '../../rules/recap.ts'
import { BUDGETS } from '../../rules/told/sections.ts'
import { type Phase, splitPhase } from '../../model/plan/phase.ts'
import { oneLine } from '../../model/text/line.ts'

/** The state of an effort, for an agent to read. */
export interface WorkView {
  readonly effort: Effort
  readonly phases: readonly Phase[]
  readonly next_phases: readonly string[]
  readonly proof_to_leave: readonly string[]
  readonly standing: readonly string[]
  readonly artifacts: readonly string[]
  readonly next_skills: readonly string[]
}

/** The lines above the sections: the skill, the phase and what that phase requires. */
function headLines(view: WorkView): readonly string[] {
  const { effort, standing } = view
  const head = [
    `  Skill: ${effort.skill}${effort.mode === null ? '' : ` (${effort.mode})`}`,
    `  Phase: ${effort.current_phase ?? '(none yet)'}`,
    `  Log: ${artifactPath(effort, 'LOG')}`,
    ...phaseLines(view),
    ...(standing.length === 0 ? nextPhaseLines(view) : []),
  ]
  // The texts of a plan must not end these lines; the standing is safe already.
  return [...head.map((line) => oneLine(line)), ...(standing.length === 0 ? [] : ['', ...standing])]
}

/** What the current phase declares, or else the first phase. `false` is a value. */
function phaseLines({ effort, phases, next_phases }: WorkView): readonly string[] {
  const text = effort.current_phase ?? next_phases[0]
  const phase = phases.find(({ label }) => text !== undefined && label === splitPhase(text).label)
  if (phase === undefined) return []
  const lines = (['steps', 'commands', 'proof', 'gate'] as const).flatMap((field) => {
    const value = phase[field]
    if (value === undefined || value === null) return []
    const shown = Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
    return shown === '' ? [] : [`  ${TITLES[field]}: ${shown}`]
  })
  return lines.length === 0 ? [] : ['', `Phase ${text ?? ''}`, ...lines]
}

const TITLES = {
  steps: 'Steps',
  commands: 'Commands',
  proof: 'Proof required to leave it',
  gate: 'Gate',
} as const

/** For a skill that is stored without a plan. */
const nextPhaseLines = ({ effort, next_phases }: WorkView): readonly string[] =>
  next_phases.length === 0 ? [] : ['', `Next: ${phaseCommand(effort.id, next_phases[0] ?? '')}`]

/** The answer of a command: its head, and what the builder tells, under the headings that seed skills look for. */
export function toldText(
  view: WorkView,
  answer: {
    readonly title: string
    readonly held?: readonly string[]
    readonly below?: readonly string[]
    readonly told: readonly Section[]
  },
): string {
  const { task_id, id, artifact_prefix } = view.effort
  const { title, held = [], below = [], told } = answer
  const first = `${title}: ${oneLine(task_id)} (effort ${id}, ${artifact_prefix})`
  const head = [first, ...held, ...headLines(view)]
  // The head has the standing already.
  const sections = told.filter(({ name }) => name !== 'standing')
  const { text } = recapOf(
    [
      { name: 'standing', lines: head, isEssential: true },
      ...below.map((line) => ({ name: 'resume', lines: [line], isEssential: true as const })),
      ...underHeadings([
        ...sections,
        { name: 'written', lines: items(view.artifacts.filter((path) => !isOwn(path, sections))) },
        { name: 'next', lines: items(view.next_skills) },
      ]),
    ],
    { budget: BUDGETS.command, whole: wholeRecap(id), voice: (said) => said },
  )
  return text
}

/** Whether the files of this effort have the path. */
const isOwn = (path: string, sections: readonly Section[]): boolean =>
  sections.some(({ name, lines }) => name === 'files' && lines.some((line) => line.includes(path)))

const HEADINGS: Readonly<Record<string, string>> = {
  dehydration: 'DEHYDRATED_CONTEXT',
  'last-window': 'DEHYDRATED_CONTEXT',
  unknown: 'UNKNOWN_CALLS',
  read: 'REQUIRED_FILES',
  changed: 'CHANGED_FILES',
  files: 'SESSION_ARTIFACTS',
  written: 'SESSION_ARTIFACTS',
  finished: 'PRIOR_EFFORTS',
  path: 'WORK_PATH',
  approvals: 'APPROVALS',
  artifacts: 'RECORDED',
  queue: 'QUEUE',
  others: 'OTHER_AGENTS',
  related: 'PRIOR_SESSIONS',
  'prior-sessions': 'PRIOR_SESSIONS',
  'relevant-docs': 'RELEVANT_DOCS',
  search: 'RELEVANT_DOCS',
  directives: 'DIRECTIVES',
  next: 'NEXT_SKILLS',
}

const headingOf = ({ name }: Section): string => HEADINGS[name] ?? name.toUpperCase()

/** Sections of the same heading follow each other below it. */
function underHeadings(sections: readonly Section[]): readonly Section[] {
  const seen = new Set<string>()
  const filled = sections.filter(({ lines }) => lines.length > 0)
  const ordered = [...Map.groupBy(filled, headingOf).values()].flat()
  return ordered.map((one) => {
    const heading = headingOf(one)
    if (seen.has(heading)) return one
    seen.add(heading)
    return {
      ...one,
      title: [`## SRC_${heading}`, ...(one.title === undefined ? [] : [one.title])].join('\n'),
    }
  })
}

/** A section of the answer, with the heading that seed skills look for; nothing if it has no lines. */
const section = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [[`## SRC_${name}`, ...lines].join('\n')]

/** Lines as list items. */
export const items = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => `- ${oneLine(line)}`)

/** The sections at the end of every answer. */
export const tailSections = ({ artifacts, next_skills }: WorkView): readonly string[] => [
  ...section('SESSION_ARTIFACTS', items(artifacts)),
  ...section('NEXT_SKILLS', items(next_skills)),
]
