import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { catalogue } from '../scripts/catalogue.ts'
import { trustedModules } from '../scripts/trusted-modules.ts'
import { MOST_STEP_TOKENS, type Shipped, withNeeded } from '../src/model/catalogue.ts'
import { tokensOf } from '../src/model/recap.ts'
import { User } from './holdfast.ts'

const SHIPPED = JSON.parse(readFileSync('contents/catalogue.json', 'utf8')) as readonly Shipped[]

async function catalogueOf(files: Readonly<Record<string, string>>): Promise<readonly Shipped[]> {
  const contents = mkdtempSync(join(tmpdir(), 'holdfast-contents-'))
  onTestFinished(() => rmSync(contents, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(contents, path)), { recursive: true })
    writeFileSync(join(contents, path), text)
  }
  return await catalogue(contents, await trustedModules(contents))
}

const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}. Use it.\n${more}---\n\n# ${name}\n`
const step = (id: string, next: string, action = 'Do it.') =>
  `{ id: '${id}', title: 'T', actions: ['${action}'], next: { ok: ${next} } }`
const module = (...steps: readonly string[]) =>
  `export const workflow = { name: 'x', format: 'text', steps: [${steps.join(', ')}] }\n`

test.each(SHIPPED)('every step of $name prints at most 1,500 tokens', ({ largest }) => {
  expect(largest).toBeGreaterThan(0)
  expect(largest).toBeLessThanOrEqual(MOST_STEP_TOKENS)
})

test('every skill of the package is in the catalogue, and all that it names comes with the package', () => {
  const names = SHIPPED.map(({ name }) => name)
  expect(names).toEqual(readdirSync('contents/skills').toSorted())
  const agents = readdirSync('contents/agents')
  for (const one of SHIPPED) {
    expect(one.skills.filter((name) => !names.includes(name))).toEqual([])
    expect(one.agents.filter((name) => !agents.includes(`${name}.md`))).toEqual([])
  }
})

test('what a step costs is what the program prints there', async () => {
  await using user = new User()
  await user.json(['skill', 'install', 'decision-critic'])
  const printed: number[] = []
  let { stdout } = await user.run(['step', 'decision-critic', '--param', 'decision=x'])
  while (/step done /.test(stdout)) {
    printed.push(tokensOf(stdout))
    const [, words = ''] =
      /^holdfast (step done .*)$/m.exec(stdout) ?? /holdfast (step done .*)/.exec(stdout) ?? []
    const said = words.replaceAll(/['"]/g, '').replaceAll(/=([^|\s]+)\S*/g, '=$1')
    stdout = (await user.run(said.split(' '))).stdout
  }
  const { steps, tokens, largest } = SHIPPED.find(({ name }) => name === 'decision-critic') ?? SHIPPED[0]!
  expect(printed).toHaveLength(steps)
  const all = printed.reduce(
    (sum, one) => sum + one,
    tokensOf(readFileSync('contents/skills/decision-critic/SKILL.md', 'utf8')),
  )
  // The paths and numbers of an effort differ by a few letters.
  expect(Math.abs(all - tokens)).toBeLessThan(10 * steps)
  expect(Math.abs(Math.max(...printed) - largest)).toBeLessThan(15)
})

test('a run is SKILL.md and the longest way that never goes back, each step once', async () => {
  const long = 'x'.repeat(3000)
  const size = async (...steps: readonly string[]) => {
    const [one] = await catalogueOf({
      'skills/x/SKILL.md': skill('x'),
      'skills/x/workflow.ts': module(...steps),
    })
    return one?.tokens ?? 0
  }
  const straight = await size(step('a', "'b'"), step('b', 'null'))
  const loop = await size(
    step('a', "'b'"),
    `{ id: 'b', title: 'T', actions: ['Do it.'], limit: 2, next: { ok: null, again: 'a' } }`,
  )
  const branch = await size(
    `{ id: 'a', title: 'T', actions: ['Do it.'], next: { ok: 'b', other: 'c' } }`,
    step('b', 'null'),
    step('c', 'null', long),
  )
  expect(loop - straight).toBeLessThan(60)
  expect(branch - straight).toBeGreaterThan(1000)
  expect(branch - straight).toBeLessThan(1100)
})

test('a skill tells what it does, needs and leaves; one that says less costs its SKILL.md all the same', async () => {
  const said = 'metadata:\n  summary: In short.\n  needs: git\n  leaves: a file\n'
  const [plain, telling] = await catalogueOf({
    'skills/plain/SKILL.md': skill('plain'),
    'skills/telling/SKILL.md': skill('telling', said),
    'skills/telling/holdfast.yaml':
      "continuation: { cooperative: true, default-exit: ['/plain', '/elsewhere'] }\n",
  })
  expect(plain).toEqual({
    name: 'plain',
    summary: 'Does plain.',
    needs: null,
    leaves: null,
    steps: 0,
    tokens: tokensOf(skill('plain')),
    largest: tokensOf(skill('plain')),
    skills: [],
    agents: [],
  })
  expect(telling).toMatchObject({ summary: 'In short.', needs: 'git', leaves: 'a file', skills: ['plain'] })
})

test('a skill needs the agents that it hands work to, and the skills that its commands call', async () => {
  const [, x] = await catalogueOf({
    'skills/after/SKILL.md': skill('after'),
    'skills/x/SKILL.md': skill('x'),
    'skills/x/workflow.ts': `import { dispatch, step, workflow } from 'holdfast/workflow'
export default workflow('x', [
  step({ id: 'a', title: 'A', actions: ['See /before.', 'Run: \`holdfast chain push /after\`'], next: 'b' }),
  step({ id: 'b', title: 'B', dispatch: dispatch('helper', { instruction: 'Go.' }), next: 'c' }),
  step({ id: 'c', title: 'C', dispatch: dispatch('stranger', { instruction: 'Go.' }), next: null }),
])\n`,
    'skills/before/SKILL.md': skill('before'),
    'agents/helper.md': 'Help.\n',
  }).then((all) => [all[0], all.find(({ name }) => name === 'x')])
  expect(x).toMatchObject({ skills: ['after'], agents: ['helper'] })
})

test('a pipeline costs what it prints and the skills that it runs, and needs them', async () => {
  const pipeline = 'pipeline: [{ id: a, skill: plain }, { id: b, prompt: Look at it. }]\n'
  const [all, plain] = await catalogueOf({
    'skills/all/SKILL.md': skill('all'),
    'skills/all/holdfast.yaml': pipeline,
    'skills/plain/SKILL.md': skill('plain'),
  })
  expect(all).toMatchObject({ steps: 2, skills: ['plain'] })
  const printed = (all?.tokens ?? 0) - tokensOf(skill('all')) - (plain?.tokens ?? 0)
  expect(printed).toBeGreaterThan(all?.largest ?? 0)
  expect(printed).toBeLessThanOrEqual(2 * (all?.largest ?? 0))
})

test('what a skill goes on to goes on too, and a circle ends', () => {
  const one = (name: string, ...skills: readonly string[]) => ({ ...SHIPPED[0]!, name, skills })
  const all = [one('a', 'b'), one('b', 'c'), one('c', 'a'), one('d')]
  expect(withNeeded(all, ['b']).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
})
