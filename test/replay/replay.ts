import { appendFile, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, makeWorld, type World } from '../../src/engine/world.contract.ts'
import { EngineError } from '../../src/model/error.ts'
import { type Open, temporarySqlite } from '../../src/store/open.contract.ts'
import type { Expected, Outcome } from './oracle.ts'
import type { Recap } from './oracle/recap.ts'
import { EFFORT, inShell, jsonLine, linesOf, payloadOf, PLACE, transcriptOf } from './payload.ts'
import { type Act, type Deed, makeProject, type Move, pathOf, proofOf } from './scene.ts'
import { effortIds, effortsIn, ledgerIn, messagesIn, numbersOf, rowsOf, spansIn } from './stored.ts'
import { type Stream, streamOf, type Told } from './stream.ts'

export const PROJECTS = 3

export interface Replay {
  readonly seed: number
  readonly events: number
  /** SQLite by default. */
  readonly open?: Open
}

/** The first difference between the engine and the oracle after so many events of a seed, or undefined. */
export async function replayed({
  seed,
  events,
  open = temporarySqlite,
}: Replay): Promise<string | undefined> {
  const [first] = await differences(streamOf(seed, events, PROJECTS), open)
  return first
}

/** The same, with as few events as possible. */
export async function replayedShort(replay: Replay): Promise<string | undefined> {
  if ((await replayed(replay)) === undefined) return undefined
  const { seed, open = temporarySqlite } = replay
  const events = await shrink({ ...replay, open })
  const stream = streamOf(seed, events, PROJECTS)
  const [first] = await differences(stream, open)
  return [
    `seed ${seed}: the first ${events} of ${replay.events} events differ.`,
    first,
    'The last of them:',
    ...stream.told.slice(-12).map(({ deed }) => JSON.stringify(deed)),
  ].join('\n')
}

/** The ledger keeps every difference, so a failing prefix can be halved. */
async function shrink({ seed, events, open }: Required<Replay>): Promise<number> {
  let [good, bad] = [0, events]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if ((await differences(streamOf(seed, middle, PROJECTS), open)).length > 0) bad = middle
    else good = middle
  }
  return bad
}

async function differences({ told, oracle }: Stream, open: Open): Promise<readonly string[]> {
  let now = told[0]?.deed.at ?? 0
  await using made = new AsyncDisposableStack()
  const folders = await projectsIn(made)
  const opened = made.adopt(await open(), (one) => one.dispose())
  made.defer(() => opened.database.close())
  // Another daemon knows only what the last one has stored.
  const start = () =>
    makeWorld(
      async () => ({ ...opened, database: await opened.again(), dispose: () => Promise.resolve() }),
      () => now,
    )
  let world = await start()
  made.defer(() => world[Symbol.asyncDispose]())
  const found: string[] = []
  const recaps: (() => readonly string[])[] = []
  let ids: ReadonlyMap<string, number> = new Map()
  const ticks = [...Map.groupBy(told, ({ deed }) => deed.tick).values()]
  for (const [index, tick] of ticks.entries()) {
    now = tick[0]?.deed.at ?? now
    const act = tick[0]?.deed.act
    if (act?.kind === 'restart') {
      // A killed daemon writes nothing more.
      if (act.kills) for (const id of world.store.volatile.waiting()) world.store.volatile.forget(id)
      await world[Symbol.asyncDispose]()
      world = await start()
      continue
    }
    // Only the last answers are at risk, because the daemon writes everything else within a second.
    if (kills(ticks[index + 1])) await world.store.flush()
    await Promise.all(
      tick.map(async ({ deed, outcome }) => {
        const folder = folders[deed.project] ?? ''
        const answer = await perform(world, deed, folder)
        found.push(...judge(deed, outcome, answer))
        recaps.push(() => recapFaults({ deed, outcome }, answer, { folder, ids }))
      }),
    )
  }
  await world.store.flush()
  ids = await effortIds(world)
  const numbers = numbersOf(ids)
  for (const [place, folder] of folders.entries()) {
    const mine = told.filter(({ deed }) => deed.project === place)
    found.push(
      ...firstDifference(
        `ledger of project ${place}`,
        ledgerOf(mine),
        await ledgerIn(world, folder, numbers),
      ),
    )
    found.push(...(await stateFaults(world, { folder, numbers }, oracle.expected(place))))
  }
  // A recap names an effort by its id, so the numbers must agree first.
  found.push(...recaps.flatMap((faults) => faults()))
  return found
}

const kills = (tick: readonly Told[] = []): boolean =>
  tick.some(({ deed: { act } }) => act.kind === 'restart' && act.kills)

