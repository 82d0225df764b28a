import * as z from 'zod'
import { personalFolders } from '../../model/client-files.ts'
import { EngineError } from '../../model/error.ts'
import { tellDefinition } from '../../model/plan/definition.ts'
import { isInside } from '../../model/project.ts'
import type { SkillEntry } from '../../model/skill.ts'
import { confine } from '../call/confine.ts'
import { optionalHere, rootMeant } from '../call/here.ts'
import type { Context } from '../call/context.ts'
import { directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { enter } from '../skill/entry.ts'
import { knownDigests, readFiles, storeReading } from '../skill/sync.ts'

export const parse = directMethod({
  name: 'agent.skills.parse',
  summary: 'Parse a skill and return its plan and diagnostics. Stores nothing.',
  effect: 'none',
  params: z.strictObject({
    path: p.path.describe('The folder or main file of the skill.'),
    run_modules: z
      .boolean()
      .default(false)
      .describe('Whether to run the workflow module of the skill, which is code.'),
  }),
  async call(context, { path, run_modules: runsModule }) {
    const real = await whereSkillsAre(context, path)
    const parsed = await context.skillFolders.readOne(real, runsModule)
    if (parsed !== undefined)
      return { definition: tellDefinition(parsed.definition), diagnostics: parsed.diagnostics }
    throw new EngineError('not-found', `${real} has no SKILL.md, command file or agent file.`, {
      field: 'path',
      hint: 'holdfast skill list',
    })
  },
})

export const list = method({
  name: 'agent.skills.list',
  summary: 'List the skills that clients find in a project, and update the stored definitions.',
  effect: 'durable',
  params: z.strictObject({
    project_id: p.id,
    path: p.path.optional().describe('A folder of the workplace. Default: the main checkout of the project.'),
  }),
  async prepare(context, { project_id, path }, ask) {
    const here = await optionalHere(context, 'path', path)
    const { root, known } = await ask(async (tx) => {
      const found = await rootMeant(tx, { project_id, here }, context.machine)
      return { root: found, known: await knownDigests(tx, found.workplace?.id) }
    })
    return { root, reading: await readFiles(context, root.path, known) }
  },
  async run(tx, { project_id }, call) {
    const { root, reading } = call.prepared
    const { place } = await enter(tx, root, call)
    const { skills, ...changes } = await storeReading(tx, place, reading, call)
    return { skills: skills.map(summaryOf), project_id, ...changes, problems: reading.found.problems }
  },
})

/** Skills may be read inside projects and in the user folders of clients. */
async function whereSkillsAre(context: Context, path: string): Promise<string> {
  const { clients, user, files } = context
  const real = await files.canonical(path)
  const own = await Promise.all(personalFolders(user, clients).map((one) => files.canonical(one)))
  const isPersonal = own.some((folder) =>
    ['skills', 'commands', 'agents', 'plugins'].some((name) => isInside(`${folder}/${name}`, real)),
  )
  const confined = isPersonal ? real : (await confine(context, path)).path
  if ((await files.kind(confined)) !== 'missing') return confined
  throw new EngineError('not-found', `${confined} does not exist.`, { field: 'path' })
}

const summaryOf = ({ name, kind, scope, file, description, details }: SkillEntry) => ({
  name,
  kind,
  scope,
  file,
  description,
  plan: details?.notation ?? null,
  steps: details?.steps ?? 0,
  enforceable: details?.enforceable ?? false,
  errors: details?.errors ?? 0,
  warnings: details?.warnings ?? 0,
  trust: details?.trust ?? null,
})
