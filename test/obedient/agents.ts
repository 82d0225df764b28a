import { readFileSync } from 'node:fs'
import type { Scene } from '../refusals/scene.ts'
import { type Made, type MadeStep, secretOf } from './made.ts'

interface Shown {
  readonly status: string
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly label: string; readonly attempts: number }[]
}

const standingOf = (it: Scene): Promise<Shown> => it.ask<Shown>('step.show', { effort_id: it.effort })

/** Begins the work: the user calls the skill, or starts an effort in a mode. */
export async function start(it: Scene, { mode }: Made): Promise<void> {
  if (mode === undefined) return await it.call('/flow')
  await it.fire('SessionStart', { source: 'startup' })
  await it.good(`effort start ${it.project}/work flow --mode ${mode}`)
  it.effort = Number(/effort (\d+)/i.exec(it.said)?.[1])
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
