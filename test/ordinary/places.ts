import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type World, writeFiles } from '../../src/engine/world.contract.ts'

/** The steps of the gated skills, in the order of their plan. */
export const STEPS = ['look', 'think', 'do'] as const
export type StepName = (typeof STEPS)[number]
/** The skills that a user may call; the last one has no plan. */
export const SKILLS = ['flow', 'ship', 'plain'] as const
export type SkillName = (typeof SKILLS)[number]

export type Level = 'enforce' | 'strict' | 'locked'

/** A project with skills, its own files of the same names, and a neighbor with a skill of the same name. */
export interface Place {
  readonly root: string
  readonly neighbor: string
  readonly level: Level
}

/** The file of a step below the folder of a project. */
export const stepFile = (skill: SkillName, step: StepName): string =>
  `.claude/skills/${skill}/steps/${step}.md`

const stepText = (step: StepName, consumes: string, produces: string): string =>
  `---\nconsumes: [${consumes}]\nproduces: [${produces}]\n---\n\n# ${step}\n\nDo what ${step} says.\n\nThen go on.\n`

const TEXTS: Readonly<Record<StepName, string>> = {
  look: stepText('look', 'user-request', 'view'),
  think: stepText('think', 'view', 'idea'),
  do: stepText('do', 'idea', 'result'),
}

const skillText = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nRead the steps one after the other.\n`

const gatedSkill = (name: SkillName): Readonly<Record<string, string>> => ({
  [`.claude/skills/${name}/SKILL.md`]: skillText(name),
  ...Object.fromEntries(STEPS.map((step) => [stepFile(name, step), TEXTS[step]])),
})

const OWN: Readonly<Record<string, string>> = {
  'README.md': '# A project\n',
  'src/a.ts': 'export const a = 1\n',
  'src/steps/do.ts': 'export const step = 1\n',
  'steps/do.md': '# A step of the product, not of a skill\n',
  'docs/steps/do.md': '# How to do it\n',
  'test/steps/do.md': '# A fixture\n',
  'test/steps/steps.test.ts': 'readFileSync("steps/do.md")\n',
  'features/steps/login.feature': 'Feature: login\n',
  'vendor/flow/steps/do.md': '# A step of somebody else\n',
  '.claude/skills/plain/SKILL.md': skillText('plain'),
  '.claude/skills/plain/notes.md': '# Notes\n',
}

/** Makes a project and its neighbor at a level. */
export async function placeIn(world: World, level: Level): Promise<Place> {
  const [root, neighbor] = ['repo', 'neighbor'].map((kind) => join(world.project, world.name(kind))) as [
    string,
    string,
  ]
  for (const folder of [root, neighbor]) {
    await mkdir(join(folder, '.git'), { recursive: true })
    await writeFiles({ ...OWN, ...gatedSkill('flow'), ...gatedSkill('ship') }, folder)
  }
  for (const path of [root, neighbor]) {
    await world.call('db.project.upsert', { path })
    await world.call('db.project.setLevel', { path, level })
  }
  return { root, neighbor, level }
}
