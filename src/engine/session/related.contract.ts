import { describe, expect, test } from 'vitest'
import { type ClientAt, clientAt, clientIn, contextOf } from '../hook/client.contract.ts'
import type { World } from '../world.contract.ts'

/** What a recap says of earlier sessions about the same files. */
export function relatedContract(world: () => World): void {
  const write = (it: ClientAt, name: string) =>
    it.use('Write', { file_path: `${it.project}/${name}`, content: 'x' })
  const ended = async (it: ClientAt, prompt: string, work: () => Promise<unknown>) => {
    await it.start()
    await it.prompt(prompt)
    await work()
    await it.fire('SessionEnd', { reason: 'other' })
    await world().store.flush()
    return it
  }
  const beside = (it: ClientAt) => clientIn(world(), it.project)
  const TITLE = 'Earlier sessions that worked on these files:'

  describe('a recap', () => {
    test('names earlier sessions that changed the same files, with the command that shows them', async () => {
      const first = await clientAt(world())
      await ended(first, 'Hash the passwords', () => write(first, 'src/login.ts'))
      const other = beside(first)
      await ended(other, 'Draw a chart', () => write(other, 'src/chart.ts'))
      const own = beside(first)
      await ended(own, 'Reset a password', async () => {
        await write(own, 'src/reset.ts')
        await own.read(`${own.project}/src/login.ts`)
      })
      const text = contextOf(await own.start('resume'))
      expect(text).toContain(TITLE)
      expect(text).toMatch(
        /^- \d+ \w+ ago, "Hash the passwords" changed src\/login.ts: holdfast session show /m,
      )
      expect(text).toContain(`session show ${first.session}`)
      expect(text).not.toContain('Draw a chart')
      expect(contextOf(await own.start('compact'))).toContain(TITLE)
    })

    test('names none at the start of a session that has no files yet, nor the sessions of its own effort', async () => {
      const first = await clientAt(world())
      await first.start()
      await first.prompt('/flow a login page')
      await write(first, 'src/login.ts')
      await first.fire('SessionEnd', { reason: 'other' })
      expect(contextOf(await beside(first).start())).not.toContain(TITLE)
      const next = beside(first)
      await next.start()
      await next.prompt('/flow --continue')
      expect(contextOf(await next.start('compact'))).not.toContain(TITLE)
    })

    test('names a session by the files that it left with an effort', async () => {
      const first = await clientAt(world())
      await ended(first, '/flow a login page', async () => {
        await write(first, 'src/login.ts')
        await first.prompt('/flow something else')
      })
      const own = beside(first)
      await ended(own, 'Reset a password', () => write(own, 'src/login.ts'))
      expect(contextOf(await own.start('resume'))).toContain('"/flow a login page" changed src/login.ts')
    })
  })
}
