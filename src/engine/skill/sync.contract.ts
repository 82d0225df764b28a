import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SkillFolders } from '../../model/skill-folders.ts'
import { call } from '../call/call.ts'
import { type World, writeFiles } from '../world.contract.ts'

const skill = (description: string) => `---\nname: a\ndescription: ${description}\n---\n\nDo it.\n`

/** What the stored skills promise under concurrent reads of the files. */
export function syncContract(world: () => World): void {
  /** The real folders, with a next read that ends on command. */
  const slowFolders = () => {
    const { skillFolders } = world().context
    const [hasRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: SkillFolders = {
      async read(...what) {
        const found = await skillFolders.read(...what)
        hasRead.resolve()
        await mayGoOn.promise
        return found
      },
      readOne: (...what) => skillFolders.readOne(...what),
      readWith: (...what) => skillFolders.readWith(...what),
      want: (path) => skillFolders.want(path),
      reread: (code) => skillFolders.reread(code),
    }
    return { slow, hasRead: hasRead.promise, goOn: () => mayGoOn.resolve() }
  }

  describe('skills that are read concurrently', () => {
    test.each([
      ['commands.effort.start', (dir: string) => ({ dir, skill: 'a' })],
      ['agent.skills.list', (_: string, project_id: number) => ({ project_id })],
    ])('are never stored as %s has read them, if a later read was stored before', async (name, params) => {
      const path = join(world().project, world().name('project'))
      const file = join(path, '.claude/skills/a/SKILL.md')
      await mkdir(path)
      const { id } = await world().call('db.project.upsert', { path })
      await writeFiles({ [file]: skill('Older.') })
      const { slow, hasRead, goOn } = slowFolders()
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      const late = call(
        { ...world().context, skillFolders: slow },
        name,
        params(join(path, 'task'), id),
        caller,
      )
      await hasRead
      await writeFiles({ [file]: skill('Newer.') })
      expect(await world().call('agent.skills.list', { project_id: id })).toMatchObject({ changed: ['a'] })
      goOn()
      await late
      const stored = await world().call('db.skills.get', { project_id: id, name: 'a' })
      expect(stored).toMatchObject({ description: 'Newer.' })
    })
  })
}
