import { appendFile, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, makeWorld, type Open, type World } from '../../src/engine/world.contract.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import { type Expected, type Outcome, PLACE } from './oracle.ts'
import { jsonLine, linesOf, payloadOf, transcriptOf } from './payload.ts'
import { type Deed, makeProject, pathOf } from './scene.ts'
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

/** The client writes its own transcript while it sends events. */
async function perform(world: World, deed: Deed, folder: string): Promise<Answer> {
  const file = transcriptOf(deed.session, folder)
  const write = (text: string) => (text === '' ? Promise.resolve() : appendFile(file, text))
  const { before, half } = linesOf(deed.act, false, folder)
  const halves = half === undefined ? Buffer.alloc(0) : Buffer.from(jsonLine(half, deed.at))
  const middle = Math.floor(halves.length / 2)
  await write(before.map((line) => jsonLine(line, deed.at)).join(''))
  if (half !== undefined) await appendFile(file, halves.subarray(0, middle))
  const answer = await tell(world, deed, folder)
  if (half !== undefined) await appendFile(file, halves.subarray(middle))
  const { after } = linesOf(deed.act, answer?.decision === 'block', folder)
  await write(after.map((line) => jsonLine(line, deed.at)).join(''))
  return answer
}

async function tell(world: World, deed: Deed, folder: string): Promise<Answer> {
  const payload = payloadOf(deed, folder)
  if (deed.act.kind === 'usage')
    return await world.call('statusline.show', { client: 'claude-code', payload })
  if (payload !== undefined) return await world.call('hooks.handle', { client: 'claude-code', payload })
  if (deed.act.kind === 'unheard') return undefined
  if (deed.act.kind === 'log')
    return await world.call('commands.log.append', { native_id: deed.session, text: 'Went on.' })
  const [window] = await rowsOf(
    world,
    `select effort_id from sessions where native_id = '${deed.session}' and ended_at is null`,
  )
  return await world.call('db.effort.finish', {
    effort_id: Number(window?.['effort_id']),
    abandon: 'no longer needed',
  })
}

const isHook = (deed: Deed): boolean => deed.act.kind !== 'usage' && payloadOf(deed, PLACE) !== undefined

const reasonIn = ({ reply }: Answer): string =>
  reply?.hookSpecificOutput?.permissionDecisionReason ?? reply?.reason ?? ''

const contextIn = (answer: Answer): string => answer.reply?.hookSpecificOutput?.additionalContext ?? ''

function judge(deed: Deed, { decision, warnings }: Outcome, answer: Answer): readonly string[] {
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
        : [
            `tracking effort ${id} of ${recap.skill}`,
            recap.next === undefined
              ? `holdfast step done ${recap.done} --effort ${id}`
              : join(folder, pathOf(recap.skill, recap.next)),
          ]
  const missing = wanted.filter((part) => !text.includes(part))
  const isRight = recap?.kind === 'work' || !text.includes('Holdfast: tracking')
  return missing.length === 0 && isRight
    ? []
    : [`${JSON.stringify(deed)} must tell ${wanted.join(' and ') || 'of no work'}, and tells: ${text}`]
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
