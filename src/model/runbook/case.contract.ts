import {
  DEFAULT_MAX_TURNS,
  type Runbook,
  type RunbookItem,
  type RunbookModel,
  type RunbookPhase,
  runbookAgent,
} from './runbook.ts'

// Minimal test data for runbooks; each case names only what differs.

const PLACE = { file: 'plans/auth/runbook.md', line: 1, column: 1 }

export const item = (
  number: string,
  model: RunbookModel = 'haiku',
  more: Partial<RunbookItem> = {},
): RunbookItem => ({
  kind: 'step',
  number,
  title: `Do ${number}`,
  id: `step-${number.replace('.', '-')}`,
  phase: Number(number.split('.')[0]),
  model,
  maxTurns: DEFAULT_MAX_TURNS,
  agent: runbookAgent('auth', 'task'),
  text: `## Step ${number}: Do ${number}`,
  place: PLACE,
  ...more,
})

export const inline = (number: number): RunbookItem => {
  const { model: _, agent: __, ...rest } = item(String(number))
  return { ...rest, kind: 'inline', id: `inline-${number}`, text: 'Bump the version.' }
}

export const phase = (number: number, ...items: readonly RunbookItem[]): RunbookPhase => ({
  number,
  title: `Part ${number}`,
  type: 'general',
  context: '',
  place: PLACE,
  items,
})

export const runbook = (...phases: readonly RunbookPhase[]): Runbook => ({
  name: 'auth',
  folder: 'plans/auth',
  files: ['plans/auth/runbook.md'],
  type: 'general',
  context: '',
  phases,
})
