import { EngineError } from '../../model/error.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import { isInside } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { ownName } from '../../model/skill.ts'
import { counted } from '../../model/text/line.ts'
import type { Proposal } from '../../skills/propose.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import { type Io, usage } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { fitTerminal, printLines } from '../frame/show.ts'
import { type Draft, draftOf, removeOverlay, type Skipped, writeOverlay } from '../skill/adopt.ts'
import { unknownSkill } from '../skill/find.ts'
import { planLines } from '../skill/plan-lines.ts'
import { overlaysAt } from '../skill/read.ts'
import { canBeHeld, noneFound } from '../skill/report.ts'
import { heldBy, type OverlayScope, survey, type Surveyed } from '../skill/survey.ts'

export const skillAdopt: Command = {
  name: 'skill adopt',
  summary: 'Hold a skill of somebody else to its own steps: propose a plan, show it, check it and write it.',
  usage: '[NAME]',
  places: { NAME: 'a skill or command; without it, what can be adopted' },
  flags: {
    all: { kind: 'switch', summary: 'every skill that can be adopted here' },
    yes: { kind: 'switch', summary: 'write without asking' },
    scope: {
      kind: 'value',
      summary: 'user or project (default: project for a skill of the project, else user)',
    },
    remove: { kind: 'switch', summary: 'remove the plan again; the skill only guides then' },
    replace: { kind: 'switch', summary: 'propose again for a skill that is adopted already' },
  },
  examples: [
    'holdfast skill adopt                          # what can be adopted',
    'holdfast skill adopt brainstorming',
    'holdfast skill adopt --all --yes',
    'holdfast skill adopt brainstorming --remove',
  ],
  async run(io, given) {
    const scope = scopeIn(given)
    const found = await survey(io)
    const { switches, positionals } = given
    if (switches.has('remove')) return await remove(io, found, given, scope)
    if (positionals.length === 0 && !switches.has('all')) return tellAdoptable(io, found)
    return await adopt(io, found, given, scope)
  },
}

function scopeIn({ values: { scope } }: Arguments): OverlayScope | undefined {
  if (scope === undefined || scope === 'user' || scope === 'project') return scope
  throw usage(`Unknown scope ${scope}; choose user or project.`, 'holdfast skill adopt NAME --scope user')
}

function tellAdoptable(io: Io, { parsed, overlays }: Surveyed): number {
  const idsOf = (held: string) =>
    parsed.filter((one) => heldBy(one, overlays) === held).map(({ definition: { id } }) => id)
  const [adoptable, adopted] = [idsOf('adoptable'), idsOf('overlay')]
  const stray = [...overlays].filter(([id]) => !adopted.includes(id)).map(([, path]) => path)
  if (parsed.length + stray.length === 0 && !io.json) io.note(noneFound(true))
  printLines(io, { adoptable, adopted, stray }, () =>
    [
      ...stray.map((path) => `${path} is for a skill that no client finds here.`),
      ...(adopted.length === 0 ? [] : [`Adopted: ${adopted.join(', ')}.`]),
      ...(adoptable.length === 0
        ? [NOTHING_MORE]
        : [
            `${canBeHeld(adoptable.length)}: ${adoptable.join(', ')}.`,
            `See the plan and adopt it: holdfast skill adopt ${shellWord(adoptable[0] ?? '')}`,
          ]),
    ].join('\n'),
  )
  return 0
}

const NOTHING_MORE = 'Nothing more can be adopted here. Every skill: holdfast skill list --all'

async function adopt(io: Io, found: Surveyed, given: Arguments, scope?: OverlayScope): Promise<number> {
  const { switches } = given
  const drafts: Draft[] = []
  const skipped: Skipped[] = []
  for (const one of wanted(found, given)) {
    const answer = await draftOf(one, found, { scope, replaces: switches.has('replace') })
    if ('why' in answer) skipped.push(answer)
    else drafts.push(answer)
  }
  const [only] = skipped
  if (drafts.length === 0 && !switches.has('all') && only !== undefined)
    throw new EngineError('conflict', only.why, { hint: only.next })
  if (!io.json) for (const text of await previews(drafts)) io.out(fitTerminal(io, text))
  const question =
    drafts.length === 1 ? 'Hold this skill? [y/N] ' : `Hold these ${drafts.length} skills? [y/N] `
  const adopted = drafts.map(({ id, scope: own, path, from, text, parsed }) => ({
    id,
    scope: own,
    path,
    from,
    text,
    plan: parsed.definition.plan,
  }))
  if (drafts.length > 0 && !(await isConfirmed(io, switches, question)))
    return tellUnconfirmed(
      io,
      { adopted, skipped, written: false },
      { why: 'Not confirmed; nothing written.', next: repeated(given) },
    )
  for (const draft of drafts) writeOverlay(found, draft)
  const result = { adopted, skipped, written: drafts.length > 0, why: null, next: null }
  printLines(io, result, () => told(io, drafts, skipped))
  return 0
}

/** The same command with --yes. */
const repeated = ({ positionals, values, switches }: Arguments): string =>
  [
    'holdfast skill adopt',
    ...positionals.map(shellWord),
    ...['all', 'remove', 'replace'].filter((name) => switches.has(name)).map((name) => `--${name}`),
    ...(values['scope'] === undefined ? [] : [`--scope ${values['scope']}`]),
    '--yes',
  ].join(' ')

