import { artifactPath, type Effort } from '../../model/effort.ts'
import { type Phase, splitPhase } from '../../model/plan/phase.ts'

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
export function headLines(view: WorkView): readonly string[] {
  const { effort, standing } = view
  return [
    `  Skill: ${effort.skill}${effort.mode === null ? '' : ` (${effort.mode})`}`,
    `  Phase: ${effort.current_phase ?? '(none yet)'}`,
    `  Log: ${artifactPath(effort, 'LOG')}`,
    ...phaseLines(view),
    ...(standing.length === 0 ? nextPhaseLines(view) : ['', ...standing]),
  ]
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
  next_phases.length === 0
    ? []
    : ['', `Next: holdfast effort phase ${effort.id} ${JSON.stringify(next_phases[0])}`]

/** A section of the answer, with the heading that seed skills look for; nothing if it has no lines. */
export const section = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [[`## SRC_${name}`, ...lines].join('\n')]

/** Lines as list items. */
export const items = (lines: readonly string[]): readonly string[] => lines.map((line) => `- ${line}`)

/** The sections at the end of every answer. */
export const tailSections = ({ artifacts, next_skills }: WorkView): readonly string[] => [
  ...section('SESSION_ARTIFACTS', items(artifacts)),
  ...section('NEXT_SKILLS', items(next_skills)),
]
