import { readFileSync } from 'node:fs'
import { doNamed } from '../refusals/named-action.ts'
import type { Scene } from '../refusals/scene.ts'
import { type Made, type MadeStep, secretOf } from './made.ts'

interface Shown {
  readonly status: string
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly label: string; readonly attempts: number }[]
}

const standingOf = (it: Scene): Promise<Shown> => it.ask<Shown>('step.show', { effort_id: it.effort })

const isFinished = async (it: Scene): Promise<boolean> =>
  (await it.ask<{ lifecycle: string }>('db.effort.get', { effort_id: it.effort })).lifecycle === 'finished'

/** Begins the work: the user calls the skill, or starts an effort in a mode. */
export async function start(it: Scene, { mode }: Made): Promise<void> {
  if (mode === undefined) return await it.call('/flow')
  await it.fire('SessionStart', { source: 'startup' })
  await it.good(`effort start ${it.project}/work flow --mode ${mode}`)
  it.effort = Number(/effort (\d+)/i.exec(it.said)?.[1])
}

/** What an agent wants that does not look at the plan, and would rather be done. */
const wishesFor = ({ steps }: Made): readonly ((it: Scene) => Promise<string | undefined>)[] => {
  const last = steps.at(-1)
  return [
    (it) => it.bad('effort finish EFFORT'),
    (it) => it.bad(`step go '${last?.name}' --effort EFFORT`),
    (it) => it.bad(`step done --effort EFFORT`),
    async (it) => {
      await it.fire('UserPromptSubmit', { prompt: 'Go on.' })
      return await it.fire('Stop', { stop_hook_active: false })
    },
    ...steps.flatMap(({ writes }) =>
      writes === undefined
        ? []
        : [(it: Scene) => it.use('Write', { file_path: `${it.project}/${writes}`, content: '' })],
    ),
    ...(last?.file === undefined ? [] : [(it: Scene) => it.read(last.file ?? '')]),
  ]
}

/** Obeys each refusal literally until the work is finished; returns what it did if that does not work. */
export async function obey(it: Scene, made: Made, choices: readonly number[]): Promise<string | undefined> {
  const did: string[] = []
  const wishes = wishesFor(made)
  let rounds = made.loop?.rounds ?? 0
  for (let turn = 0; !(await isFinished(it)); turn++) {
    if (turn > mostMoves(made)) return `Not finished after:\n${did.join('\n')}`
    if (rounds > 0 && (await isFoundWanting(it, made, did))) {
      rounds--
      continue
    }
    const wish = wishes[(choices[turn % choices.length] ?? 0) % wishes.length]
    const refusal = (await wish?.(it)) ?? (await wishes[0]?.(it))
    if (refusal === undefined) continue
    const wrong = (await doNamed(it, refusal)) ?? (await doOffered(it, refusal))
    did.push(`${refusal.trim()} → ${wrong ?? 'done'}`)
    if (wrong !== undefined) return did.join('\n')
  }
  return undefined
}

/** Reports the outcome that leads back, if its step is current. */
async function isFoundWanting(it: Scene, { loop }: Made, did: string[]): Promise<boolean> {
  if (loop === undefined || !(await standingOf(it)).current.includes(loop.from)) return false
  const wrong = await it.bad(`step done '${loop.from}' --outcome ${loop.outcome} --effort EFFORT`)
  did.push(`${loop.outcome}: ${wrong ?? 'done'}`)
  // A plan at its limit waits for the user.
  if (wrong !== undefined && !wrong.includes(', parked')) throw new Error(did.join('\n'))
  return true
}

/** A look at a pipeline shows its step, and the agent does what it says; returns what is wrong. */
async function doOffered(it: Scene, refusal: string): Promise<string | undefined> {
  const text = it.said
  const [, report] = /^(?:Then|next): (holdfast .*)$/m.exec(text) ?? []
  if (report === undefined || !/holdfast step --effort \d+(?:\. Then: .*)?\s*$/.test(refusal))
    return undefined
  const [, file] = /It is done when the file\s+(\S+)\s+exists\./.exec(text) ?? []
  if (file !== undefined) it.put(file, 'made')
  const [, given] = /^Sub-agents do it: (.*)\.$/m.exec(text) ?? []
  const wrong = given === undefined ? undefined : await doNamed(it, given)
  // Sub-agents that succeed report a step that has no other condition.
  if (wrong !== undefined || (given !== undefined && !text.includes('It is done when'))) return wrong
  return await doNamed(it, `Next: run ${report}`)
}

