import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Subject } from '../../clients/subject.contract.ts'
import {
  type Claim,
  claimFor,
  REFUSING_LEVELS,
  type RefusingLevel,
  type Route,
  type Routes,
  type Taker,
  TAKERS,
  type Target,
} from '../../model/coverage.ts'
import { scopeId } from '../../model/session.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { makeWorld, type World, writeFiles } from '../world.contract.ts'
import { clientIn } from './client.contract.ts'
import { speakerAt } from './speaker.contract.ts'
import { inOurVoice } from '../../model/text/voice.ts'
import { needs, productOf } from '../../rules/told/words.ts'

/** A client whose main thread or sub-agent has called the skill, and that has read no step. */
async function atWork(
  world: World,
  subject: Subject,
  taker: Taker = 'main thread',
  level: RefusingLevel = 'enforce',
) {
  const { subagent } = subject.client.routes
  const it = await speakerAt(world, subject)
  await it.start()
  await world.call('db.project.setLevel', { path: it.project, level })
  const isScope = taker === 'sub-agent with a skill'
  const fields = taker === 'main thread' ? {} : subagent?.fields
  await (isScope ? it.use({ ...subagent?.calls('flow'), ...fields }) : it.prompt('/flow'))
  const scope = scopeId(it.session, subagent?.id ?? '')
  const { spans } = isScope ? clientIn(world, it.project, scope) : it
  const at = (step: string): Target => {
    const file = it.flow(`steps/${step}.md`)
    return {
      project: it.project,
      file,
      relative: relative(it.project, file),
      name: `${step}.md`,
      steps: it.flow('steps'),
      skill: it.flow('.'),
      skills: join(it.flow('.'), '..'),
    }
  }
  const take = (route: Route, payload: object) =>
    route.isPrompt === true ? it.tell('prompt.submitted', payload) : it.use({ ...payload, ...fields })
  /** The decision and the ledger when an example of a route reads the last step. */
  const readEarly = async (route: Route, index: number) => {
    const seq = await world.lastSeq()
    const answer = await take(route, route.payloads(at('do'))[index] ?? {})
    const said = (await world.since(seq)).map(({ event_type, payload }) => ({ event_type, payload }))
    const heard = it.heard(answer, route.isPrompt === true ? 'prompt.submitted' : 'tool.after')
    return { answer, heard, said }
  }
  const readInTurn = async (route: Route, index: number) =>
    await take(route, route.payloads(at('look'))[index] ?? {})
  return {
    it: { ...it, spans },
    begin: (payload: object) =>
      it.tell('tool.before', { ...subject.voice.call('one'), ...payload, ...fields }),
    readEarly,
    readInTurn,
    takeThink: () => it.use({ ...subject.voice.read(it.flow('steps/think.md')), ...fields }),
  }
}

/** The home of the daemon as a target. */
function homeOf({ context, project }: World): Target {
  const { folder: steps } = context.own
  return {
    project,
    file: `${steps}/pause.json`,
    relative: '',
    name: 'pause.json',
    steps,
    skill: '',
    skills: '',
  }
}

type AtWork = Awaited<ReturnType<typeof atWork>>

/** What each claim promises for an example. */
const PROMISES: Readonly<Record<Claim, (work: AtWork, route: Route, index: number) => Promise<void>>> = {
  async enforced({ it, readEarly, readInTurn }, route, index) {
    const { answer } = await readEarly(route, index)
    expect(answer.decision).toBe('block')
    expect(it.heard(answer).as).toBe('refusal')
    if (route.whole === true) return
    expect((await readInTurn(route, index)).decision).toBe('allow')
    expect(await it.spans()).toEqual(['flow active look'])
  },
  async refused({ it, readEarly, readInTurn }, route, index) {
    const { answer } = await readEarly(route, index)
    expect(answer.decision).toBe('block')
    expect(it.heard(answer).as).toBe('refusal')
    if (route.whole === true) return
    expect((await readInTurn(route, index)).decision).toBe('allow')
    expect((await it.spans()).filter((span) => !/^flow active$/.test(span))).toEqual([])
  },
  async advised({ it, readEarly, readInTurn, takeThink }, route, index) {
    const { answer, heard, said } = await readEarly(route, index)
    expect(answer.decision).toBe('allow')
    expect(heard).toEqual({
      as: 'context',
      text: expect.stringContaining(inOurVoice(needs('do', productOf('idea', ['think'])))),
    })
    expect(said).toMatchObject([{ event_type: 'step.visited', payload: { out_of_order: true } }])
    await readInTurn(route, index)
    expect(await it.spans()).toEqual(['flow active do,look'])
    expect((await takeThink()).decision).toBe('allow')
  },
  async observed({ it, readEarly }, route, index) {
    const { answer, heard, said } = await readEarly(route, index)
    expect([answer.decision, heard.as]).toEqual(['allow', 'nothing'])
    expect(said.map(({ event_type }) => event_type)).toEqual(['read.unresolved'])
    expect(await it.spans()).toEqual(['flow active'])
  },
  async unseen({ it, readEarly }, route, index) {
    const { answer, heard, said } = await readEarly(route, index)
    expect([answer.decision, heard.as, said]).toEqual(['allow', 'nothing', []])
    expect(await it.spans()).toEqual(['flow active'])
  },
}

