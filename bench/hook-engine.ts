import { join } from 'node:path'
import { callOf } from '../src/engine/call/moment.ts'
import { call } from '../src/engine/call/call.ts'
import { unlooked } from '../src/engine/hook/look.ts'
import { observe } from '../src/engine/hook/observe.ts'
import { CYCLE, looking, makeRepository, type Route, Scene, stepping } from './hook-scene.ts'
import { fill, MANY } from './ledger.ts'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import type { Statement } from '../src/store/query.ts'
import { withFolder } from './processes.ts'
import {
  caller,
  inTurn,
  ONCE,
  onceId,
  openStage,
  raw,
  recording,
  setDurability,
  type Stage,
} from './store.ts'

/** A hook inside the daemon, without the connection. */
export function inTheEngine(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => [...(await shares(rounds, folder)), ...(await sizes(rounds, folder))])
}

interface Play extends Stage {
  readonly scene: Scene
}

async function openPlay(folder: string): Promise<Play> {
  const stage = await openStage(folder)
  const scene = await new Scene(makeRepository(folder)).begin(handled(stage))
  return { ...stage, scene }
}

/** From the request text to the reply text. */
const handled =
  ({ context }: Stage): Route =>
  (payload) => {
    const text = JSON.stringify(payload)
    return async () => {
      const params = { client: 'claude-code', payload: JSON.parse(text) as unknown }
      return JSON.stringify(await call(context, 'hooks.handle', params, caller))
    }
  }

/** Only facts, rules and changes, with the event decoded and its reads known. */
const observed =
  (stage: Stage): Route =>
  (payload) => {
    const { context } = stage
    const event = context.clients.get('claude-code')?.decode(payload)
    if (event?.kind !== 'tool.before' && event?.kind !== 'tool.after') return handled(stage)(payload)
    const { does } = event.tool
    const reads = does.kind === 'files' ? does.touches.map(({ path }) => path) : []
    const looked = { ...unlooked(event), reads }
    return () => context.store.transact((tx) => observe(tx, looked, callOf(context, undefined)))
  }

async function shares(rounds: number, folder: string): Promise<readonly Row[]> {
  const [ours, theirs] = [await openPlay(join(folder, 'ours')), await openPlay(join(folder, 'theirs'))]
  const [looks, steps] = [await statementsOfLook(theirs), await statementsOfSteps(theirs)]
  setDurability([ours, theirs], 'normal')
  const [rawLook, nextStep] = [raw(theirs.handle, looks), inTurn(steps.map((all) => raw(theirs.handle, all)))]
  const times = await race(
    { rounds, calls: 3000, turns: 20, warmUp: 2000 },
    {
      rawLook: timed(rawLook),
      look: looking(ours.scene, observed(ours)),
      wholeLook: looking(ours.scene, handled(ours)),
      rawStep: timed(() => nextStep()()),
      step: stepping(ours.scene, observed(ours)),
      wholeStep: stepping(ours.scene, handled(ours)),
    },
  )
  for (const { store } of [ours, theirs]) await store.close()
  const row = (what: string, mine: keyof typeof times, base: keyof typeof times, most: number) =>
    compared({
      name: 'hooks',
      what: `${what}, NORMAL`,
      times: times[mine],
      against: 'raw statements',
      baseline: times[base],
      target: atMost(most),
    })
  return [
    row('facts, rules, changes: a step is recorded', 'step', 'rawStep', 2),
    row('facts, rules, changes: nothing to record', 'look', 'rawLook', 2),
    row('whole handler: a step is recorded', 'wholeStep', 'rawStep', 1.5),
    row('whole handler: nothing to record', 'wholeLook', 'rawLook', 1.5),
  ]
}

/** The hook as the daemon handles it, with a long history and with a short one. */
async function sizes(rounds: number, folder: string): Promise<readonly Row[]> {
  const [few, many] = [await openPlay(join(folder, 'few')), await openPlay(join(folder, 'many'))]
  fill(few, 10)
  fill(many, MANY)
  const contenders = {
    fewLooks: looking(few.scene, handled(few)),
    manyLooks: looking(many.scene, handled(many)),
    fewSteps: stepping(few.scene, handled(few)),
    manySteps: stepping(many.scene, handled(many)),
  }
  const rows: Row[] = []
  for (const level of ['full', 'normal'] as const) {
    setDurability([few, many], level)
    const calls = level === 'full' ? 800 : 2000
    const times = await race({ rounds, calls, turns: 20, warmUp: 1000 }, contenders)
    const shared = { name: 'hooks', against: '10 rows', target: atMost(1.2) }
    const what = (hook: string) => `${hook}, ${MANY} ledger rows, ${level.toUpperCase()}`
    rows.push(
      compared({
        ...shared,
        what: what('nothing to record'),
        times: times.manyLooks,
        baseline: times.fewLooks,
      }),
      compared({
        ...shared,
        what: what('a step is recorded'),
        times: times.manySteps,
        baseline: times.fewSteps,
      }),
    )
  }
  for (const { store } of [few, many]) await store.close()
  return rows
}

/** The statements of one hook, with its new ids marked. */
async function statementsOf(play: Play, payload: object) {
  const watched = recording(play.store)
  await observed({ ...play, context: { ...play.context, store: watched.store, newId: onceId } })(payload)()
  return watched.statements
}

async function statementsOfLook(play: Play) {
  const [before] = play.scene.look()
  return await statementsOf(play, before)
}

async function statementsOfSteps(play: Play) {
  const all: Awaited<ReturnType<typeof statementsOf>>[] = []
  for (let index = 0; index < CYCLE; index++) {
    const [before, after] = await play.scene.step(handled(play))
    await handled(play)(before)()
    all.push(await statementsOf(play, after))
  }
  return all
}

/**
 * A database and the SQL of a skill's steps, for the bare server: every change, and every question once. A question is
 * asked again only because several parts of a hook need it.
 */
export async function rawSteps(folder: string) {
  const play = await openPlay(folder)
  const all = await statementsOfSteps(play)
  await play.store.close()
  return { database: join(folder, 'engine.db'), once: ONCE, transactions: all.map(askedOnce) }
}

const askedOnce = (statements: readonly Statement<unknown>[]) => {
  const asked = new Set<string>()
  return statements.filter(({ sql, parameters }) => {
    const question = `${sql} ${JSON.stringify(parameters)}`
    const isKnown = sql.startsWith('select ') && asked.has(question)
    asked.add(question)
    return !isKnown
  })
}
