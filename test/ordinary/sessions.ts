import { readFile } from 'node:fs/promises'
import { type Answer, makeWorld, type World } from '../../src/engine/world.contract.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import { Random } from '../torture/random.ts'
import { type Action, ACTIONS, type Standing } from './actions.ts'
import { type Level, type Place, placeIn, SKILLS, type SkillName, stepFile, STEPS } from './places.ts'

/** An ordinary action that was refused. */
export interface FalseRefusal {
  readonly kind: string
  readonly level: Level
  readonly open: readonly string[]
  readonly payload: unknown
  readonly reason: string
}

export interface Run {
  readonly sessions: number
  readonly seed: number
  readonly level: Level
}

const ACTIONS_IN_A_SESSION = 20
const PLACES = 5

/** Plays ordinary sessions through the hooks of the client; returns what was refused. */
export async function ordinarySessions({ sessions, seed, level }: Run) {
  await using world = await makeWorld(temporarySqlite)
  const random = new Random(seed)
  const places: Place[] = []
  for (let at = 0; at < PLACES; at++) places.push(await placeIn(world, level))
  const refusals: FalseRefusal[] = []
  const kinds = new Map<string, number>()
  for (let session = 0; session < sessions; session++) {
    const place = places[session % PLACES]
    if (place === undefined) continue
    const at: Standing = { place, open: new Map() }
    const client = clientOf(world, place.root)
    await client.fire('SessionStart', { source: 'startup' })
    await openSkill(random, at, client)
    for (let count = 0; count < ACTIONS_IN_A_SESSION; count++) {
      const kind = random.pick(Object.keys(ACTIONS)) ?? ''
      const action = ACTIONS[kind]?.(random, at)
      if (action === undefined) continue
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      const reason = await client.take(action)
      if (reason !== undefined)
        refusals.push({ kind, level, open: openIn(at), payload: action.payload, reason })
    }
    await client.fire('SessionEnd', { reason: 'other' })
  }
  return { refusals, kinds }
}

const openIn = ({ open }: Standing): readonly string[] =>
  [...open].map(([skill, steps]) => [skill, ...steps].join(' '))

/** Half of the sessions work with a skill, and follow its plan for a while. */
async function openSkill(random: Random, at: Standing, client: Client): Promise<void> {
  if (random.chance(0.4)) return
  const skill: SkillName = random.pick(SKILLS) ?? 'flow'
  at.open.set(skill, new Set())
  await (random.chance(0.5)
    ? client.fire('UserPromptSubmit', { prompt: `/${skill} ${random.below(1000)}` })
    : client.take({ event: 'PreToolUse', payload: { tool_name: 'Skill', tool_input: { skill } } }))
  if (skill === 'plain') return
  for (const step of STEPS.slice(0, random.below(STEPS.length))) {
    at.open.get(skill)?.add(step)
    const path = `${at.place.root}/${stepFile(skill, step)}`
    await client.take({
      event: 'PreToolUse',
      payload: { tool_name: 'Read', tool_input: { file_path: path } },
      shows: path,
    })
  }
}

type Client = ReturnType<typeof clientOf>

/** A session of the client in a project. */
export function clientOf(world: World, cwd: string) {
  const session_id = world.name('native')
  const fire = (hook_event_name: string, more: object): Promise<Answer> =>
    world.call('hooks.handle', {
      client: 'claude-code',
      payload: { session_id, cwd, hook_event_name, ...more },
    })
  /** Why an action is refused; one that is not refused gets the answer of the client. */
  const take = async ({ event, payload, shows }: Action): Promise<string | undefined> => {
    const call = { ...payload, tool_use_id: world.name('call') }
    const before = await fire(event, call)
    if (before.decision === 'block') return JSON.stringify(before.reply)
    if (event === 'PreToolUse')
      await fire('PostToolUse', { ...call, tool_response: await answerOf(payload, shows) })
    return undefined
  }
  return { fire, take }
}

async function answerOf({ tool_name }: Action['payload'], shows: string | undefined): Promise<unknown> {
  if (shows !== undefined)
    return {
      type: 'text',
      file: { filePath: shows, content: await readFile(shows, 'utf8'), startLine: 1 },
    }
  return tool_name === 'Bash' ? { stdout: '', stderr: '', interrupted: false } : {}
}