/** A client without an effort, in a project with a directive that must be read before a write. */
async function aboutToWrite(
  world: World,
  subject: Subject,
  wantsEffort: boolean,
  taker: Taker = 'main thread',
) {
  const { subagent } = subject.client.routes
  const fields = taker === 'main thread' ? {} : subagent?.fields
  const it = await speakerAt(world, subject)
  const folder = join(it.project, 'src')
  await mkdir(folder)
  const directive = join(folder, 'INVARIANTS.md')
  await writeFile(directive, '---\nrequired: before-writing\n---\n')
  await writeFile(join(folder, 'file.txt'), 'a')
  await it.start()
  if (wantsEffort) await world.call('db.project.setSessionGate', { path: it.project, on: true })
  if (taker === 'sub-agent with a skill') await it.use({ ...subagent?.calls('flow'), ...fields })
  const file = join(folder, 'file.txt')
  const target: Target = {
    project: it.project,
    file,
    relative: 'src/file.txt',
    name: 'file.txt',
    steps: folder,
    skill: '',
    skills: '',
  }
  /** Unknown writes happen in the folder of the directive. */
  const write = async (route: Route, index: number) => {
    const { voice } = subject
    const seq = await world.lastSeq()
    const origin = voice.origin(it.session, route.claim === 'observed' ? folder : it.project)
    const call = { ...origin, ...voice.call('one'), ...route.payloads(target)[index], ...fields }
    const answer = await it.tell('tool.before', call)
    const said = (await world.since(seq)).map(({ event_type }) => event_type)
    const { as, text } = it.heard(answer)
    const reason = as === 'refusal' ? text : ''
    return { answer, reason, said: said.filter((event) => event !== 'directive.told') }
  }
  return { directive, write }
}

/** A client that has called a skill whose last step opens a file; a sub-agent without a skill is bound as well. */
async function heldBack(world: World, subject: Subject, taker: Taker = 'main thread') {
  const { subagent } = subject.client.routes
  const fields = taker === 'main thread' ? {} : subagent?.fields
  const it = await speakerAt(world, subject)
  await it.add('flow', { 'holdfast.yaml': 'steps: {do: {writes: [src/**]}}\n' })
  await writeFiles({ 'src/file.txt': 'a' }, it.project)
  await it.start()
  if (taker === 'sub-agent with a skill') await it.use({ ...subagent?.calls('flow'), ...fields })
  else await it.prompt('/flow')
  const folder = join(it.project, 'src')
  const target: Target = {
    project: it.project,
    file: join(folder, 'file.txt'),
    relative: 'src/file.txt',
    name: 'file.txt',
    steps: folder,
    skill: '',
    skills: '',
  }
  const write = async (route: Route, index: number) => {
    const seq = await world.lastSeq()
    const call = { ...subject.voice.call('one'), ...route.payloads(target)[index], ...fields }
    const answer = await it.tell('tool.before', call)
    const said = (await world.since(seq)).map(({ event_type }) => event_type)
    return { seen: [answer.decision, said], reason: it.heard(answer).text }
  }
  return { write }
}

/** The decision and the ledger entries. */
const WRITE_PROMISES: Readonly<Record<Claim, readonly [string, readonly string[]] | undefined>> = {
  enforced: ['block', ['tool.refused']],
  refused: undefined,
  advised: undefined,
  observed: ['allow', ['write.unresolved']],
  unseen: ['allow', []],
}

/** One example of each route, by each kind of sub-agent. */
const takenBySubagents = (routes: Routes, kind: 'reads' | 'writes', level: RefusingLevel = 'enforce') =>
  TAKERS.slice(routes.subagent === undefined ? TAKERS.length : 1).flatMap((taker) =>
    routes[kind].flatMap((route) => {
      const claim = claimFor(route, taker, level)
      return claim === undefined ? [] : [{ route, taker, claim, level }]
    }),
  )