/** The skills that the words name, or with --all every one that may have a proposal. */
function wanted(found: Surveyed, { positionals, switches }: Arguments): readonly Parsed[] {
  const { parsed, overlays } = found
  if (!switches.has('all')) return positionals.map((name) => named(name, found))
  if (positionals.length > 0) throw usage('Give a name or --all, not both.', 'holdfast skill adopt --all')
  return parsed.filter((one) => {
    const held = heldBy(one, overlays)
    return held === 'adoptable' || (held === 'overlay' && switches.has('replace'))
  })
}

/** A skill by its id, or by a name that only one has. */
function named(name: string, { parsed }: Surveyed): Parsed {
  const exact = parsed.find(({ definition: { id } }) => id === name)
  const alike = parsed.filter(({ definition }) => ownName(definition.id) === name || definition.name === name)
  const [first, second] = exact === undefined ? alike : [exact]
  if (first === undefined) throw unknownSkill(name, parsed, 'holdfast skill adopt')
  if (second === undefined) return first
  const ids = alike.map(({ definition: { id } }) => id)
  throw usage(
    `${name} is the name of several: ${ids.join(', ')}.`,
    `holdfast skill adopt ${shellWord(ids[0] ?? '')}`,
  )
}

const FROM: Readonly<Record<Proposal['from'], string>> = {
  package: 'a plan that Holdfast has for it',
  headings: 'from its own headings and lists',
  files: 'from its own step files',
  drawing: 'from the process that it draws',
}

/** Each proposal with its graph; a long list shows only names. */
async function previews(drafts: readonly Draft[]): Promise<readonly string[]> {
  return await Promise.all(
    drafts.map(async ({ id, from, path, parsed: { definition } }) => {
      const { plan } = definition
      const steps = counted(plan?.steps.length ?? 0, 'step')
      if (drafts.length > MOST_SHOWN || plan === undefined) return `${id}: ${steps}, ${FROM[from]}`
      return [`${id}: ${steps}, ${FROM[from]}:`, ...(await planLines(plan)), `File: ${path}`, ''].join('\n')
    }),
  )
}

const MOST_SHOWN = 3

function told(io: Io, drafts: readonly Draft[], skipped: readonly Skipped[]): string {
  const [first] = drafts
  if (first === undefined) return NOTHING_MORE
  const names = drafts.map(({ id }) => id).join(', ')
  return [
    paint(io, 'green', `Adopted: ${names}.`),
    'Each call of such a skill now starts an effort, and its steps are held.',
    `Undo: holdfast skill adopt ${drafts.length === 1 ? shellWord(first.id) : '--all'} --remove`,
    ...(skipped.length === 0 ? [] : [`Not adopted: ${skipped.map(({ id }) => id).join(', ')}.`]),
  ].join('\n')
}

async function remove(io: Io, found: Surveyed, given: Arguments, scope?: OverlayScope): Promise<number> {
  const { positionals, switches } = given
  const adopted = [...found.overlays.keys()]
  if (positionals.length === 0 && !switches.has('all') && adopted.length > 0)
    throw usage(
      `--remove needs a NAME or --all. Adopted: ${adopted.join(', ')}.`,
      `holdfast skill adopt ${shellWord(adopted[0] ?? '')} --remove`,
    )
  const isMeant = (path: string) => scope === undefined || isInside(found.folders[scope], path)
  const paths = switches.has('all')
    ? [...found.overlays.values()].filter(isMeant)
    : positionals.map((name) => overlayOf(name, found, isMeant))
  if (paths.length === 0) throw usage('Nothing is adopted here.', 'holdfast skill adopt')
  if (!io.json) for (const path of paths) io.out(fitTerminal(io, `Removes ${path}`))
  if (!(await isConfirmed(io, switches, 'Remove? The skill only guides then. [y/N] ')))
    return tellUnconfirmed(
      io,
      { removed: [] },
      { why: 'Not confirmed; nothing removed.', next: repeated(given) },
    )
  for (const path of paths) removeOverlay(path, found)
  const ids = adopted.filter((id) => paths.includes(found.overlays.get(id) ?? ''))
  const left = await overlaysAt(io, io.cwd)
  const still = ids.flatMap((id) => left.get(id) ?? [])
  printLines(io, { removed: paths, still, why: null, next: null }, () =>
    ['Removed.', ...still.map((path) => `In force now: ${path}`)].join('\n'),
  )
  return 0
}

/** The overlay of a skill by its id or own name; the skill itself may be gone. */
function overlayOf(name: string, { overlays, parsed }: Surveyed, isMeant: (path: string) => boolean): string {
  const alike = [...overlays.keys()].filter((id) => ownName(id) === name)
  // A skill of this very name is meant, even if it is not adopted.
  const isSkill = parsed.some(({ definition: { id } }) => id === name)
  const [id, other] = overlays.has(name) ? [name] : isSkill ? [] : alike
  const path = id === undefined || other !== undefined ? undefined : overlays.get(id)
  if (path !== undefined && isMeant(path)) return path
  const [first = ''] = alike
  throw new EngineError(
    'not-found',
    `${name} is not adopted here${alike.length === 0 ? '.' : `; ${alike.join(', ')} is.`}`,
    { hint: `holdfast skill adopt${alike.length === 0 ? '' : ` ${shellWord(first)} --remove`}` },
  )
}
