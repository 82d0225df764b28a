import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** A plan with a phase that quick mode leaves out. */
const THOROUGH = `phases:
  - {label: "1", name: Write}
  - {label: "2", name: Review, only: full}
`

/** Which steps are due in an effort, and who says so. */
export function effortModeContract(world: () => World): void {
  describe('the mode of a start', () => {
    test('does not shorten what was called in full, for an agent', async () => {
      const { project, native, put, hook, start } = await repository(world())
      await put(
        '.claude/skills/thorough/SKILL.md',
        '---\nname: thorough\ndescription: Does it.\n---\n\nDo it.\n',
      )
      await put('.claude/skills/thorough/holdfast.yaml', THOROUGH)
      await hook('SessionStart', { source: 'startup' })
      await hook('UserPromptSubmit', { prompt: '/thorough the login' })
      const short = { skill: 'thorough', native_id: native, mode: 'quick' }
      const refused = await failure(start(short))
      expect(refused).toMatchObject({ code: 'refused', field: 'mode' })
      expect(refused.message).toContain('would leave out "2"')
      expect(await start({ ...short, mode: 'full' })).toMatchObject({ mode: 'full', request: 'the login' })
      // Without a session, it is the user.
      const other = { skill: 'thorough', dir: join(project, 'tasks', 'other') }
      await start({ ...other, mode: 'full' })
      expect(await start({ ...other, mode: 'quick' })).toMatchObject({ mode: 'quick', resumed: true })
    })
  })
}
