import { join } from 'node:path'
import type { Shipped } from '../../model/catalogue.ts'
import type { Scope } from '../../model/client-settings.ts'
import { counted } from '../../model/text/line.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'
import type { Target } from './folders.ts'
import { keptIn, skillStanding, type Standing } from './kept.ts'
import { shippedSkills, sourceOf } from './shipped.ts'

/** An installed copy of a skill, and whether it is as in this version. */
interface Copy {
  readonly scope: Scope
  readonly state: Standing['state']
  readonly folder: string
}

/** Prints every skill of the package: what it does, costs, needs and leaves, and where it is installed. */
export function listCatalogue(io: Io, targets: readonly Target[]): number {
  const skills = shippedSkills().map((one) => ({ ...one, installed: copiesOf(one, targets) }))
  printLines(io, skills, () =>
    [...skills.flatMap((one) => [...linesFor(io, one), '']), ...CAPTION].join('\n'),
  )
  return 0
}

const CAPTION = [
  'Tokens are an estimate of what enters the context over a full run: SKILL.md, and the steps on the longest',
  'way that never goes back, each once; for a pipeline, also the skills that it runs. Sub-agents read their',
  'own steps in contexts of their own.',
  'Install: holdfast skill install NAME',
]

const copiesOf = ({ name }: Shipped, targets: readonly Target[]): readonly Copy[] =>
  targets.flatMap(({ skills }) => {
    const place = join(skills, name)
    const kept = keptIn(place)
    if (kept === undefined) return []
    return [{ scope: kept.scope, state: skillStanding(sourceOf(name), place).state, folder: place }]
  })

function linesFor(io: Io, one: Shipped & { readonly installed: readonly Copy[] }): readonly string[] {
  const { name, summary, steps, tokens, largest, installed } = one
  const size =
    steps === 0
      ? `${tokens} tokens`
      : `${counted(steps, 'step')}, ${tokens} tokens, at most ${largest} in one step`
  const where = installed.map(({ scope, state }) => `${scope}${state === 'current' ? '' : `, ${state}`}`)
  const state = where.length === 0 ? '' : paint(io, 'green', `  [installed: ${where.join('; ')}]`)
  const more = [
    ['needs', needsOf(one)],
    ['leaves', one.leaves ?? ''],
  ].filter(([, text]) => text !== '')
  return [
    `${paint(io, 'bold', name)}  ${size}${state}`,
    `  ${cell(summary)}`,
    ...more.map(([word, text]) => `  ${word}: ${cell(text)}`),
  ]
}

/** What a skill needs, its skills and agents among it, which come along. */
export function needsOf({ needs, skills, agents }: Shipped): string {
  const brought = [
    ...(skills.length === 0 ? [] : [`skills ${skills.join(', ')}`]),
    ...(agents.length === 0 ? [] : [`agents ${agents.join(', ')}`]),
  ]
  return [...(needs === null ? [] : [needs]), ...brought].join('; ')
}