async function projectsIn(made: AsyncDisposableStack): Promise<readonly string[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-replay-')))
  made.defer(() => rm(folder, { recursive: true }))
  const folders = Array.from({ length: PROJECTS }, (_, place) => join(folder, `p${place}`))
  await Promise.all(folders.map(makeProject))
  return folders
}

/** The client writes its own transcript while it sends events; a command names the effort of its session. */
async function perform(world: World, deed: Deed, folder: string): Promise<Answer> {
  const { act } = deed
  const file = transcriptOf(deed.session, folder)
  const write = (text: string) => (text === '' ? Promise.resolve() : appendFile(file, text))
  const id = await effortNamed(world, deed)
  const named = (text: string) => text.replaceAll(EFFORT, id)
  const { before, half } = linesOf(act, false, folder)
  const halves = half === undefined ? Buffer.alloc(0) : Buffer.from(jsonLine(half, deed.at))
  const middle = Math.floor(halves.length / 2)
  await write(named(before.map((line) => jsonLine(line, deed.at)).join('')))
  if (half !== undefined) await appendFile(file, halves.subarray(0, middle))
  const payload: Answer = JSON.parse(named(JSON.stringify(payloadOf(deed, folder) ?? null)))
  const answer = payload === null ? await own(world, act, Number(id)) : await tell(world, act, payload)
  // The client runs what it may run.
  if (act.kind === 'before' && act.tool.kind === 'command' && answer?.decision === 'allow')
    await moved(world, act.tool.move, Number(id))
  if (half !== undefined) await appendFile(file, halves.subarray(middle))
  const { after } = linesOf(act, answer?.decision === 'block', folder)
  await write(after.map((line) => jsonLine(line, deed.at)).join(''))
  return answer
}

const tell = (world: World, { kind }: Act, payload: Answer): Promise<Answer> =>
  world.call(kind === 'usage' ? 'statusline.show' : 'hooks.handle', { client: 'claude-code', payload })

/** The effort that the commands of a session mean; a call that ends names the one that it began with. */
async function effortNamed(world: World, { act, session }: Deed): Promise<string> {
  const isCommand =
    (act.kind === 'before' || act.kind === 'after' || act.kind === 'failed') && act.tool.kind === 'command'
  const isOwn = ['log', 'move', 'tick', 'approve', 'finish'].includes(act.kind)
  if (!isCommand && !isOwn) return ''
  const [window] = await rowsOf(
    world,
    `select effort_id from sessions where native_id = '${session}' and ended_at is null`,
  )
  return String(window?.['effort_id'])
}

/** A command of the agent or the user. */
async function own(world: World, act: Act, effort_id: number): Promise<Answer> {
  switch (act.kind) {
    case 'log':
      return await world.call('commands.log.append', { effort_id, text: 'Went on.' })
    case 'move':
      return await moved(world, act.move, effort_id)
    case 'tick':
      return await called(world, 'db.effort.tick', { effort_id, item: act.item })
    case 'approve':
      return await called(world, 'db.effort.approve', { effort_id, subject: act.subject, reason: 'It may.' })
    case 'finish':
      return await called(world, 'db.effort.finish', {
        effort_id,
        proof: proofOf(act.gives),
        ...(act.abandons && { abandon: 'no longer needed' }),
      })
    default:
      return undefined
  }
}

function moved(world: World, { by, to, outcome, gives }: Move, effort_id: number): Promise<Answer> {
  const proof = proofOf(gives)
  if (by === 'phase') return called(world, 'db.effort.phase', { effort_id, label: to, proof })
  return by === 'go'
    ? called(world, 'step.enter', { effort_id, step: to, proof })
    : called(world, 'step.leave', { effort_id, step: to, outcome, proof })
}

/** A plan that refuses a call decides like a hook. */
async function called(world: World, method: string, params: object): Promise<Answer> {
  try {
    await world.call(method, params)
    return { decision: 'allow' }
  } catch (error) {
    const isExpected = error instanceof EngineError && ['refused', 'not-found'].includes(error.code)
    if (!isExpected) throw error
    return { decision: 'block' }
  }
}

const isHook = (deed: Deed): boolean => deed.act.kind !== 'usage' && payloadOf(deed, PLACE) !== undefined

/** The commands that a plan may refuse. */
const DECIDED: ReadonlySet<Act['kind']> = new Set<Act['kind']>(['move', 'tick', 'approve', 'finish'])

const reasonIn = ({ reply }: Answer): string =>
  reply?.hookSpecificOutput?.permissionDecisionReason ?? reply?.reason ?? ''

