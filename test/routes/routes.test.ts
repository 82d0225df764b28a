import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeCode } from '../../src/clients/claude-code/index.ts'
import { makeWorld, type World } from '../../src/engine/world.contract.ts'
import { type Claim, claimFor } from '../../src/model/coverage.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import { placeIn, stepFile } from '../ordinary/places.ts'
import { clientOf } from '../ordinary/sessions.ts'
import { classes, LIMITS, type Way } from './classes.ts'
import { showsStep } from './shown.ts'

/** From the weakest to the strongest. */
const STRENGTH: readonly Claim[] = ['unseen', 'observed', 'advised', 'refused', 'enforced']

interface Trial {
  readonly way: Way
  readonly outcome: 'refused' | 'observed' | 'unseen'
  /** Whether bash shows the text; false is harmless, or cannot be tried here; undefined was not tried. */
  readonly isShown: boolean | undefined
}

/** `npm run torture -- routes` runs every way in bash. */
const RUNS_ALL = process.env['HOLDFAST_ROUTES'] === 'all'

const REL = stepFile('flow', 'do')

const filled = (text: string, root: string): string =>
  text
    .replaceAll('SKILL_REL', '.claude/skills/flow')
    .replaceAll('STEP', join(root, REL))
    .replaceAll('REL', REL)
    .replaceAll('DIR', join(root, '.claude/skills/flow/steps'))
    .replaceAll('SKILL', join(root, '.claude/skills/flow'))
    .replaceAll('NAME', 'do.md')
    .replaceAll('OUT', join(root, 'out'))

/** A strict project in git, with a session that has called the skill and read no step; and a copy for bash. */
async function scene(world: World) {
  const { root } = await placeIn(world, 'strict')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: root })
  git('init', '-q')
  git('add', '-f', '.')
  git('commit', '-q', '-m', 'begin')
  const copy = `${root}-copy`
  await cp(root, copy, { recursive: true, verbatimSymlinks: true })
  const client = clientOf(world, root)
  await client.fire('SessionStart', { source: 'startup' })
  await client.fire('UserPromptSubmit', { prompt: '/flow' })
  return { root, copy, client, text: await readFile(join(root, REL), 'utf8') }
}

type At = Awaited<ReturnType<typeof scene>>

/** The answer of the hook to a way. */
async function answered(world: World, { root, client }: At, way: Way): Promise<Trial['outcome']> {
  await mkdir(join(root, 'out'), { recursive: true })
  if (way.before !== undefined) execFileSync('bash', ['-c', filled(way.before, root)], { cwd: root })
  const seq = await world.lastSeq()
  const reason = await client.take({
    event: 'PreToolUse',
    payload: { tool_name: 'Bash', tool_input: { command: filled(way.command, root) } },
  })
  const said = (await world.since(seq)).map(({ event_type }) => event_type)
  return reason !== undefined ? 'refused' : said.includes('read.unresolved') ? 'observed' : 'unseen'
}

/** Whether a way shows the step in bash. */
async function shownBy({ copy, text }: At, way: Way): Promise<boolean> {
  const command = filled([way.before ?? ':', way.command].join('\n'), copy)
  return await showsStep(command, { root: copy, out: join(copy, 'out'), step: join(copy, REL), text })
}

const promised = (row: string): Claim => {
  const route = claudeCode.routes.reads.find(({ what }) => what === row)
  if (route === undefined) throw new Error(`The coverage has no row "${row}".`)
  return claimFor(route, 'main thread', 'strict') ?? 'unseen'
}

test('at strict no way to a step is weaker than the coverage table says', async () => {
  await using world = await makeWorld(temporarySqlite)
  const at = await scene(world)
  const lines: string[] = []
  const weaker: string[] = []
  const harmless: string[] = []
  let shown = 0
  for (const { name, row, ways } of classes()) {
    const least = Math.min(STRENGTH.indexOf(promised(row)), STRENGTH.indexOf('refused'))
    const isWeaker = (outcome: Trial['outcome']) => STRENGTH.indexOf(outcome) < least
    const trials: Trial[] = []
    for (const [index, way] of ways.entries()) {
      const outcome = await answered(world, at, way)
      // A way that is answered as promised passes even if it is real, so two of five are run.
      const isRun = RUNS_ALL || name === LIMITS || index % 5 < 2 || isWeaker(outcome)
      trials.push({ way, outcome, isShown: isRun ? await shownBy(at, way) : undefined })
    }
    const real = trials.filter(({ isShown }) => isShown !== false)
    const count = (outcome: Trial['outcome']) => real.filter((one) => one.outcome === outcome).length
    const shownHere = trials.filter(({ isShown }) => isShown === true).length
    shown += shownHere
    lines.push(
      `${name}: ${count('refused')} of ${real.length} refused, ${count('observed')} recorded, ${count('unseen')} unseen (coverage: ${promised(row)}); ${shownHere} show the step here, ${trials.length - real.length} show nothing`,
    )
    harmless.push(
      ...trials.filter(({ isShown }) => isShown === false).map(({ way }) => `${name}: ${way.command}`),
    )
    for (const { outcome, way } of real)
      if (isWeaker(outcome))
        weaker.push(`${name}: ${outcome}: ${way.before ?? ''} ${way.command.slice(0, 200)}`)
  }
  process.stdout.write(`${shown} routes at strict\n${lines.join('\n')}\n`)
  if (process.env['ROUTES_VERBOSE'] === '1') process.stdout.write(`${harmless.join('\n')}\n`)
  expect(weaker).toEqual([])
  expect(shown).toBeGreaterThanOrEqual(300)
})
