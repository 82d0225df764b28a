import { EngineError } from '../../model/error.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import { isInside } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, listed } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import type { Proposal } from '../../skills/propose.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, isYes, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { fitTerminal, printLines } from '../frame/show.ts'
import { canHaveOverlay, overlayPath } from '../../files/overlays.ts'
import {
  heldBy,
  type OverlayScope,
  proposalFor,
  removeOverlay,
  survey,
  type Surveyed,
  usualScope,
  writeOverlay,
} from '../skill/adopt.ts'

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
  printLines(io, { adoptable, adopted }, () =>
    [
      ...(adopted.length === 0 ? [] : [`Adopted: ${adopted.join(', ')}.`]),
      ...(adoptable.length === 0
        ? ['Nothing more can be adopted here. Every skill: holdfast skill list --all']
        : [
            `${counted(adoptable.length, 'skill')} can be held to their own steps: ${adoptable.join(', ')}.`,
            `See the plan and adopt it: holdfast skill adopt ${shellWord(adoptable[0] ?? '')}`,
          ]),
    ].join('\n'),
  )
  return 0
}

interface Draft extends Proposal {
  readonly id: string
  readonly scope: OverlayScope
  readonly path: string
}

/** A skill that is not adopted, and the reason. */
interface Skipped {
  readonly id: string
  readonly why: string
  readonly next: string
}

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
  const isDone = drafts.length > 0 && (await isConfirmed(io, given, question))
  if (isDone) for (const draft of drafts) writeOverlay(found, draft)
  const why = isDone || drafts.length === 0 ? null : 'Not confirmed; nothing written.'
  const next = why === null ? null : `holdfast skill adopt${wordsOf(given)} --yes`
  const adopted = drafts.map(({ id, scope: own, path, from, text, parsed }) => ({
    id,
    scope: own,
    path,
    from,
    text,
    plan: parsed.definition.plan,
  }))
  printLines(io, { adopted, skipped, written: isDone, why, next }, () =>
    why === null ? told(io, drafts, skipped) : `${why}\n  try: ${next}`,
  )
  return why === null ? 0 : 1
}

const wordsOf = ({ positionals, values, switches }: Arguments): string =>
  [
    ...positionals.map(shellWord),
    ...['all', 'remove', 'replace'].filter((name) => switches.has(name)).map((name) => `--${name}`),
    ...(values['scope'] === undefined ? [] : [`--scope ${values['scope']}`]),
  ]
    .map((word) => ` ${word}`)
    .join('')

const isConfirmed = async (io: Io, { switches }: Arguments, question: string): Promise<boolean> =>
  switches.has('yes') || isYes((await io.ask?.(question)) ?? '')

/** The skills that the words name, or all of which it is not certain that they cannot be adopted. */
function wanted(found: Surveyed, { positionals, switches }: Arguments): readonly Parsed[] {
  const { parsed, overlays } = found
  if (!switches.has('all')) return positionals.map((name) => named(name, found))
  if (positionals.length > 0) throw usage('Give names or --all, not both.', 'holdfast skill adopt --all')
  return parsed.filter((one) => {
    const held = heldBy(one, overlays)
    return held === 'adoptable' || (held === 'overlay' && switches.has('replace'))
  })
}

/** A skill by its id, or by a name that only one has. */
function named(name: string, { parsed }: Surveyed): Parsed {
  const own = (id: string) => id.slice(id.lastIndexOf(':') + 1)
  const exact = parsed.find(({ definition: { id } }) => id === name)
  const alike = parsed.filter(({ definition }) => own(definition.id) === name || definition.name === name)
  const [first, second] = exact === undefined ? alike : [exact]
  if (first !== undefined && second === undefined) return first
  const ids = (first === undefined ? parsed : alike).map(({ definition: { id } }) => id)
  if (first !== undefined)
    throw usage(
      `${name} is the name of several: ${ids.join(', ')}.`,
      `holdfast skill adopt ${shellWord(ids[0] ?? '')}`,
    )
  const meant = nearest(name, ids)
  const others = ids.length === 0 ? '.' : `; found: ${listed(ids, ROOM)}.`
  throw new EngineError(
    'not-found',
    `No client finds a skill ${name} from here${meant.length === 0 ? others : `; did you mean ${meant.join(' or ')}?`}`,
    { hint: 'holdfast skill adopt' },
  )
}

const ROOM = 200

