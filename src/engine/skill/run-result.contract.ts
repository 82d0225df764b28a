import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { World } from '../world.contract.ts'
import { researcherAt } from './skill-run.contract.ts'

/** What the result of a run decides, on any database. */
export function runResultContract(world: () => World): void {
  describe('an effort with a run whose plan is carried out', () => {
    test.each([
      ['stays open', 'without its result', ''],
      ['is finished', 'with its result', '# Found\n'],
    ])('%s when its session ends %s', async (state, _, result) => {
      const it = await researcherAt(world())
      await it.prompt('/study caches')
      for (const step of ['look', 'do'])
        await it.read(join(it.project, `.claude/skills/study/steps/${step}.md`))
      const [{ path }] = await world().call('run.list', { path: it.project })
      await writeFile(join(path, 'synthesis.md'), result)
      await it.fire('SessionEnd', { reason: 'exit' })
      const lifecycle = state === 'is finished' ? 'finished' : 'active'
      expect(await it.efforts()).toMatchObject([{ skill: 'study', lifecycle }])
    })
  })
}
