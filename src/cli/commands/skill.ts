import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Parsed } from '../../model/definition.ts'
import { EngineError } from '../../model/error.ts'
import { nearest } from '../../model/nearest.ts'
import type { Command } from '../command.ts'
import { type Io, usage } from '../io.ts'
import { paint, printResult, table } from '../print.ts'
import { readBelow } from '../read-skills.ts'
import { countOf, describeDiagnostics, sarif } from '../skill-report.ts'

const IN = { in: { kind: 'value', summary: 'the folder to look below (default: here)' } } as const

export const skillCheck: Command = {
  name: 'skill check',
  summary: 'Check skills as a compiler checks programs; needs no daemon.',
  usage: '[PATH]',
  flags: {
    sarif: { kind: 'switch', summary: 'print SARIF, which code hosts show beside the lines' },
    notes: { kind: 'switch', summary: 'print notes too, not only errors and warnings' },
  },
  examples: [
    'holdfast skill check',
    'holdfast skill check .claude/skills/review --json',
    'holdfast skill check --sarif > skills.sarif',
  ],
  async run(io, { positionals, switches }) {
    const { root, parsed, lines } = await readBelow(io, positionals[0] ?? '.')
    const diagnostics = parsed.flatMap((one) => one.diagnostics)
    const shown = diagnostics.filter(({ severity }) => switches.has('notes') || severity !== 'info')
    const skills = parsed
      .filter(({ definition }) => definition.kind === 'skill')
      .map(({ definition }) => summaryOf(definition))
    const failed = diagnostics.some(({ severity }) => severity === 'error')
    if (switches.has('sarif')) io.out(JSON.stringify(sarif(diagnostics), null, 2))
    else
      printResult(io, { skills, diagnostics }, () =>
        [
          ...describeDiagnostics(io, shown, lines, relative(io.cwd, root)),
          countOf(io, skills.length, diagnostics),
        ].join('\n'),
      )
    return failed ? 1 : 0
  },
}

export const skillList: Command = {
  name: 'skill list',
  summary: 'List the skills below a folder, and which of them can be enforced.',
  usage: '[PATH]',
  flags: {},
  async run(io, { positionals }) {
    const { parsed } = await readBelow(io, positionals[0] ?? '.')
    const rows = parsed
      .filter(({ definition }) => definition.kind === 'skill')
      .map(({ definition }) => summaryOf(definition))
    printResult(io, rows, () =>
      rows.length === 0 ? 'No skill is here. Make one with: holdfast skill new NAME' : table(io, rows),
    )
    return 0
  },
}

export const skillShow: Command = {
  name: 'skill show',
  summary: 'Show a skill as the engine sees it.',
  usage: 'NAME',
  flags: IN,
  async run(io, { positionals, values }) {
    const { definition } = await findSkill(io, positionals[0], values['in'])
    const { fields, plan, ...rest } = definition
    const shown = { ...rest, plan, fields }
    const { tree } = await import('../../skills/graph.ts')
    printResult(io, shown, () =>
      [
        `${paint(io, 'bold', definition.id)}  ${definition.description}`,
        paint(io, 'dim', definition.file),
        '',
        plan === undefined
          ? 'It has no plan: one span, nothing to enforce.'
          : `A plan by ${plan.notation}, ${plan.explicit ? 'which can be enforced' : 'inferred, so it only advises'}:`,
        ...(plan === undefined ? [] : [tree(plan)]),
      ].join('\n'),
    )
    return 0
  },
}

export const skillGraph: Command = {
  name: 'skill graph',
  summary: 'Print the plan of a skill as Mermaid, or with --text as a tree.',
  usage: 'NAME',
  flags: { ...IN, text: { kind: 'switch', summary: 'a readable tree instead of Mermaid' } },
  async run(io, { positionals, values, switches }) {
    const { definition } = await findSkill(io, positionals[0], values['in'])
    if (definition.plan === undefined)
      throw new EngineError('not-found', `${definition.id} has no plan.`, {
        hint: `holdfast skill show ${definition.id}`,
      })
    const { edgesOf, mermaid, tree } = await import('../../skills/graph.ts')
    const { plan } = definition
    printResult(io, { steps: plan.steps, edges: edgesOf(plan), mermaid: mermaid(plan) }, () =>
      switches.has('text') ? tree(plan) : mermaid(plan),
    )
    return 0
  },
}

