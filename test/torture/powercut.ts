import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/store/store.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { clock } from '../../src/daemon/clock.ts'
import { findHome } from '../../src/daemon/home.ts'
import { User } from '../holdfast.ts'
import { CrashCheck, lookAtCopy } from './crash-check.ts'
import { CrashRecord, type Violation } from './crash-record.ts'
import { CUTS, Disk, type Recorded } from './disk.ts'
import { checkPromises, type Promised } from './promised-files.ts'
import { Random } from './random.ts'
import { recordLife } from './recorded-life.ts'
import { keysTold } from './told-connection.ts'

export interface PowercutOptions {
  readonly states: number
  /** The calls in each of the two lives of a recording. */
  readonly calls: number
  readonly seed: number
  /** The file that Node runs as the daemon, and variables for it. */
  readonly daemon: string
  readonly env?: Readonly<Record<string, string>>
  readonly log: (line: string) => void
}

export interface PowercutReport {
  readonly states: number
  readonly acknowledged: number
  /** Operations on files, with syncs. */
  readonly operations: number
  readonly violations: readonly (Violation & { readonly state: string })[]
}

/** A recording is one sequence of calls, so long forms use several. */
const STATES_PER_RECORDING = 1000
const MOST_VIOLATIONS = 5

/** Records a daemon under load, and checks what power cuts at random steps would leave of its files. */
export async function powercutRun(options: PowercutOptions): Promise<PowercutReport> {
  let [states, acknowledged, operations] = [0, 0, 0]
  const violations: PowercutReport['violations'][number][] = []
  for (let seed = options.seed; states < options.states && violations.length < MOST_VIOLATIONS; seed++) {
    const most = Math.min(STATES_PER_RECORDING, options.states - states)
    const report = await oneRecording({ ...options, seed, states: most })
    states += report.states
    acknowledged += report.acknowledged
    operations += report.operations
    violations.push(...report.violations)
    options.log(`${states} states, ${acknowledged} acknowledged, ${violations.length} violations`)
  }
  return { states, acknowledged, operations, violations }
}

const SKILL_MD = `---\nname: research\ndescription: Looks into it.\nuses_skill_run: true\n---\n\nDo it.\n`

async function oneRecording(options: PowercutOptions): Promise<PowercutReport> {
  await using user = new User(options.env ?? {})
  const skill = join(user.project, '.claude/skills/research')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), SKILL_MD)
  const disk = new Disk(user.folder)
  const [record, promised] = [new CrashRecord(), new Map<string, readonly Promised[]>()]
  const random = new Random(options.seed)
  const all: Recorded[] = []
  // The first daemon stops, the second one is killed.
  for (const [life, end] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
    const first = (all.at(-1)?.ended ?? 0) + 1
    all.push(...(await recordLife({ ...options, user, record, promised, random, life, end, first })))
  }
  disk.replay(all)
  const report = await checkStates({ ...options, disk, record, promised, random, all, user })
  return { ...report, operations: all.filter(({ operation }) => operation.kind !== 'tell').length }
}

interface Scene extends PowercutOptions {
  readonly user: User
  readonly disk: Disk
  readonly record: CrashRecord
  readonly promised: ReadonlyMap<string, readonly Promised[]>
  readonly random: Random
  readonly all: readonly Recorded[]
}

async function checkStates(scene: Scene): Promise<Omit<PowercutReport, 'operations'>> {
  const { record, random, all, disk } = scene
  const told = acknowledgedAt(all)
  const steps = [...told.values()]
  const last = (all.at(-1)?.ended ?? 0) + 1
  const violations: PowercutReport['violations'][number][] = record.violations.map((one) => ({
    ...one,
    state: 'the recording',
  }))
  let states = 0
  while (states < scene.states && violations.length < MOST_VIOLATIONS) {
    // Most losses show just after an answer.
    const step = random.chance(0.5) ? (random.pick(steps) ?? 0) + 1 : random.below(last)
    const cut = CUTS[states % CUTS.length] ?? 'drop'
    disk.restore(step, cut, random)
    const found = await checkState(scene, (key) => (told.get(key) ?? Infinity) < step)
    violations.push(...found.map((one) => ({ ...one, state: `${cut} at step ${step}` })))
    states++
  }
  return { states, acknowledged: told.size, violations }
}

/** The step at which each call was answered first. */
function acknowledgedAt(all: readonly Recorded[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  for (const { operation, begun } of all) {
    if (operation.kind !== 'tell') continue
    for (const key of keysTold(operation.text)) if (!told.has(key)) told.set(key, begun)
  }
  return told
}

/** Opens the files as the next daemon would, and compares them with the answers before the cut. */
async function checkState(
  { user, record, promised }: Scene,
  isTold: (key: string) => boolean,
): Promise<readonly Violation[]> {
  const { database } = findHome(user.env)
  const left = new CrashRecord()
  for (const { answer, ...call } of record.calls.values())
    left.calls.set(call.key, isTold(call.key) && answer !== undefined ? { ...call, answer } : call)
  for (const [key, files] of promised) if (isTold(key)) checkPromises(files, left)
  try {
    mkdirSync(findHome(user.env).folder, { recursive: true, mode: 0o700 })
    const store = await openStore(openSqlite(database), { clock })
    await store.close()
  } catch (error) {
    left.report('integrity', `the store does not open: ${String(error)}`)
    return left.violations
  }
  const scratch = join(user.folder, 'scratch')
  await lookAtCopy({ database, scratch, record: left }, (rows) =>
    new CrashCheck().run({ rows, record: left }),
  )
  rmSync(scratch, { recursive: true, force: true })
  return left.violations
}
