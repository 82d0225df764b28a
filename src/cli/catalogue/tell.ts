import { listed } from '../../model/text/line.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import type { Target } from './folders.ts'
import type { Installed } from './install.ts'
import type { Removed } from './remove.ts'

const ROOM = 400

export const namesOf = (all: readonly { readonly name: string }[]): string =>
  listed(
    all.map(({ name }) => name),
    ROOM,
  )

const line = (says: string, all: readonly { readonly name: string }[]): readonly string[] =>
  all.length === 0 ? [] : [`${says}: ${namesOf(all)}.`]

/** What an installation did, in a few lines; nothing is said about what was left because it changed. */
export function toldInstall(
  io: Io,
  { skills: folder }: Target,
  done: readonly Installed[],
): readonly string[] {
  const skills = done.filter(({ kind }) => kind === 'skill')
  const agents = done.filter(({ kind }) => kind === 'agent')
  const by = (all: readonly Installed[], ...what: readonly Installed['done'][]) =>
    all.filter((one) => what.includes(one.done))
  const fresh = by(skills, 'installed')
  const brought = fresh.filter((one) => one.for.length > 0)
  const written = by(skills, 'installed', 'updated', 'replaced')
  const first = written.find((one) => one.for.length === 0)
  return [
    ...line(paint(io, 'green', `Installed into ${folder}`), fresh),
    ...brought.map((one) => `${one.name} came along, because ${listed(one.for, ROOM)} may go on to it.`),
    ...line('Updated', by(skills, 'updated', 'replaced')),
    ...line('Agents', by(agents, 'installed', 'updated', 'replaced')),
    ...line('Up to date', by(skills, 'current')),
    ...line('Newer than this version, so left', by(done, 'newer')),
    ...by(done, 'foreign').map(({ name, place }) => `Yours is used for ${name}: ${place}`),
    ...copiesIn(done),
    ...(first === undefined ? [] : [`In a new session of your client: /${first.name}`]),
  ]
}

export const toldUninstall = ({ skills: folder }: Target, done: readonly Removed[]): readonly string[] => {
  const gone = (kind: Removed['kind']) => done.filter((one) => one.kind === kind && one.done === 'removed')
  return [
    ...(done.length === 0 ? [`Nothing of Holdfast is installed in ${folder}.`] : []),
    ...line(`Removed from ${folder}`, gone('skill')),
    ...line('Agents removed', gone('agent')),
    ...copiesIn(done),
  ]
}

const copiesIn = (
  done: readonly { readonly name: string; readonly copy: string | null }[],
): readonly string[] =>
  done.flatMap(({ name, copy }) => (copy === null ? [] : [`What was changed in ${name} is kept in ${copy}`]))
