import { expect, test } from 'vitest'
import { MOST_STEPS } from '../model/plan/plan.ts'
import { readSkill } from './skill-md.ts'

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

test('frontmatter has a largest size too; beyond it, fields are read line by line', () => {
  const most = read({ description: 'y'.repeat(32_000) })
  expect(most.diagnostics.map(({ code }) => code)).not.toContain('HF101')
  const over = read({ description: 'y'.repeat(33_000) })
  expect(over.definition.name).toBe('x')
  expect(over.diagnostics[0]).toMatchObject({ code: 'HF101', line: 2 })
})
