import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { begunAt, clientAt, skillOf } from '../hook/client.contract.ts'
import type { World } from '../world.contract.ts'

/** An effort moves only among the workplaces of its project. */
export function staysContract(world: () => World): void {
  describe('an effort stays in its project while its session', () => {
    /** A session at work, and another project with a skill of the same name whose last step is free. */
    async function beside() {
      const it = await begunAt(world())
      const other = await clientAt(world())
      await other.add('flow', skillOf('flow', { do: 'consumes: [user-request]' }))
      await other.start()
      const places = () =>
        it.rows(`select distinct w.path from efforts e join workplaces w on w.id = e.workplace_id
          where e.ordinal > 0 and e.task_id like '${it.project}/%'`)
      const stands = async () => [(await it.read(it.flow('steps/do.md'))).decision, await places()]
      return { it, other, at: { cwd: other.project }, stands, gated: ['block', [{ path: it.project }]] }
    }

    test.each(['compact', 'resume'])('begins a new window by %s in another project', async (source) => {
      const { it, at, stands, gated } = await beside()
      await it.start(source, at)
      expect(await stands()).toEqual(gated)
    })

    test('calls a skill in another project', async () => {
      const { it, at, stands, gated } = await beside()
      await it.fire('UserPromptSubmit', { prompt: '/plain', ...at })
      expect(await stands()).toEqual(gated)
    })

    test('serves an effort of another project, by its skills, and comes back', async () => {
      const { it, other, stands, gated } = await beside()
      const { markdown } = await world().call('commands.effort.start', {
        dir: join(other.project, 'task'),
        skill: 'flow',
        native_id: it.session,
        cwd: it.project,
      })
      expect(markdown).toContain(other.flow('steps/do.md'))
      expect(await it.windows()).toMatchObject([{ task_id: join(other.project, 'task') }])
      expect((await it.read(other.flow('steps/think.md'))).decision).toBe('block')
      const [effort] = await it.efforts()
      await world().call('commands.session.continue', {
        effort_id: effort.id,
        native_id: it.session,
        cwd: it.project,
      })
      expect(await stands()).toEqual(gated)
    })
  })
}
