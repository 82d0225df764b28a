import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Parsed } from '../../model/plan/definition.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import { isSkillName } from '../../model/skill.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { fitTerminal } from '../frame/show.ts'
import { readSkills } from './read.ts'
import { isListed } from './report.ts'

interface Found {
  readonly found: Parsed
  readonly root: string
}

/** The skill that a command names or whose folder it gives. */
export async function findSkillOrFolder(io: Io, given: Arguments): Promise<Found> {
  const [word = ''] = given.positionals
  const isPath = /[/.]/.test(word) && statSync(resolve(io.cwd, word), { throwIfNoEntry: false }) !== undefined
  return isPath ? await skillAt(io, word, given) : await findSkill(io, given)
}

/** The only skill of a folder, or the one that a file belongs to. */
async function skillAt(io: Io, path: string, { switches }: Arguments): Promise<Found> {
  const wanted = { path, runs: false, all: false }
  const { parsed, root } = await readSkills(io, wanted)
  const [found, ...others] = parsed.filter(({ definition }) => definition.kind === 'skill')
  if (found === undefined)
    throw new EngineError('not-found', `No skill in ${path}.`, {
      hint: `holdfast skill list ${shellWord(path)}`,
    })
  if (others.length > 0)
    throw usage(
      `${path} has ${others.length + 1} skills; name one.`,
      `holdfast skill list ${shellWord(path)}`,
    )
  return switches.has('run_modules') ? await runModule(io, wanted, { found, root }) : { found, root }
}

/** Reads a skill once more, with its module run. */
async function runModule(io: Io, wanted: Wanted, { found, root }: Found): Promise<Found> {
  const { file } = found.definition
  const again = await readSkills(io, { ...wanted, runs: file })
  return { found: again.parsed.find(({ definition }) => definition.file === file) ?? found, root }
}

/** The skill that a command names; --run-modules runs only its module. */
export async function findSkill(io: Io, { positionals, values, switches }: Arguments): Promise<Found> {
  const [name] = positionals
  const list = 'holdfast skill list --all'
  if (name === undefined || name === '') throw usage('The NAME of a skill is missing.', list)
  const given = { path: values['in'] ?? '.', runs: false, all: switches.has('all') }
  const wanted = await placeOf(io, name, given)
  const { parsed, root } = await readSkills(io, wanted)
  // A skill wins over a command of the same name, as in clients.
  const skills = parsed
    .filter(isListed)
    .toSorted((a, b) => Number(a.definition.kind !== 'skill') - Number(b.definition.kind !== 'skill'))
  const byId = skills.filter(({ definition }) => definition.id === name)
  const alike = byId.length > 0 ? byId : skills.filter(({ definition }) => definition.name === name)
  const [found] = alike
  if (found === undefined) throw unknownSkill(name, skills, list)
  // With --json, stderr is only for errors.
  if (alike.length > 1 && !io.json) {
    const others = alike.slice(1).map(({ definition }) => definition.folder)
    const more = `Others with this name: ${others.join(', ')} (choose with --in FOLDER).`
    io.note(fitTerminal(io, `${name} is ${found.definition.folder}. ${more}`))
  }
  return switches.has('run_modules') ? await runModule(io, wanted, { found, root }) : { found, root }
}

type Wanted = Parameters<typeof readSkills>[1]

/** A skill that is not in the current folder is looked for where clients do. */
async function placeOf(io: Io, name: string, wanted: Wanted): Promise<Wanted> {
  if (wanted.all || wanted.path !== '.') return wanted
  const { parsed } = await readSkills({ ...io, note: () => undefined }, wanted)
  const isHere = parsed.some(({ definition }) => definition.id === name || definition.name === name)
  return isHere ? wanted : { ...wanted, all: true }
}

const ROOM = 200

/** Names what may be meant, or else all that there is. */
export function unknownSkill(name: string, skills: readonly Parsed[], hint: string): EngineError {
  const names = skills.map(({ definition }) => definition.id)
  const meant = nearest(name, names)
  const others = names.length === 0 ? '.' : `; found: ${listed(names, ROOM)}.`
  return new EngineError(
    'not-found',
    `No skill ${name} here${meant.length === 0 ? others : `; did you mean ${meant.join(' or ')}?`}`,
    { hint: skills.length === 0 && isSkillName(name) ? `holdfast skill new ${name}` : hint },
  )
}
