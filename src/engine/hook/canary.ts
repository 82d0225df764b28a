import { CANARY_FILES, CANARY_PROJECT, CANARY_SKILL } from '../../model/canary.ts'
import type { Decision } from '../../model/decision.ts'
import type { Definition } from '../../model/plan/definition.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Step } from '../../model/plan/plan.ts'
import type { FoundSkills, SkillFolders } from '../../model/skill-folders.ts'
import { setProjectLevel } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import type { Store } from '../../store/store.ts'
import { Volatile } from '../../store/volatile.ts'
import { findOrRegisterPlace } from '../skill/arrival.ts'
import { callOf } from '../call/moment.ts'
import type { Context } from '../call/context.ts'
import { unlooked } from './look.ts'
import type { Looked } from './looks/look.ts'
import type { Call } from '../call/method.ts'
import { observe } from './observe.ts'

/**
 * Decides on a canary event with the real rules and database, in its own project and skill, and rolls everything
 * back before another caller can see it.
 */
export async function rehearse(context: Context, looked: Looked): Promise<Decision> {
  noteCanary(context.store, looked.event)
  const call = callOf(withoutTraces(context), undefined)
  try {
    return await context.store.transact(async (tx) => {
      throw new Rehearsed(await decide(tx, looked, call))
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.decision
    throw error
  }
}

/** Thrown to roll back a transaction whose result is still needed. */
class Rehearsed extends Error {
  readonly decision: Decision
  constructor(decision: Decision) {
    super('rehearsed')
    this.decision = decision
  }
}

/** A rollback does not restore state in memory, and the canary's folder does not exist on disk. */
const withoutTraces = (context: Context): Context => ({
  ...context,
  store: { ...context.store, volatile: new Volatile() },
  skillFolders: NO_FOLDERS,
  pausedUntil: () => undefined,
})

const NO_FOLDERS: SkillFolders = {
  read: () => Promise.resolve(FOUND),
  readOne: () => Promise.resolve(undefined),
  readWith: () => Promise.resolve(undefined),
  want: () => undefined,
  reread: () => undefined,
}

async function decide(tx: Tx, looked: Looked, call: Call): Promise<Decision> {
  const reading = { found: FOUND, nth: Infinity, isNews: true }
  const place = { folder: CANARY_PROJECT, repository: undefined, main: undefined, reading }
  const { id } = await findOrRegisterPlace(tx, place, call)
  await setProjectLevel(tx, call.context.store.volatile, { id, level: 'enforce' })
  for (const event of before(looked.event)) await observe(tx, { ...unlooked(event), place }, call)
  return await observe(tx, { ...looked, place }, call)
}

/** The events that must precede the canary event: session start and skill call. */
function before({ client, session, cwd, kind }: HookEvent): readonly HookEvent[] {
  const origin = {
    client,
    session,
    cwd,
    name: undefined,
    transcript: undefined,
    promptId: undefined,
    subagent: undefined,
    permissionMode: undefined,
  }
  const start: HookEvent = {
    ...origin,
    kind: 'session.started',
    source: 'startup',
    model: undefined,
    contextTokens: undefined,
  }
  const isCall = kind === 'prompt.submitted' || kind === 'prompt.expanded'
  return isCall
    ? [start]
    : [start, { ...origin, kind: 'prompt.submitted', text: `/${CANARY_SKILL}`, by: 'user' }]
}

const step = (id: string, file: string, more: Pick<Step, 'consumes' | 'produces'>): Step => ({
  id,
  label: id,
  title: id,
  optional: false,
  proof: [],
  place: { file, line: 1, column: 1 },
  ...more,
})

const DEFINITION: Definition = {
  kind: 'skill',
  id: CANARY_SKILL,
  name: CANARY_SKILL,
  description: 'Checks that a premature step is refused.',
  folder: CANARY_FILES.folder,
  file: CANARY_FILES.main,
  fields: {},
  allowedTools: [],
  argumentHint: undefined,
  userInvocable: true,
  phases: [],
  modes: {},
  templates: {},
  nextSkills: [],
  directives: [],
  commands: [],
  requiredTodos: [],
  quick: [],
  plan: {
    notation: 'steps',
    explicit: true,
    gate: 'visited',
    entry: [],
    steps: [
      step('first', CANARY_FILES.first, { consumes: [], produces: ['canary'] }),
      step('second', CANARY_FILES.second, { consumes: ['canary'], produces: [] }),
    ],
  },
  procedures: [],
  checks: [],
  engine: {},
  leadsTo: [],
  references: [],
}

const FOUND: FoundSkills = {
  skills: [
    {
      id: CANARY_SKILL,
      scope: 'project',
      file: CANARY_FILES.main,
      folder: CANARY_FILES.folder,
      digest: CANARY_SKILL,
      parsed: { definition: DEFINITION, diagnostics: [] },
    },
  ],
  problems: [],
  unread: [],
}

/** The received events of each canary; kept only in memory. */
const seen = new WeakMap<Store, Map<string, readonly string[]>>()
const MOST_SEEN = 1000

/** Remembers a canary event, its only trace. */
export function noteCanary(store: Store, { session = '', name = '' }: HookEvent): void {
  const known = seen.get(store) ?? new Map<string, readonly string[]>()
  if (known.size >= MOST_SEEN) known.clear()
  known.set(session, [...(known.get(session) ?? []), name].slice(-MOST_SEEN))
  seen.set(store, known)
}

/** The received events of a canary, by the client's names. */
export const eventsOfCanary = (store: Store, session: string): readonly string[] =>
  seen.get(store)?.get(session) ?? []
