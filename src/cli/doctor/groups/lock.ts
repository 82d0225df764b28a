import { projectHere } from '../../daemon/project-here.ts'
import { gitProblems, lockFor, missingPrograms, runOutside } from '../../install/lock.ts'
import { type Place, placeOf } from '../../install/place.ts'
import type { Check, Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { type Tried, trySandbox } from '../try-sandbox.ts'
import { wiredIn } from './settings.ts'

const AGAIN = 'holdfast init --scope local --locked --yes'

/** The local settings of a locked project; undefined if the level here is another one. */
async function placeIn(scene: Scene): Promise<Place | undefined> {
  const status = await scene.served()
  const project = status === undefined ? undefined : await projectHere(scene.io, scene.remote)
  return project?.level === 'locked' ? placeOf(scene.io, {}, 'local') : undefined
}

/** A check that only a locked project needs. */
const locked = (
  about: Pick<Check, 'code' | 'severity' | 'finds' | 'mends'>,
  look: (place: Place, scene: Scene) => readonly Problem[] | Promise<readonly Problem[]>,
): Check => ({
  ...about,
  async look(scene) {
    const place = await placeIn(scene)
    return place === undefined ? [] : await look(place, scene)
  },
})

const wiredHere = (scene: Scene) => scene.sources().map((source) => ({ source, ...wiredIn(source) }))

const tried = new WeakMap<Scene, Promise<Tried>>()

async function triedIn(scene: Scene, place: Place): Promise<Tried> {
  const known = tried.get(scene) ?? tryIn(scene, place)
  tried.set(scene, known)
  return await known
}

async function tryIn(scene: Scene, place: Place): Promise<Tried> {
  const { client, project } = place
  if (client.sandbox === undefined) return { kind: 'unknown', why: `${client.name} has no sandbox` }
  if (!scene.io.json) scene.io.note(`Running ${client.name} once to prove its sandbox…`)
  const { unread } = await lockFor(scene.io, place)
  return await trySandbox(scene.io, client.sandbox.trial, { project, unread })
}

const UNPROVED = 'run the client here once by yourself, then holdfast doctor again'

const APT = 'sudo apt install bubblewrap socat'

export const lock: Group = {
  name: 'lock',
  async well(scene) {
    const place = await placeIn(scene)
    return place && 'Proved: the client ran a shell that could not read a step.'
  },
  checks: [
    locked(
      {
        code: 'lock-programs',
        severity: 'broken',
        finds: 'a program that the sandbox of the client needs is missing',
        mends: 'sudo apt install PACKAGES',
      },
      ({ client }, { io }) => {
        const missing = missingPrograms(io, client)
        return missing.length === 0 ? [] : [{ detail: `${missing.join(' and ')} missing.`, fix: APT }]
      },
    ),
    locked(
      {
        code: 'lock-off',
        severity: 'broken',
        finds: 'a project is locked, but the settings of its client have no sandbox or leave it open',
        mends: AGAIN,
      },
      ({ file }, scene) => {
        const own = wiredHere(scene).find(({ source }) => source.path === file.path)
        if (own?.lock === undefined) return [{ detail: `${file.path} has no sandbox.`, fix: AGAIN }]
        const open = own.unlocked?.switches ?? []
        return open.length === 0 ? [] : [{ detail: `${file.path} changes ${open.join(', ')}.`, fix: AGAIN }]
      },
    ),
    locked(
      {
        code: 'lock-behind',
        severity: 'broken',
        finds: 'steps of a skill are not in the denials of the sandbox, because the skill is newer',
        mends: AGAIN,
      },
      async (place, scene) => {
        const held = wiredHere(scene).flatMap((wired) => wired.lock?.unread ?? [])
        const { unread } = await lockFor(scene.io, place)
        const missing = unread.filter((path) => !held.includes(path))
        return held.length === 0 || missing.length === 0
          ? []
          : [{ detail: `Shells can read ${missing.join(', ')}.`, fix: AGAIN }]
      },
    ),
    locked(
      {
        code: 'lock-foreign',
        severity: 'warning',
        finds: 'settings of the user let other commands run outside of the sandbox',
        mends: 'edit FILE',
      },
      (_, scene) =>
        wiredHere(scene).flatMap(({ source, unlocked }) =>
          runOutside(source.path, unlocked).map((detail) => ({ detail, fix: `edit ${source.path}` })),
        ),
    ),
    locked(
      {
        code: 'lock-git',
        severity: 'warning',
        finds: 'git keeps the steps, or fails on files that the sandbox shows',
        mends: 'the command that the line names',
      },
      async (place, scene) =>
        gitProblems(place, await lockFor(scene.io, place)).map(
          ({ detail, fix = 'move the skill out of the repository' }) => ({ detail, fix }),
        ),
    ),
    locked(
      {
        code: 'lock-open',
        severity: 'broken',
        finds: 'the client ran once, and its shell could read a step',
        mends: AGAIN,
      },
      async (place, scene) => {
        const result = await triedIn(scene, place)
        return result.kind === 'open'
          ? [{ detail: `A shell of the client read ${result.path}.`, fix: AGAIN }]
          : []
      },
    ),
    locked(
      {
        code: 'lock-unproved',
        severity: 'warning',
        finds: 'the sandbox is not proved, because the client could not be run',
        mends: UNPROVED,
      },
      async (place, scene) => {
        const result = await triedIn(scene, place)
        return result.kind === 'unknown' ? [{ detail: `Not proved: ${result.why}.`, fix: UNPROVED }] : []
      },
    ),
  ],
}
