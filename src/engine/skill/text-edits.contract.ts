import { describe, expect, test } from 'vitest'
import { clientAt, edited, skillOf } from '../hook/client.contract.ts'
import type { Answer, World } from '../world.contract.ts'

/** A test that fails leads to its repair, and only its success to the end. */
const REPAIRED = {
  build: 'consumes: [user-request]\nproduces: [code]',
  test: 'consumes: [code]\nproduces: [report]\nlimit: 2\nnext: {ok: ship, fail: fix}',
  fix: 'consumes: [code]\nnext: test',
  ship: 'consumes: [report]',
}

/** What an edit of the text of a step does to an effort in progress: nothing. */
export function textEditsContract(world: () => World): void {
  describe('an edit of the text of a step, during an effort,', () => {
    async function failedOnce() {
      const it = await clientAt(world())
      const file = await it.add('repaired', skillOf('repaired', REPAIRED))
      await it.start()
      await it.prompt('/repaired it')
      await it.read(file('steps/build.md'))
      const [effort] = await it.efforts()
      const text = `---\n${REPAIRED.ship}\n---\nShip it.\n`
      const edit = (more = '') => edited(world(), it, file('steps/ship.md'), `${text}${more}`)
      const asked = { effort_id: effort.id, native_id: it.session }
      const shown = async (): Promise<Answer> => await world().call('step.show', { effort_id: effort.id })
      const fails = () =>
        world().call('step.leave', { ...asked, step: 'test', outcome: 'fail', reason: 'It fails.' })
      return { it, file, edit, fails, shown }
    }

    test('leaves a failed step failed, whatever is read afterwards', async () => {
      const { it, file, edit, fails, shown } = await failedOnce()
      await edit()
      await it.read(file('steps/test.md'))
      await fails()
      await it.read(file('steps/fix.md'))
      const before = await shown()
      expect(before).toMatchObject({ current: ['fix'], failures: [expect.stringContaining('It fails.')] })
      expect((await it.read(file('steps/ship.md'))).decision).toBe('block')
      await edit('At once.\n')
      expect(await shown()).toEqual(before)
      expect((await it.read(file('steps/ship.md'))).decision).toBe('block')
    })

    test('leaves a plan parked', async () => {
      const { it, file, edit, fails, shown } = await failedOnce()
      for (const _ of [1, 2]) {
        await edit(`${_}`)
        await it.read(file('steps/test.md'))
        await fails()
        await it.read(file('steps/fix.md'))
      }
      const [{ id }] = (await it.efforts()) as [Answer]
      await world().call('step.leave', { effort_id: id, native_id: it.session, step: 'fix' })
      expect(await shown()).toMatchObject({ status: 'parked' })
      await edit('Or not.\n')
      expect(await shown()).toMatchObject({ status: 'parked' })
      expect((await it.read(file('steps/ship.md'))).decision).toBe('block')
    })
  })
}
