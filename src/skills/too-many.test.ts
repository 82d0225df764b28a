import { expect, test } from 'vitest'
import { MOST_STEPS } from '../model/plan/plan.ts'
import { findCandidates } from './find.ts'
import { readSkill } from './skill-md.ts'
import { LARGEST_SKILL, LONGEST_PLAN, LONGEST_TEXT, MOST_FILES } from './text/bounds.ts'

const numbered = (count: number, line: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('\n')

type Skill = Partial<Pick<Parameters<typeof readSkill>[0], 'modules'>> & {
  readonly description?: string
  readonly body?: string
  readonly others?: Readonly<Record<string, string>>
}

const read = ({ description = 'Does things.', body = '', others = {}, modules }: Skill) =>
  readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'x',
    file: 'x/SKILL.md',
    text: `---\nname: x\ndescription: ${description}\n---\n\n${body}`,
    others: new Map(Object.entries(others)),
    ...(modules !== undefined && { modules }),
  })

const phasesOf = (count: number) => numbered(count, (n) => `  - {label: "${n}", name: Do}`)

/** A skill of so many steps in each notation. */
const NOTATIONS: Readonly<Record<string, (count: number) => Skill>> = {
  'phases in holdfast.yaml': (count) => ({ others: { 'holdfast.yaml': `phases:\n${phasesOf(count)}\n` } }),
  'phases in json': (count) => ({
    body: `\`\`\`json\n{"phases": [${numbered(count, (n) => `{"label": "${n}", "name": "Do"}`).replaceAll('\n', ',')}]}\n\`\`\`\n`,
  }),
  'headings of phases': (count) => ({ body: numbered(count, (n) => `## Phase ${n}: Do\n`) }),
  'a numbered list': (count) => ({ body: numbered(count, (n) => `${n}. Do the thing ${n}.`) }),
  'step files': (count) => ({
    others: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `steps/s${n}.md`,
        `---\nconsumes: [${n === 0 ? 'user-request' : `a${n - 1}`}]\nproduces: [a${n}]\nnext: {again: s0}\nlimit: 2\n---\n`,
      ]),
    ),
  }),
  'a runbook': (count) => ({
    others: { 'runbook.md': numbered(count, (n) => `## Step ${n}: Do\n\nText.\n`) },
  }),
}

test.each(Object.entries(NOTATIONS))('%s: a plan has a largest number of steps', (_, skillOf) => {
  const most = read(skillOf(MOST_STEPS))
  expect(most.definition.plan?.steps).toHaveLength(MOST_STEPS)
  expect(most.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const over = read(skillOf(MOST_STEPS + 1))
  expect(over.definition).toMatchObject({ plan: undefined, phases: [] })
  expect(over.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code: 'HF325', message: `The plan has ${MOST_STEPS + 1} steps; the most are ${MOST_STEPS}.` },
  ])
})

test('holdfast.yaml has a largest size, because reading it holds up every project', () => {
  const sidecarOf = (size: number) => `hold: stop\n${'#'.repeat(size - 'hold: stop\n'.length)}`
  const body = '## Phase 1: Do\n\n## Phase 2: Check\n'
  const most = read({ body, others: { 'holdfast.yaml': sidecarOf(128 * 1024) } })
  expect(most.definition.plan).toMatchObject({ hold: 'stop' })
  expect(most.diagnostics).toEqual([])
  const over = read({ body, others: { 'holdfast.yaml': sidecarOf(128 * 1024 + 1) } })
  expect(over.definition.plan).not.toHaveProperty('hold')
  expect(over.diagnostics).toMatchObject([{ code: 'HF119', severity: 'error', file: 'x/holdfast.yaml' }])
})

