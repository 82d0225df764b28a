import { describe, expect, test } from 'vitest'
import { clientAt, skillOf } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'
import { effortToProve } from './evidence.contract.ts'

const LOOP = `phases:
  - {label: "1", name: Build, limit: 3, proof: {tests: {command: npm test, covers: [src/**]}}}
  - {label: "2", name: Check, next: {ok: end, again: "1"}}
`

const DRAFTS = {
  draft: 'consumes: [user-request]\nproduces: [text]\nlimit: 3',
  review: 'consumes: [text]\nproduces: [verdict]\nnext: {again: draft}',
}

/** What another round of a step promises: nothing of the round before counts. */
export function roundsContract(world: () => World): void {
  describe('another round of a phase', () => {
    const looped = async () => {
      const it = await effortToProve(world(), LOOP)
      const move = (name: string, given: object) => world().call(name, { effort_id: it.id, ...given })
      await move('step.enter', { step: '1' })
      await it.prove()
      await move('step.leave', { step: '1' })
      return { ...it, move }
    }
    const again = (id: number) =>
      `holdfast prove tests --effort ${id} && holdfast step go '2: Check' --effort ${id}`

    test('is told with its proof, by whichever move it begins', async () => {
      const left = await looped()
      expect(await left.move('step.leave', { step: '2', outcome: 'again' })).toMatchObject({
        current: ['1'],
        next: [again(left.id)],
      })
      const entered = await looped()
      expect((await entered.move('step.enter', { step: '1' })).next).toEqual([again(entered.id)])
    })

    test('is not proved by a run that began in the round before', async () => {
      const it = await looped()
      const { token } = await it.begin()
      await it.move('step.leave', { step: '2', outcome: 'again' })
      expect(await failure(it.finish(token))).toMatchObject({ code: 'not-found', field: 'token' })
      expect(await it.list()).toEqual([])
    })
  })

  test('another round of a step that is read drops its artifacts, as `step go` does', async () => {
    const it = await clientAt(world())
    const at = await it.add('loop', { ...skillOf('loop', DRAFTS), 'holdfast.yaml': 'gate: produced\n' })
    await it.start()
    await it.prompt('/loop a letter')
    const effort_id = Number((await it.efforts()).at(-1)?.id)
    const names = async () =>
      (await world().call('artifact.list', { effort_id })).map(({ name }: { name: string }) => name)
    await it.read(at('steps/draft.md'))
    await world().call('artifact.put', { effort_id, name: 'text' })
    await it.read(at('steps/draft.md'))
    await it.read(at('steps/review.md'))
    expect(await names()).toEqual(['text'])
    await world().call('step.leave', { effort_id, step: 'review', outcome: 'again' })
    await it.read(at('steps/draft.md'))
    expect(await names()).toEqual([])
    await it.read(at('steps/review.md'))
    expect((await world().call('step.show', { effort_id })).current).toEqual(['draft'])
  })

  test('another round closes the optional step whose input it makes again', async () => {
    const it = await clientAt(world())
    const polish = 'consumes: [text]\nproduces: [shine]\noptional: true'
    const at = await it.add('loop', skillOf('loop', { ...DRAFTS, polish }))
    await it.start()
    await it.prompt('/loop a letter')
    const effort_id = Number((await it.efforts()).at(-1)?.id)
    await it.read(at('steps/draft.md'))
    await it.read(at('steps/review.md'))
    await world().call('step.leave', { effort_id, step: 'review', outcome: 'again' })
    expect(
      await failure(world().call('step.leave', { effort_id, step: 'polish', outcome: 'skip' })),
    ).toMatchObject({
      code: 'refused',
    })
    await it.read(at('steps/draft.md'))
    expect(await world().call('step.enter', { effort_id, step: 'polish' })).toMatchObject({
      current: ['polish'],
    })
  })
}
