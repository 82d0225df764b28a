import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../daemon/version.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import type { Target } from './folders.ts'
import { digestAt, type Kept, KEPT_FILE, keptIn, writeKept } from './kept.ts'
import { removeEmpty } from './put.ts'
import { agentSource } from './shipped.ts'

export const agentPlace = ({ agents }: Pick<Target, 'agents'>, name: string): string =>
  join(agents, `${name}.md`)

/** The agents that are ours; each is a file of the folder itself. */
export const keptAgents = (agents: string): readonly string[] =>
  Object.keys(keptIn(agents)?.files ?? {}).flatMap((file) => /^([^/]+)\.md$/.exec(file)?.[1] ?? [])

const keptBefore = ({ agents, scope }: Target): Kept =>
  keptIn(agents) ?? { version: VERSION, scope, agents: [], files: {} }

/** Writes agents of the package; what we are about to write is ours before it is there. */
export function putAgents(target: Target, names: readonly string[]): void {
  if (names.length === 0) return
  const { agents, scope } = target
  makeFoldersSync(agents)
  const before = keptBefore(target)
  const own = names.map((name) => {
    const file = `${name}.md`
    return { file, source: agentSource(name), digest: digestAt(join(agentSource(name), '..'), file) ?? '' }
  })
  const written = Object.fromEntries(own.map(({ file, digest }) => [file, [digest]]))
  const both = own.map(({ file, digest }) => [file, [...(before.files[file] ?? []), digest]] as const)
  writeKept(agents, { ...before, files: { ...before.files, ...Object.fromEntries(both) } })
  for (const { file, source } of own) writeWhole(join(agents, file), readFileSync(source), 0o644)
  writeKept(agents, { version: VERSION, scope, agents: [], files: { ...before.files, ...written } })
}

/** Removes agents that we wrote; those of others stay. */
export function removeAgents(target: Target, names: readonly string[]): void {
  const { agents } = target
  const before = keptIn(agents)
  if (before === undefined) return
  for (const name of names) rmSync(agentPlace(target, name), { force: true })
  const left = Object.entries(before.files).filter(([file]) => !names.includes(file.replace(/\.md$/, '')))
  if (left.length > 0) writeKept(agents, { ...before, files: Object.fromEntries(left) })
  else rmSync(join(agents, KEPT_FILE), { force: true })
  removeEmpty(agents, '.')
}
