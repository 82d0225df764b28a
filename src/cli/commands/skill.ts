import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { defaultClient } from '../../clients/index.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { skillsFolder } from '../../model/client-files.ts'
import { type Parsed, tellDefinition } from '../../model/plan/definition.ts'
import { isTracked } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { detailsOf, isSkillName } from '../../model/skill.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { findSkillOrFolder } from '../skill/find.ts'
import { usage } from '../frame/io.ts'
import { linkAgents, type LinkedAgent, unlinkAgents } from '../skill/link-agents.ts'
import { linkSkill, skillFolder, unlinkSkill } from '../skill/link.ts'
import { counted } from '../../model/text/line.ts'
import { cell, paint } from '../frame/print.ts'
import { fitTerminal, printResult, printVerbatim, show } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { overlaysAt, readGiven } from '../skill/read.ts'
import { type Held, isAdoptable } from '../skill/survey.ts'
import {
  type Distrust,
  distrustIn,
  factsOf,
  isListed,
  noneFound,
  summaryOf,
  toAdopt,
  toTrust,
  withoutPlan,
} from '../skill/report.ts'

const SKILLS = skillsFolder(defaultClient)
export const IN = {
  in: { kind: 'value', summary: 'the folder to search (default: the current folder)' },
} as const
export const ALL = {
  all: {
    kind: 'switch',
    summary: 'search where clients do: the project, your own skills, and plugins',
  },
} as const
const RUN = {
  run_modules: {
    kind: 'switch',
    summary: 'run workflow modules, which are code; only for skills that you trust',
  },
} as const

const NAME_OR_FOLDER = { NAME: 'the skill, by its name or its folder' } as const

export const skillCheck: Command = {
  name: 'skill check',
  summary: 'Check skills for errors; works without a daemon.',
  usage: '[PATH]',
  flags: {
    sarif: { kind: 'switch', summary: 'print SARIF, which code hosts show beside each line' },
    notes: { kind: 'switch', summary: 'print notes too, not only errors and warnings' },
    fix: { kind: 'switch', summary: 'show a diff that fixes the frontmatter where it is certain, and ask' },
    yes: { kind: 'switch', summary: 'with --fix: write without asking' },
    ...ALL,
    ...RUN,
  },
  examples: [
    'holdfast skill check',
    `holdfast skill check ${SKILLS}/review --json`,
    'holdfast skill check --sarif > skills.sarif',
    'holdfast skill check --fix --yes',
  ],
  run: async (io, given) => await (await import('../skill/check.ts')).checkSkills(io, given),
}

export const skillList: Command = {
  name: 'skill list',
  summary: 'List the skills in a folder: which are held to their steps, and which could be.',
  usage: '[PATH]',
  flags: {
    ...ALL,
    ...RUN,
    catalogue: {
      kind: 'switch',
      summary:
        'list what Holdfast ships: what each skill does, its steps, tokens and needs, and where it is installed',
    },
  },
  examples: ['holdfast skill list', 'holdfast skill list --all', 'holdfast skill list --catalogue'],
  async run(io, given) {
    if (given.switches.has('catalogue')) return (await import('./skill-install.ts')).runCatalogue(io, given)
    const found = await readGiven(io, given)
    const { parsed } = found
    const { heldBy } = await import('../skill/survey.ts')
    const overlays = await overlaysAt(io, found.root)
    const rows = parsed
      .filter(isListed)
      .map((one) => ({ ...summaryOf(one, found), held: distrustIn(one, found) ?? heldBy(one, overlays) }))
    const adoptable = rows.find(({ held }) => held === 'adoptable')
    // With --json, stderr is only for errors.
    if (!io.json) for (const hint of toTrust(parsed.filter(isListed), found)) io.note(fitTerminal(io, hint))
    printResult(io, rows, () =>
      rows.length === 0
        ? noneFound(given.switches.has('all'))
        : [
            table(io, rows.map(toRow), { cut: ['description'] }),
            ...(adoptable === undefined ? withoutPlan(parsed) : [toAdopt(adoptable.id)]),
          ].join('\n'),
    )
    return 0
  },
}