async function draftOf(
  one: Parsed,
  found: Surveyed,
  { scope, replaces }: { readonly scope: OverlayScope | undefined; readonly replaces: boolean },
): Promise<Draft | Skipped> {
  const { id } = one.definition
  const own = scope ?? usualScope(one, found)
  const [held, before] = [heldBy(one, found.overlays), found.overlays.get(id)]
  const word = shellWord(id)
  if (held === 'plan')
    return {
      id,
      why: `${id} has a plan of its own, which is in force.`,
      next: `holdfast skill show ${word} --all`,
    }
  if (!canHaveOverlay(id))
    return { id, why: `${id} has a name that no overlay can have.`, next: 'holdfast skill adopt' }
  if (before !== undefined && !replaces)
    return { id, why: `${id} is adopted already: ${before}`, next: `holdfast skill adopt ${word} --replace` }
  const proposal = await proposalFor(one)
  if (proposal === undefined)
    return {
      id,
      why: `${id} has no steps that could be held. Write its plan by hand, as docs/skills.md says: ${overlayPath(found.folders[own], id)}`,
      next: `holdfast skill show ${word} --all`,
    }
  // The overlay in force stays where it is, because another one could be hidden by it.
  const place = before === undefined ? own : isInside(found.folders.user, before) ? 'user' : 'project'
  return { ...proposal, id, scope: place, path: before ?? overlayPath(found.folders[place], id) }
}

const FROM: Readonly<Record<Proposal['from'], string>> = {
  package: 'a plan that Holdfast has for it',
  headings: 'from its own headings and lists',
  files: 'from its own step files',
  drawing: 'from the process that it draws',
}

/** Each proposal with its graph; a long list shows only names. */
async function previews(drafts: readonly Draft[]): Promise<readonly string[]> {
  const { tree } = await import('../../skills/graph.ts')
  return drafts.map(({ id, from, path, parsed: { definition } }) => {
    const { plan } = definition
    const steps = counted(plan?.steps.length ?? 0, 'step')
    if (drafts.length > MOST_SHOWN || plan === undefined) return `${id}: ${steps}, ${FROM[from]}`
    const lines = tree(plan).split('\n').filter(isTelling).map(cell)
    const hold = plan.hold === 'stop' ? ['A turn that leaves required steps open is refused once.'] : []
    return [`${id}: ${steps}, ${FROM[from]}:`, ...lines, ...hold, `File: ${path}`, ''].join('\n')
  })
}

/** That one step follows the other needs no line. */
const isTelling = (line: string): boolean => !/^└ → \S+$/.test(line)

const MOST_SHOWN = 3

function told(io: Io, drafts: readonly Draft[], skipped: readonly Skipped[]): string {
  const [first] = drafts
  if (first === undefined) return 'Nothing more can be adopted here. Every skill: holdfast skill list --all'
  const names = drafts.map(({ id }) => id).join(', ')
  return [
    paint(io, 'green', `Adopted: ${names}.`),
    'Each call of such a skill now starts an effort, and its steps are held.',
    `Undo: holdfast skill adopt ${drafts.length === 1 ? shellWord(first.id) : 'NAME'} --remove`,
    ...(skipped.length === 0 ? [] : [`Not adopted: ${skipped.map(({ id }) => id).join(', ')}.`]),
  ].join('\n')
}

async function remove(io: Io, found: Surveyed, given: Arguments, scope?: OverlayScope): Promise<number> {
  const { positionals, switches } = given
  const isMeant = (path: string) => scope === undefined || isInside(found.folders[scope], path)
  const paths = switches.has('all')
    ? [...found.overlays.values()].filter(isMeant)
    : positionals.map((name) => overlayOf(name, found, isMeant))
  if (paths.length === 0) throw usage('Nothing is adopted here.', 'holdfast skill adopt')
  if (!io.json) for (const path of paths) io.out(fitTerminal(io, `Removes ${path}`))
  const isDone = await isConfirmed(io, given, 'Remove? The skill only guides then. [y/N] ')
  if (isDone) for (const path of paths) removeOverlay(path, found)
  const why = isDone ? null : 'Not confirmed; nothing removed.'
  const next = isDone ? null : `holdfast skill adopt${wordsOf(given)} --yes`
  printLines(io, { removed: isDone ? paths : [], why, next }, () =>
    isDone ? 'Removed.' : `${why}\n  try: ${next}`,
  )
  return isDone ? 0 : 1
}

/** The overlay of a skill by its id or own name; the skill itself may be gone. */
function overlayOf(name: string, { overlays }: Surveyed, isMeant: (path: string) => boolean): string {
  const id =
    [...overlays.keys()].find((one) => one === name) ??
    [...overlays.keys()].find((one) => one.endsWith(`:${name}`))
  const path = overlays.get(id ?? '')
  if (path !== undefined && isMeant(path)) return path
  throw new EngineError('not-found', `${name} is not adopted here.`, { hint: 'holdfast skill adopt' })
}