const contextIn = (answer: Answer): string => answer.reply?.hookSpecificOutput?.additionalContext ?? ''

function judge(deed: Deed, { decision, warnings }: Outcome, answer: Answer): readonly string[] {
  if (DECIDED.has(deed.act.kind))
    return decision === answer.decision
      ? []
      : [`${JSON.stringify(deed)} must be "${decision}" and is "${answer.decision}"`]
  if (!isHook(deed)) return []
  const text = contextIn(answer)
  const read = [
    ...(/^Holdfast: \d+ tool calls? with no log entry/m.test(text) ? ['heartbeat'] : []),
    ...(text.includes('% full') ? ['context'] : []),
    ...(text.includes('directive for') ? ['directive'] : []),
  ]
  const voiceless = [text, reasonIn(answer)].filter((told) => told !== '' && !told.startsWith('Holdfast: '))
  if (voiceless.length > 0) return [`${JSON.stringify(deed)} is answered by nobody: ${voiceless.join()}`]
  const [expected, seen] = [`${decision} ${warnings.join(' ')}`, `${answer.decision} ${read.join(' ')}`]
  return expected === seen ? [] : [`${JSON.stringify(deed)} must be "${expected}" and is "${seen}"`]
}

/** A new window gets its skill, its effort and the exact next action. */
function recapFaults(
  { deed, outcome: { recap } }: Told,
  answer: Answer,
  { folder, ids }: { readonly folder: string; readonly ids: ReadonlyMap<string, number> },
): readonly string[] {
  if (deed.act.kind !== 'start') return []
  const text = contextIn(answer)
  const id = ids.get(`${folder} ${recap?.ordinal}`)
  const wanted =
    recap === undefined
      ? []
      : recap.kind === 'waiting'
        ? [`effort ${id} of ${recap.skill},`, `holdfast session continue ${id}`]
        : [`tracking effort ${id} of ${recap.skill}`, ...actionsIn(recap, { folder, id })]
  const missing = wanted.filter((part) => !text.includes(part))
  const isRight = recap?.kind === 'work' || !text.includes('Holdfast: tracking')
  return missing.length === 0 && isRight
    ? []
    : [`${JSON.stringify(deed)} must tell ${wanted.join(' and ') || 'of no work'}, and tells: ${text}`]
}

/** Where the work stands, and what comes next. */
function actionsIn(
  { skill, next, done, phase, isParked, allowed = [] }: Recap,
  { folder, id }: { readonly folder: string; readonly id: number | undefined },
): readonly string[] {
  if (phase === undefined) {
    // An approval from before is the way on.
    if (isParked === true && allowed.length > 0)
      return allowed.map((step) => `holdfast step go ${step} --effort ${id}`)
    if (isParked === true) return [`holdfast effort approve ${id} `]
    if (next !== undefined) return [join(folder, pathOf(skill, next))]
    return [done === undefined ? `holdfast effort finish ${id}` : `holdfast step done ${done} --effort ${id}`]
  }
  return [
    phase === null ? 'No phase entered yet.' : `Current phase: "${phase}".`,
    ...(next === undefined ? [] : [`holdfast step go ${inShell(next)} --effort ${id}`]),
  ]
}

const ledgerOf = (told: readonly Told[]): readonly string[] => told.flatMap(({ outcome }) => outcome.ledger)

function firstDifference(
  what: string,
  expected: readonly string[],
  seen: readonly string[],
): readonly string[] {
  const at = expected.findIndex((entry, index) => entry !== seen[index])
  const index = at < 0 && seen.length > expected.length ? expected.length : at
  if (index < 0) return []
  const before = expected.slice(Math.max(0, index - 5), index).join(' · ')
  const shown = (list: readonly string[]) => list.slice(index, index + 4).join(' · ') || 'nothing'
  return [`${what}: after ${before} comes ${shown(expected)}, not ${shown(seen)}`]
}

async function stateFaults(
  world: World,
  { folder, numbers }: { readonly folder: string; readonly numbers: ReadonlyMap<number, string> },
  expected: Expected,
): Promise<readonly string[]> {
  const found = [
    ...firstDifference(`visits in ${folder}`, expected.efforts, await effortsIn(world, folder, numbers)),
  ]
  for (const [name, spans] of Object.entries(expected.spans))
    found.push(...firstDifference(`spans of ${name}`, spans, await spansIn(world, name, numbers)))
  for (const [name, messages] of Object.entries(expected.messages))
    found.push(...firstDifference(`messages of ${name}`, messages, await messagesIn(world, name, folder)))
  return found
}