export const skillShow: Command = {
  name: 'skill show',
  summary: 'Show a skill and its plan as the engine reads them.',
  usage: 'NAME',
  places: NAME_OR_FOLDER,
  flags: { ...IN, ...ALL, ...RUN },
  async run(io, given) {
    const { found, root } = await findSkillOrFolder(io, given)
    const { definition, diagnostics } = found
    const { plan } = definition
    const { enforceable, heartbeat } = detailsOf(found)
    const asks = isTracked({ ...definition, heartbeat: heartbeat ?? undefined })
    const nothing = asks ? 'it starts an effort without steps.' : 'there is nothing to enforce.'
    const { tree } = await import('../../skills/graph.ts')
    printResult(io, tellDefinition(definition), () =>
      [
        `${paint(io, 'bold', definition.id)}  ${cell(definition.description)}`,
        show(io, factsOf(io, root, found)),
        '',
        plan === undefined
          ? `No plan: ${whyNone(diagnostics) ?? (isAdoptable(found) ? toAdopt(definition.id) : nothing)}`
          : `Plan in notation ${plan.notation}, ${strengthOf(plan, enforceable)}:`,
        ...(plan === undefined ? [] : [plainLines(tree(plan))]),
      ].join('\n'),
    )
    return 0
  },
}

function strengthOf({ explicit, unfit, steps, faulty = [] }: Plan, enforceable: boolean): string {
  if (unfit === true) return 'which the text of the skill no longer fits, so it is advisory'
  if (!explicit) return 'inferred, so it is advisory'
  if (!enforceable) return 'not enforceable until its errors are fixed'
  const labels = steps.filter(({ id }) => faulty.includes(id)).map(({ label }) => label)
  return labels.length === 0 ? 'enforceable' : `enforceable except ${labels.join(', ')}, which errors concern`
}

export const skillGraph: Command = {
  name: 'skill graph',
  summary: 'Print the plan of a skill as a Mermaid graph or a text tree.',
  usage: 'NAME',
  places: NAME_OR_FOLDER,
  flags: { ...IN, ...ALL, ...RUN, text: { kind: 'switch', summary: 'print a text tree instead of Mermaid' } },
  async run(io, given) {
    const { definition, diagnostics } = (await findSkillOrFolder(io, given)).found
    if (definition.plan === undefined) {
      const why = whyNone(diagnostics)
      throw new EngineError(
        'not-found',
        `${definition.id} has no plan${why === undefined ? '.' : `: ${why}`}`,
        {
          hint: nextTry(definition.id, diagnostics, given),
        },
      )
    }
    const { edgesOf, mermaid, tree } = await import('../../skills/graph.ts')
    const { plan } = definition
    printVerbatim(io, { plan, edges: edgesOf(plan), mermaid: mermaid(plan) }, () =>
      plainLines(given.switches.has('text') ? tree(plan) : mermaid(plan)),
    )
    return 0
  },
}

/** Titles are untrusted text, which must not control the terminal. */
const plainLines = (text: string): string => text.split('\n').map(cell).join('\n')

/** The diagnostic that explains why a skill has no plan. */
function whyNone(diagnostics: Parsed['diagnostics']): string | undefined {
  const found = diagnostics.find(({ code }) => code === 'HF206' || code === 'HF207' || code === 'HF208')
  return found === undefined ? undefined : cell(`${found.message} ${found.hint}`)
}

/** The command that shows more: the same command with --run-modules if a module was not run. */
function nextTry(id: string, diagnostics: Parsed['diagnostics'], { values, switches }: Arguments): string {
  const isUnrun = diagnostics.some(({ code }) => code === 'HF208')
  const where = values['in'] === undefined ? '' : ` --in ${shellWord(values['in'])}`
  const all = switches.has('all') ? ' --all' : ''
  return `holdfast skill ${isUnrun ? 'graph' : 'show'} ${id}${where}${all}${isUnrun ? ' --run-modules' : ''}`
}

/** Repeats the notation in a suggestion, so that it is not lost. */
const notationFlag = (notation: string | undefined): string =>
  notation === undefined ? '' : ` --notation ${shellWord(notation)}`