test('frontmatter has a largest size too; beyond it, the first fields are read line by line', () => {
  const most = read({ description: 'y'.repeat(64_000) })
  expect(most.diagnostics.map(({ code }) => code)).toEqual(['HF108'])
  const body = '# X\n\nIt works.\n'
  const over = read({ description: `Does.\n${'a: b\n'.repeat(14_000)}late: x`, body })
  expect(over.definition).toMatchObject({ name: 'x', description: 'Does.' })
  expect(Object.keys(over.definition.fields)).toEqual(['name', 'description', 'a'])
  expect(over.diagnostics[0]).toMatchObject({ code: 'HF124', severity: 'error', line: 2 })
})

test('a block of phases has a largest size', () => {
  const block = (name: string) =>
    `\`\`\`json\n{"phases": [{"label": "1", "name": "${name}"}, {"label": "2", "name": "Check"}]}\n\`\`\`\n`
  expect(read({ body: block('Do') }).definition.plan?.steps).toHaveLength(2)
  const over = read({ body: block('y'.repeat(LONGEST_PLAN)) })
  expect(over.definition.plan?.steps ?? []).toEqual([])
  expect(over.diagnostics).toMatchObject([{ code: 'HF205', line: 7 }])
})

test('of a text that is too long, only the beginning is read', () => {
  const body = `## Phase 1: Do\n\n## Phase 2: Check\n\n${'y\n'.repeat(LONGEST_TEXT / 2)}## Phase 3: Late\n`
  const { definition, diagnostics } = read({ body })
  expect(definition.plan?.steps).toHaveLength(2)
  expect(diagnostics).toMatchObject([{ code: 'HF125', file: 'x/SKILL.md' }])
  const long = 'y'.repeat(LONGEST_TEXT + 1)
  expect(read({ others: { 'steps/step-1.md': long } }).diagnostics).toMatchObject([
    { code: 'HF125', file: 'x/steps/step-1.md' },
  ])
})

test('a skill whose files are too large together has only the plan of its holdfast.yaml', () => {
  const step = 'y'.repeat(LONGEST_TEXT)
  const steps = Array.from({ length: LARGEST_SKILL / LONGEST_TEXT }, (_, n) => [`steps/step-${n}.md`, step])
  const large = read({ others: Object.fromEntries(steps) })
  expect(large.definition.plan).toBeUndefined()
  expect(large.diagnostics).toMatchObject([{ code: 'HF125', file: 'x/SKILL.md' }])
  const planned = read({
    others: Object.fromEntries([...steps, ['holdfast.yaml', `phases:\n${phasesOf(2)}`]]),
  })
  expect(planned.definition.plan?.steps).toHaveLength(2)
})

test('a skill has a largest number of files', () => {
  const paths = (count: number) => [
    'SKILL.md',
    'holdfast.yaml',
    ...Array.from({ length: count - 1 }, (_, n) => `steps/s${n}.md`),
  ]
  expect(findCandidates(paths(MOST_FILES))[0]?.others).toHaveLength(MOST_FILES)
  const [over] = findCandidates(paths(MOST_FILES + 1))
  expect(over).toMatchObject({ others: ['holdfast.yaml'], leftOut: MOST_FILES + 1 })
  const skill = { kind: 'skill', id: 'x', folder: '.', file: 'SKILL.md', others: new Map() } as const
  const { diagnostics } = readSkill({ ...skill, text: '# X', leftOut: over?.leftOut ?? 0 })
  expect(diagnostics[0]).toMatchObject({ code: 'HF125', file: 'SKILL.md' })
})

test('of very many problems, some are listed, errors first', () => {
  const sidecar = `${'hold: stop\n'.repeat(1100)}proof: {strange: {rank: proved}}\n`
  const { diagnostics } = read({
    body: '## Phase 1: Do\n\n## Phase 2: Check\n',
    others: { 'holdfast.yaml': sidecar },
  })
  expect(diagnostics).toHaveLength(1001)
  expect(diagnostics[0]).toMatchObject({ severity: 'error' })
  expect(diagnostics.at(-1)).toMatchObject({ code: 'HF126' })
})