/**
 * One start and one report of each step, and the proof of what sub-agents did; a round repeats some, after its report
 * and the approval at a limit.
 */
function mostMoves({ steps, loop }: Made): number {
  const rounds = loop === undefined ? 0 : loop.rounds * (loop.length + 1)
  const proofs = steps.filter(({ owesTwice = false }) => owesTwice).length
  return 2 * (steps.length + rounds) + proofs * (1 + (loop?.rounds ?? 0))
}

/** The ways to a step that the plan judges; each returns what the agent was shown. */
const ROUTES: readonly ((it: Scene, step: MadeStep) => Promise<string>)[] = [
  (it, { name }) => printed(it, `step go '${name}' --effort EFFORT`),
  (it, { name }) => printed(it, `step done '${name}' --effort EFFORT`),
  (it, { name }) => printed(it, `effort phase EFFORT '${name}'`),
  (it) => printed(it, 'pipeline next EFFORT'),
  (it) => printed(it, 'step --effort EFFORT'),
  (it) => printed(it, 'effort finish EFFORT'),
  (it, { file }) => contentOf(it, file, (path) => it.read(path)),
  (it, { file }) => contentOf(it, file, (path) => it.shell(`cat ${path}`)),
  (it, { file }) =>
    contentOf(it, file, (path) =>
      it.use('Grep', { pattern: '.', path: `${it.project}/${path}`, output_mode: 'content' }),
    ),
  (it, { file }) =>
    contentOf(it, file, (path) => it.delegate(`Do ${it.project}/${path}`, { file: path, isGood: false })),
]

async function printed(it: Scene, command: string): Promise<string> {
  const refused = await it.bad(command)
  return `${refused ?? ''}${it.said}`
}

async function contentOf(
  it: Scene,
  file: string | undefined,
  show: (path: string) => Promise<string | undefined>,
): Promise<string> {
  if (file === undefined) return ''
  return (await show(file)) ?? readFileSync(`${it.project}/${file}`, 'utf8')
}

/** Tries steps at random, and never gives proof or does what a refusal says; returns what it got too early. */
export async function shirk(
  it: Scene,
  { steps, loop }: Made,
  tries: readonly { readonly step: number; readonly route: number }[],
): Promise<readonly string[]> {
  const reached = new Set<string>()
  const wrong: string[] = []
  for (const { step: at, route } of tries) {
    const wanted = steps[at % steps.length]
    if (wanted === undefined) continue
    const shown = await ROUTES[route % ROUTES.length]?.(it, wanted)
    const { status, steps: standing } = await standingOf(it)
    const begun = new Set(standing.flatMap(({ label, attempts }) => (attempts > 0 ? [label] : [])))
    const owing = steps.filter(({ name, owes }) => owes && reached.has(name))
    const fresh = steps.filter(
      ({ name }) => !reached.has(name) && (begun.has(name) || shown?.includes(secretOf(name)) === true),
    )
    for (const { name } of fresh) reached.add(name)
    for (const { name, after } of fresh) {
      const isDetour = loop?.onLimit === name
      const missing = after.filter((group) => !group.some((one) => reached.has(one)))
      const open = owing.filter((one) => after.some((group) => group.includes(one.name)))
      if (!isDetour && (missing.length > 0 || open.length > 0))
        wrong.push(`${name} by route ${route % ROUTES.length}, with ${[...reached].join(', ')}`)
    }
    if (status === 'finished' && owing.length > 0) wrong.push('the end')
    if (status === 'finished') break
    const { writes } = wanted
    // A file is free from its step on.
    if (writes === undefined || steps.slice(steps.indexOf(wanted)).some(({ name }) => reached.has(name)))
      continue
    const refused = await it.use('Write', { file_path: `${it.project}/${writes}`, content: '' })
    if (refused === undefined) wrong.push(writes)
  }
  return wrong
}