export const skillNew: Command = {
  name: 'skill new',
  summary: 'Create a skill that passes the check, in a chosen notation.',
  usage: 'NAME',
  flags: {
    notation: { kind: 'value', summary: 'plain, phases (default), steps, runbook or workflow' },
    in: { kind: 'value', summary: `the folder to create it in (default: ${SKILLS})` },
  },
  examples: ['holdfast skill new review', 'holdfast skill new deploy --notation steps'],
  async run(io, { positionals, values }) {
    const [name] = positionals
    const { NOTATIONS, scaffold } = await import('../../skills/scaffold.ts')
    if (name === undefined || !isSkillName(name))
      throw usage(
        'The name of a skill has only lower-case letters, digits and single hyphens.',
        `holdfast skill new my-skill${notationFlag(values['notation'])}`,
      )
    const notation = NOTATIONS.find((one) => one === (values['notation'] ?? 'phases'))
    if (notation === undefined)
      throw usage(
        `Unknown notation ${values['notation'] ?? ''}; choose one of ${NOTATIONS.join(', ')}.`,
        `holdfast skill new ${name} --notation phases`,
      )
    const folder = resolve(io.cwd, values['in'] ?? SKILLS, name)
    if (existsSync(folder))
      throw new EngineError('conflict', `${folder} already exists; nothing written.`, {
        hint: `holdfast skill check ${shellWord(folder)}`,
      })
    const files = Object.entries(scaffold(name, notation))
    for (const [path, text] of files) {
      makeFoldersSync(dirname(join(folder, path)))
      writeWhole(join(folder, path), text, 0o644)
    }
    printResult(io, { folder, files: files.map(([path]) => path) }, () =>
      [
        `Made ${folder}:`,
        ...files.map(([path]) => `  ${path}`),
        `next: holdfast skill check ${relative(io.cwd, folder)}${notation === 'workflow' ? ' --run-modules' : ''}`,
      ].join('\n'),
    )
    return 0
  },
}

export const skillLink: Command = {
  name: 'skill link',
  summary:
    'Share a skill: link its folder into the skills of a project, with the agents that it needs; or remove the links.',
  usage: 'FOLDER',
  flags: {
    into: { kind: 'value', summary: `the folder of skills to link into (default: ${SKILLS})` },
    remove: { kind: 'switch', summary: 'remove the link; its target stays' },
  },
  examples: ['holdfast skill link ../shared/skills/review', 'holdfast skill link review --remove'],
  async run(io, { positionals, values, switches }) {
    const [given] = positionals
    if (given === undefined)
      throw usage('skill link needs the FOLDER of a skill.', 'holdfast skill link ../shared/skills/review')
    const target = skillFolder(resolve(io.cwd, given))
    const into = resolve(io.cwd, values['into'] ?? SKILLS)
    const place = join(into, basename(target))
    const linked = existsSync(place) ? realpathSync(place) : undefined
    const isRemoved = switches.has('remove')
    const done = isRemoved ? unlinkSkill(place) : linkSkill(target, place)
    const agents = isRemoved ? await unlinkAgents(io, linked, into) : await linkAgents(io, target, into)
    printResult(io, { place, done, agents }, () => [`${done}: ${place}`, ...agents.map(agentLine)].join('\n'))
    return 0
  },
}

const agentLine = ({ name, place, done, shipped }: LinkedAgent): string => {
  switch (done) {
    case 'Needed': {
      const needs = `It needs an agent ${cell(name)} of your client, which does not come with it.`
      if (shipped === undefined || place === null) return needs
      // A copy, because the program that ships it moves with each version.
      return `${needs} To use the one of Holdfast:\n  fix: mkdir -p ${shellWord(dirname(place))} && cp ${shellWord(shipped)} ${shellWord(place)}`
    }
    case 'Left':
      return `It needs the agent ${cell(name)}; yours is used: ${place}`
    default:
      return `${done}: ${place}`
  }
}

/** A skill on one line. */
function toRow(summary: Summary & { readonly held: Held | Distrust }) {
  const { id, plan, steps, held, enforceable, errors, warnings, scope, file, description } = summary
  return {
    skill: id,
    plan: plan === null ? null : `${plan} (${steps})`,
    held: enforceable ? HELD[held] : UNHELD[held],
    problems: errors + warnings === 0 ? null : `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`,
    // With a scope, the client knows where it is; `skill show` tells the file.
    ...(scope === null ? { file } : { from: scope }),
    description: description.split('\n')[0],
  }
}

type Summary = ReturnType<typeof summaryOf>

const HELD: Readonly<Record<Held | Distrust, string>> = {
  plan: 'yes',
  overlay: 'yes, adopted',
  adoptable: 'could be',
  guide: 'no steps',
  untrusted: 'untrusted',
  changed: 'changed since trusted',
}

/** The same for a skill whose plan is not in force. */
const UNHELD: typeof HELD = { ...HELD, plan: 'has errors', overlay: 'overlay does not fit' }
