import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { packagedContents } from '../../daemon/packaged.ts'
import { modulesOf, textsAt } from '../../files/skill-at.ts'
import { parse } from '../../files/skill-texts.ts'
import { agentsFolder, skillsFolder } from '../../model/client-files.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { ORCHESTRATE, RUNBOOK_AGENTS } from '../../model/runbook/plan.ts'
import type { Io } from '../frame/io.ts'
import { isSame, linkTo } from './link.ts'
import { TrustedHere } from './trusted-here.ts'

/** An agent that a skill needs, and what became of it. */
export interface LinkedAgent {
  readonly name: string
  /** Where the client looks for it; null if no client has skills in that folder. */
  readonly place: string | null
  /** `Left` is a file of somebody else; `Needed` is one that the skill does not bring. */
  readonly done: 'Linked' | 'Already linked' | 'Left' | 'Needed' | 'Unlinked'
  /** The agent of the package that can take the place of one that the skill does not bring. */
  readonly shipped?: string
}

/** Links the agents that a skill needs, from the folder of agents beside its folder of skills. Never replaces a file. */
export async function linkAgents(io: Io, skill: string, into: string): Promise<readonly LinkedAgent[]> {
  const folder = agentsBeside(into)
  return (await agentsOf(io, skill)).map((name): LinkedAgent => {
    const target = fileOf(ownAgents(skill), name)
    const place = folder === undefined ? null : fileOf(folder, name)
    const isBrought = existsSync(target)
    if (place === null || (!isBrought && !isThere(place)))
      return { name, place, done: 'Needed', ...ours(name) }
    if (isThere(place))
      return { name, place, done: isBrought && isSame(target, place) ? 'Already linked' : 'Left' }
    linkTo(target, place)
    return { name, place, done: 'Linked' }
  })
}

/** Removes the links to the agents beside a skill, if it is known, that no other linked skill needs. */
export async function unlinkAgents(
  io: Io,
  skill: string | undefined,
  into: string,
): Promise<readonly LinkedAgent[]> {
  const folder = agentsBeside(into)
  if (skill === undefined) return []
  const own = ownAgents(skill)
  if (folder === undefined || !existsSync(folder) || !existsSync(own)) return []
  const others = existsSync(into) ? readdirSync(into).map((name) => join(into, name)) : []
  const needed = new Set((await Promise.all(others.map((other) => agentsOf(io, other)))).flat())
  return readdirSync(folder).flatMap((file): LinkedAgent[] => {
    const [place, name] = [join(folder, file), file.replace(/\.md$/, '')]
    const isOurs = lstatSync(place).isSymbolicLink() && isSame(join(own, file), place)
    if (!isOurs || needed.has(name)) return []
    rmSync(place)
    return [{ name, place, done: 'Unlinked' }]
  })
}

/** The folder of agents of the client that has its skills in a folder. */
function agentsBeside(into: string): string | undefined {
  const client = [...clients.values()].find((one) => into.endsWith(`/${skillsFolder(one)}`))
  return client && join(into.slice(0, -skillsFolder(client).length), agentsFolder(client))
}

/** The package has agents for the usual roles. */
function ours(name: string): Pick<LinkedAgent, 'shipped'> {
  const shipped = fileOf(join(packagedContents(), 'agents'), name)
  return existsSync(shipped) ? { shipped } : {}
}

/** The folder in which the author of a skill keeps its agents. */
const ownAgents = (skill: string): string => join(dirname(dirname(realpathSync(skill))), 'agents')

const fileOf = (folder: string, agent: string): string => join(folder, `${agent}.md`)

const isThere = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined

/** The kinds of agents that the workflow of a skill dispatches, if its code is trusted, or that runbooks need. */
async function agentsOf(io: Io, skill: string): Promise<readonly string[]> {
  if (basename(skill) === ORCHESTRATE) return agentsFor(ORCHESTRATE, undefined)
  const read = existsSync(skill) ? await textsAt(realpathSync(skill), clients) : undefined
  if (read?.code === undefined) return []
  const module = await new TrustedHere(io).module(read.code.digest)
  const { candidate, texts } = read
  const { definition } = await parse(candidate, texts, { modules: modulesOf(candidate, module) })
  return agentsFor(basename(skill), definition.plan)
}

/** The kinds of agents that a skill with this plan dispatches. */
export const agentsFor = (name: string, plan: Plan | undefined): readonly string[] =>
  name === ORCHESTRATE ? RUNBOOK_AGENTS : plan === undefined ? [] : [...new Set(agentsIn(plan))].toSorted()

const agentsIn = ({ steps, workflows = {} }: Plan): readonly string[] => [
  ...steps.flatMap(({ dispatch }) => dispatch?.agent ?? []),
  ...Object.values(workflows).flatMap(agentsIn),
]