export const skillNew: Command = {
  name: 'skill new',
  summary: 'Make a skill that passes the check, in one of the notations.',
  usage: 'NAME',
  flags: {
    notation: { kind: 'value', summary: 'plain, phases (default), steps or runbook' },
    in: { kind: 'value', summary: 'the folder to make it in (default: .claude/skills)' },
  },
  examples: ['holdfast skill new review', 'holdfast skill new deploy --notation steps'],
  async run(io, { positionals, values }) {
    const [name] = positionals
    const { NOTATIONS, scaffold } = await import('../../skills/scaffold.ts')
    if (name === undefined || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64)
      throw usage(
        'A skill is named in lower-case letters, digits and single hyphens.',
        'holdfast skill new my-skill',
      )
    const notation = NOTATIONS.find((one) => one === (values['notation'] ?? 'phases'))
    if (notation === undefined)
      throw usage(
        `There is no notation ${values['notation'] ?? ''}.`,
        `holdfast skill new ${name} --notation ${NOTATIONS.join('|')}`,
      )
    const folder = resolve(io.cwd, values['in'] ?? '.claude/skills', name)
    if (existsSync(folder))
      throw new EngineError('conflict', `${folder} exists already; nothing was written.`, {
        hint: `holdfast skill check ${folder}`,
      })
    const files = Object.entries(scaffold(name, notation))
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
    printResult(io, { folder, files: files.map(([path]) => path) }, () =>
      [
        `Made ${folder}:`,
        ...files.map(([path]) => `  ${path}`),
        `next: holdfast skill check ${relative(io.cwd, folder)}`,
      ].join('\n'),
    )
    return 0
  },
}

export const skillLink: Command = {
  name: 'skill link',
  summary: 'Share a skill: link its folder into the skills of a project; with --remove unlink it again.',
  usage: 'FOLDER',
  flags: {
    into: { kind: 'value', summary: 'the folder of skills to link into (default: .claude/skills)' },
    remove: { kind: 'switch', summary: 'remove the link; what it leads to stays' },
  },
  run(io, { positionals, values, switches }) {
    const [given] = positionals
    if (given === undefined)
      throw usage('skill link needs the FOLDER of a skill.', 'holdfast skill link ../shared/skills/review')
    const target = resolve(io.cwd, given)
    const place = join(resolve(io.cwd, values['into'] ?? '.claude/skills'), basename(target))
    const result = switches.has('remove') ? unlink(place) : link(target, place)
    printResult(io, { place, ...result }, () => `${result.done}: ${place}`)
    return Promise.resolve(0)
  },
}

function link(target: string, place: string): { done: string } {
  if (!existsSync(join(target, 'SKILL.md')))
    throw new EngineError('not-found', `${target} has no SKILL.md.`, { hint: 'holdfast skill list' })
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there?.isSymbolicLink() === true && resolve(dirname(place), readlinkSync(place)) === target)
    return { done: 'Already linked' }
  if (there !== undefined)
    throw new EngineError('conflict', `${place} exists already; nothing was changed.`, {
      hint: `Move ${place} away first.`,
    })
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(relative(dirname(place), target), place)
  return { done: 'Linked' }
}

/** Only a link is removed: a folder that somebody wrote is not ours. */
function unlink(place: string): { done: string } {
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there === undefined) return { done: 'Not linked' }
  if (!there.isSymbolicLink())
    throw new EngineError('conflict', `${place} is a folder, not a link; it was left alone.`)
  rmSync(place)
  return { done: 'Unlinked' }
}

function summaryOf({ id, name, description, file, plan }: Parsed['definition']) {
  return {
    id,
    name,
    file,
    plan: plan?.notation ?? null,
    steps: plan?.steps.length ?? 0,
    gateable: plan?.explicit ?? false,
    description: description.split('\n')[0]?.slice(0, 60) ?? '',
  }
}

async function findSkill(io: Io, name: string | undefined, folder: string | undefined): Promise<Parsed> {
  if (name === undefined) throw usage('Which skill? Give its NAME.', 'holdfast skill list')
  const { parsed } = await readBelow(io, folder ?? '.')
  const skills = parsed.filter(({ definition }) => definition.kind === 'skill')
  const found =
    skills.find(({ definition }) => definition.id === name) ??
    skills.find(({ definition }) => definition.name === name)
  if (found !== undefined) return found
  const meant = nearest(
    name,
    skills.map(({ definition }) => definition.id),
  )
  throw new EngineError(
    'not-found',
    `There is no skill ${name} here${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`,
    { hint: 'holdfast skill list' },
  )
}
