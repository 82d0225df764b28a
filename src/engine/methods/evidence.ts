import * as z from 'zod'
import { timestamp } from '../../model/clock.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError, projectNotFound } from '../../model/error.ts'
import { type Demand, demandOf, isExpected, recordCommand, refutedBy } from '../../model/plan/evidence.ts'
import { fillIn } from '../../model/plan/action-words.ts'
import { doneCommands, showCommand } from '../../model/plan/next-action.ts'
import { nearest } from '../../model/text/nearest.ts'
import { shellWord } from '../../model/shell/word.ts'
import {
  dropEvidenceRunsBefore,
  findEvidenceRun,
  insertEvidenceRun,
  takeEvidenceRun,
} from '../../store/artifact.ts'
import { findEnvironment } from '../../store/environment.ts'
import type { Tx } from '../../store/query.ts'
import { type Here, optionalHere } from '../call/here.ts'
import { digestOf, newToken } from '../call/digest.ts'
import type { Context } from '../call/context.ts'
import { method } from '../call/method.ts'
import { type Asker, effortToChange, isOthers } from '../effort/holder.ts'
import { onlySetAside, setAsideOf } from '../effort/set-aside.ts'
import { threadOf } from '../effort/thread.ts'
import { candidatesFor, sayWhich } from '../effort/meant.ts'
import { activeEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { type Followed, followedBy } from '../plan/plan.ts'
import { recordArtifact, takeBack } from '../plan/record-artifact.ts'
import { appliedSkill, type Cover, coversOfEffort, digestsOf } from '../plan/recorded.ts'
import { aroundCaller, knownAround } from '../session/around.ts'

/** The command of a plan to run, and the files it covers. */
interface Wanted {
  readonly effort: Effort
  readonly root: string
  readonly command: string
  readonly covers: readonly string[]
}

export const begin = method({
  name: 'evidence.begin',
  summary:
    'Begin to prove an artifact or field: return the command of the plan, the folder to run it in and a token to report the result.',
  effect: 'durable',
  params: z.strictObject({
    name: p.name.describe('The name of the artifact or proof field.'),
    effort_id: p.id.optional(),
    path: p.path
      .optional()
      .describe('A folder of the project to search for the effort, if effort_id is omitted.'),
    ...aroundCaller,
    ...p.caller,
  }),
  async prepare(context, params, ask) {
    const here = await optionalHere(context, 'path', params.path)
    const wanted = await ask(async (tx) =>
      find(tx, { ...params, ...(await threadOf(tx, params, context)).asker }, here),
    )
    return { ...wanted, ...(await coveredBy(context, params.name, wanted)), token: newToken() }
  },
  async run(tx, { name, sessions, processes, agent_id, native_id }, call) {
    const { effort, root, command, covers, digest, stamp, files, token } = call.prepared
    const who = { effort_id: effort.id, agent_id, native_id }
    await effortToChange(tx, who, 'given evidence', call.context)
    const session =
      (await knownAround(tx, { sessions, processes }, call.context))?.session.native_id ?? undefined
    await dropEvidenceRunsBefore(tx, {
      before: timestamp(call.context.clock.now() - LONGEST_RUN_MILLISECONDS),
    })
    await insertEvidenceRun(tx, {
      token: digestOf(token),
      effort_id: effort.id,
      name,
      command,
      covers: JSON.stringify(covers),
      // One column holds both, because they only count together.
      digest: digest === null ? null : `${digest} ${stamp}`,
      started_at: call.now,
    })
    await call.record(tx, {
      event_type: 'evidence.begun',
      skill: effort.skill,
      effort_id: effort.id,
      ...(session !== undefined && { session_id: session }),
      payload: { name, command, files, by: session === undefined ? 'user' : 'agent' },
    })
    const environment = session === undefined ? undefined : await findEnvironment(tx, session)
    const caller = { by: session === undefined ? 'user' : 'agent', ...(environment && { environment }) }
    return { effort_id: effort.id, name, command, folder: root, covers, files, token, ...caller }
  },
})

export const finish = method({
  name: 'evidence.finish',
  summary:
    'Report the exit code of a run: the expected one (0, or another code if the plan wants it to fail) records the name as proved, any other revokes it.',
  effect: 'durable',
  params: z.strictObject({
    token: p.name.describe('The token from evidence.begin.'),
    exit_code: z.int().min(0).max(255),
    duration_ms: z.int().min(0),
    environment: z
      .strictObject({ path: p.textUpTo(100_000), unused: z.array(p.textUpTo(1000)).max(1000) })
      .optional()
      .describe('The search path that the command ran with, and the variables that were left out.'),
    native_id: p.caller.native_id,
    tail: p.textUpTo(20_000).default('').describe('The end of the output of the command.'),
  }),
  async prepare(context, { token }, ask) {
    const { covers, own } = await ask(async (tx) => {
      const run = await findEvidenceRun(tx, { token: digestOf(token) })
      if (run === undefined) return { covers: [] as readonly Cover[] }
      const recorded = await coversOfEffort(tx, run.effort_id)
      const ran = { root: recorded.root, covers: JSON.parse(run.covers) as string[] }
      if (run.digest === null) return { covers: recorded.covers }
      return { covers: [...recorded.covers, ran], own: ran }
    })
    return { digests: await digestsOf(context, covers), stamp: await stampOf(context, own) }
  },
  async run(tx, { token, environment, exit_code, duration_ms, tail }, call) {
    const ended = { exit_code, duration_ms, tail }
    const run = await takeEvidenceRun(tx, { token: digestOf(token) })
    if (run === undefined)
      throw new EngineError('not-found', 'No open run has this token.', {
        field: 'token',
        hint: 'holdfast prove NAME',
      })
    const effort = await activeEffort(tx, run.effort_id, 'given evidence')
    const { name, command } = run
    const digest = digestRun(run.digest, call.prepared.stamp)
    const { plan } = await followedBy(tx, effort)
    const demands = plan?.demands ?? {}
    const wanted = demandOf(demands, name)
    const refuted = refutedBy(demands, command, ended.exit_code === 0)
    // A plan that was changed meanwhile may no longer ask for the name.
    const names = isExpected(wanted, ended.exit_code === 0) ? refuted : [...new Set([name, ...refuted])]
    for (const one of names) await takeBack(tx, effort, { name: one, command, ...ended }, call)
    if (names.includes(name)) return { proved: false, effort_id: effort.id, name, exit_code: ended.exit_code }
    const covers = JSON.parse(run.covers) as readonly string[]
    const { expect } = wanted
    const ran = { ...(expect !== undefined && { expect }), ...(environment && { environment }), ...ended }
    const evidence = { command, covers, ...ran }
    const given = { effort, name, rank: 'proved', digest, evidence } as const
    return { proved: true, ...(await recordArtifact(tx, given, call.prepared.digests, call)) }
  },
})

/** The change times of the covered files; undefined if they cannot be read. */
async function stampOf({ files }: Context, own: Cover | undefined): Promise<string | undefined> {
  if (own === undefined) return undefined
  return (await files.digest({ root: own.root, patterns: own.covers }).catch(() => undefined))?.stamp
}

/** What was run: no digest of files if one was written meanwhile, because another text may have passed. */
function digestRun(begun: string | null, stamp: string | undefined): string | null {
  const [digest = null, before = stamp] = begun?.split(' ') ?? []
  return before === stamp ? digest : WRITTEN
}

/** Equals no digest, so the record is stale. */
const WRITTEN = 'written during the run'

const LONGEST_RUN_MILLISECONDS = 7 * 24 * 60 * 60 * 1000

async function find(
  tx: Tx,
  params: { readonly name: string; readonly effort_id?: number | undefined } & Asker,
  here: Here | undefined,
): Promise<Wanted> {
  const folder = here?.folder
  const { name, effort_id: id, agent_id, native_id } = params
  const asker = { agent_id, native_id }
  const { named, own, around, project } = await candidatesFor(tx, { effort_id: id, folder, here, ...asker })
  if (project === undefined) throw folder === undefined ? sayWhich() : projectNotFound(folder, folder)
  const asked = new Set<string>()
  let claim: string | undefined
  const found: Wanted[] = []
  const open = own.filter(({ lifecycle }) => lifecycle === 'active')
  for (const effort of named === undefined ? [...open, ...around] : [named]) {
    const { root } = await appliedSkill(tx, effort)
    const followed = await followedBy(tx, effort)
    const { plan } = followed
    if (!(await isOthers(tx, effort, asker))) claim ??= claimOf(effort, followed, name)
    for (const [field, demand] of Object.entries(plan?.demands ?? {})) {
      if (!hasCommand(demand)) continue
      asked.add(field)
      if (field === name) found.push({ effort, root, command: demand.command, covers: demand.covers })
    }
  }
  const likely = await likeliest(tx, found, { own, asker })
  const aside =
    id === undefined
      ? await setAsideOf(
          tx,
          likely.map(({ effort }) => effort),
          asker,
        )
      : []
  const [first, second] = likely.filter(({ effort }) => !aside.includes(effort))
  if (first === undefined && aside.length > 0) throw onlySetAside(aside)
  if (first === undefined) throw notAsked(name, { asked: [...asked], claim }, id)
  if (second === undefined) return first
  const ids = likely.map(({ effort }) => effort.id)
  throw new EngineError('conflict', `Several efforts need ${name}: ${ids.join(', ')}.`, {
    field: 'effort_id',
    hint: `holdfast prove ${shellWord(name)} --effort ${first.effort.id}`,
  })
}

/** The caller's own efforts before free ones; those of others only if there is nothing else. */
async function likeliest(
  tx: Tx,
  found: readonly Wanted[],
  { own, asker }: { readonly own: readonly Effort[]; readonly asker: Asker },
): Promise<readonly Wanted[]> {
  const mine = found.filter(({ effort }) => own.includes(effort))
  if (mine.length > 0) return mine
  const free: Wanted[] = []
  for (const one of found) if (!(await isOthers(tx, one.effort, asker))) free.push(one)
  return free.length > 0 ? free : found
}

const hasCommand = (demand: Demand): demand is Demand & { command: string } => demand.command !== undefined

/** The command that claims a name for which the plan has no command; a field of proof is given with its step. */
function claimOf(effort: Effort, { plan, progress, recorded }: Followed, name: string): string | undefined {
  const step = plan?.steps.find(({ produces, proof }) => produces.includes(name) || proof.includes(name))
  if (plan === undefined || step === undefined) return undefined
  if (!step.proof.includes(name)) return recordCommand(effort.id, name, demandOf(undefined, name))
  return progress.current.includes(step.id)
    ? doneCommands(effort.id, plan, progress, { recorded, steps: [step.id] })[0]
    : undefined
}

function notAsked(
  name: string,
  { asked, claim }: { readonly asked: readonly string[]; readonly claim: string | undefined },
  effortId: number | undefined,
): EngineError {
  const missing =
    effortId === undefined
      ? 'No active effort here has a command'
      : `The plan of effort ${effortId} has no command`
  const meant = nearest(name, asked)
  const known = meant.length > 0 ? meant : asked
  const choice = known.length === 0 ? '.' : `. Commands exist for: ${known.join(', ')}.`
  const hint = effortId === undefined ? 'holdfast effort find-active' : (claim ?? showCommand(effortId))
  const message = [`${missing} for ${name}${choice}`, ...fillIn([hint])].join(' ')
  return new EngineError('not-found', message, { field: 'name', hint })
}

/** A proof that covers no file would prove nothing. */
async function coveredBy({ files }: Context, name: string, { effort, root, covers }: Wanted) {
  if (covers.length === 0) return { digest: null, stamp: '', files: 0 }
  const covered = await files.digest({ root, patterns: covers })
  if (covered.files > 0) return covered
  throw new EngineError(
    'conflict',
    `${name} covers ${covers.join(', ')}, which matches no file in ${root}. Write the files first, or correct "covers" of ${name} in the plan of ${effort.skill}.`,
    { field: 'name', hint: `holdfast prove ${shellWord(name)} --effort ${effort.id}` },
  )
}