const casesOf = (routes: readonly Route[]) =>
  routes.flatMap((route) => route.examples.map((example, index) => ({ ...route, route, example, index })))

/** Each test adds projects, and each event of a world looks at all of them. */
const TESTS_PER_WORLD = 12

/** Every route to a step and to a file keeps its claim. */
export function coverageContract(subject: Subject): void {
  const { client } = subject
  const { own = [] } = client.routes
  let world: World
  let tests = 0
  beforeEach(async () => {
    if (tests++ % TESTS_PER_WORLD > 0) return
    if (tests > 1) await world[Symbol.asyncDispose]()
    world = await makeWorld(temporarySqlite, Date.now, { clients: new Map([[client.name, client]]) })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('each route has one payload for each example', () => {
    const target = { project: '', file: '', relative: '', name: '', steps: '', skill: '', skills: '' }
    for (const { examples, payloads } of [...client.routes.reads, ...client.routes.writes, ...own])
      expect(payloads(target)).toHaveLength(examples.length)
  })

  const decided = async (route: Route, index: number, level: RefusingLevel, taker: Taker) => {
    const { begin } = await atWork(world, subject, taker, level)
    return (await begin(route.payloads(homeOf(world))[index] ?? {})).decision
  }

  test.each(casesOf(own))(
    'a file that holds the rules, $what, is $claim: $example',
    async ({ route, claim, index }) => {
      const promised = claim === 'enforced' ? ['ask', 'block', 'block'] : ['allow', 'allow', 'allow']
      expect([
        await decided(route, index, 'enforce', 'main thread'),
        await decided(route, index, 'strict', 'main thread'),
        await decided(route, index, 'enforce', 'other sub-agent'),
      ]).toEqual(promised)
    },
  )

  describe('reading', () => {
    test.each(casesOf(client.routes.reads))('$what is $claim: $example', async ({ route, claim, index }) => {
      expect.hasAssertions()
      await PROMISES[claim](await atWork(world, subject), route, index)
    })

    test.each(casesOf(client.routes.reads))('$what at strict: $example', async ({ route, index }) => {
      expect.hasAssertions()
      const claim = claimFor(route, 'main thread', 'strict') ?? 'unseen'
      await PROMISES[claim](await atWork(world, subject, 'main thread', 'strict'), route, index)
    })

    test.each(REFUSING_LEVELS.flatMap((level) => takenBySubagents(client.routes, 'reads', level)))(
      '$route.what is $claim by $taker at $level',
      async ({ route, claim, taker, level }) => {
        expect.hasAssertions()
        await PROMISES[claim](await atWork(world, subject, taker, level), route, 0)
      },
    )
  })

  describe('writing', () => {
    test.each(casesOf(client.routes.writes))('$what is $claim: $example', async ({ route, claim, index }) => {
      const promised = WRITE_PROMISES[claim]
      const isEnforced = claim === 'enforced'
      const gated = await (await aboutToWrite(world, subject, true)).write(route, index)
      expect([gated.answer.decision, gated.said]).toEqual(promised)
      expect(gated.reason.includes('holdfast effort start')).toBe(isEnforced)
      const { directive, write } = await aboutToWrite(world, subject, false)
      const directed = await write(route, index)
      expect([directed.answer.decision, directed.said]).toEqual(promised)
      expect(directed.reason.includes(directive)).toBe(isEnforced)
    })

    test.each(casesOf(client.routes.writes))(
      '$what is $claim if a plan holds the file back: $example',
      async ({ route, claim, index }) => {
        const { seen, reason } = await (await heldBack(world, subject)).write(route, index)
        expect(seen).toEqual(WRITE_PROMISES[claim])
        expect(reason.includes('only from step "do" on')).toBe(claim === 'enforced')
      },
    )

    test.each(takenBySubagents(client.routes, 'writes'))(
      '$route.what is $route.claim for $taker if a plan holds the file back',
      async ({ route, taker }) => {
        const { seen } = await (await heldBack(world, subject, taker)).write(route, 0)
        expect(seen).toEqual(WRITE_PROMISES[route.claim])
      },
    )

    test.each(takenBySubagents(client.routes, 'writes'))(
      '$route.what is $claim by $taker',
      async ({ route, claim, taker }) => {
        const { directive, write } = await aboutToWrite(world, subject, true, taker)
        const { answer, said, reason } = await write(route, 0)
        expect([answer.decision, said]).toEqual(WRITE_PROMISES[claim])
        expect(reason.includes(directive)).toBe(claim === 'enforced')
      },
    )
  })
}
