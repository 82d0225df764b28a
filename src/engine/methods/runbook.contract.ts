import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packagedContents } from '../../daemon/packaged.ts'
import { putInForce } from '../../files/compiled.ts'
import { openRunbook, runbookIn, versionOf } from '../../files/runbook.ts'
import { defaultClient } from '../../clients/index.ts'
import { agentsFolder } from '../../model/client-files.ts'
import { type Answer, type World } from '../world.contract.ts'

/** The text of a runbook: the model of each step, by its number; phases are the first numbers. */
export const runbookOf = (steps: Readonly<Record<string, string>>): string =>
  [
    '---\nmodel: haiku\n---\n\n# A runbook\n',
    ...Object.entries(steps).map(
      ([number, model]) =>
        `## Step ${number}: Do part ${number}\n\n**Execution Model**: ${model}\n\nThe secret of ${number} is s${number}.\n`,
    ),
  ].join('\n')

/** A step for each model, and one of a second phase. */
export const AUTH = runbookOf({ '1.1': 'haiku', '1.2': 'sonnet', '1.3': 'opus', '2.1': 'haiku' })

/** A compiled runbook in a project of its own, and the calls of its orchestrator. */
export async function compiledRunbook(
  world: World,
  { text = AUTH, project = '' }: { text?: string; project?: string } = {},
) {
  const root = project === '' ? join(world.project, world.name('repo')) : project
  await mkdir(join(root, '.git'), { recursive: true })
  const name = world.name('plan')
  const folder = join(await realpath(root), 'plans', name)
  const write = async (content: string) => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'runbook.md'), content)
  }
  const compile = async () => {
    const found = runbookIn(folder, root)
    if (found === undefined) throw new Error(`${folder} has no runbook.`)
    const workshop = { contents: packagedContents(), agents: agentsFolder(defaultClient) }
    await putInForce(await versionOf(await openRunbook(found), workshop))
  }
  await write(text)
  await compile()
  const next = (more: object = {}): Promise<Answer> =>
    world.call('runbook.next', { runbook: folder, ...more })
  const report = (step: string, outcome: 'done' | 'error', more: object = {}): Promise<Answer> =>
    world.call('runbook.report', { runbook: folder, step, outcome, ...more })
  const status = (more: object = {}): Promise<Answer> =>
    world.call('runbook.status', { runbook: folder, ...more })
  /** What a sub-agent writes at the end of its step. */
  const writeReport = async (step: string, content = 'It went well.\n') => {
    await mkdir(join(folder, 'reports'), { recursive: true })
    await writeFile(join(folder, 'reports', `${step}.md`), content)
  }
  return {
    root: await realpath(root),
    name,
    folder,
    write,
    compile,
    next,
    report,
    status,
    writeReport,
    done: async (step: string, more: object = {}) => {
      await writeReport(step)
      return await report(step, 'done', more)
    },
    error: async (step: string, category: string, more: object = {}) => {
      if (category === 'findings') await writeReport(step)
      return await report(step, 'error', { category, reason: `${category}: it broke`, ...more })
    },
    remove: (path: string) => rm(join(folder, path), { recursive: true }),
    approve: async (step: string) =>
      await world.call('db.effort.approve', {
        effort_id: (await status()).effort,
        subject: step,
        reason: 'the user says so',
      }),
    /** Each step with its state, in order. */
    states: async (): Promise<readonly string[]> =>
      (await status()).steps.map(({ step, state }: Answer) => `${step} ${state}`),
  }
}

/** A fresh call of each method. */
export const RUNBOOK_CHANGES = {
  'runbook.next': async (world: World) => ({
    runbook: (await compiledRunbook(world)).folder,
    tree: { top: world.project, changed: ['.holdfast/a b'] },
    again: true,
  }),
  'runbook.report': async (world: World) => {
    const { effort, step } = await (await compiledRunbook(world)).next()
    return { effort_id: effort, step, outcome: 'error', category: 'execution', reason: 'it broke', visit: 1 }
  },
}
export const RUNBOOK_READS = {
  'runbook.status': async (world: World) => ({
    effort_id: (await (await compiledRunbook(world)).next()).effort,
  }),
}
