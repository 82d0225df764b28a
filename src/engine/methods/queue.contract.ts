import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'

/** What the queue promises. */
export function queueContract(world: () => World): void {
  describe('the queue', () => {
    test('keeps an item until it is resolved, and then its resolution', async () => {
      const effort = await world().effort()
      const seq = await world().lastSeq()
      const item = await world().call('queue.add', {
        effort_id: effort.id,
        content: ' Look there ',
        kind: 'question',
      })
      expect(item).toMatchObject({
        project_id: world().projectId,
        effort_id: effort.id,
        kind: 'question',
        content: 'Look there',
        resolved_at: null,
      })
      const list = (more: object) => world().call('queue.list', { effort_id: effort.id, ...more })
      expect(await list({})).toEqual([item])
      expect(await list({ kind: 'other' })).toEqual([])
      const settled = await world().call('queue.resolve', { id: item.id, resolution: 'Seen' })
      expect(settled).toMatchObject({ resolution: 'Seen', resolved_at: expect.any(String) })
      expect(await world().call('queue.resolve', { id: item.id, resolution: 'Other' })).toEqual(settled)
      expect(await list({})).toEqual([])
      expect(await list({ resolved: true })).toEqual([settled])
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'queue.added', effort_id: effort.id, payload: { item: item.id, kind: 'question' } },
        {
          event_type: 'queue.resolved',
          effort_id: effort.id,
          payload: { item: item.id, resolution: 'Seen' },
        },
      ])
    })

    test('belongs to a project, which a folder can identify', async () => {
      const folder = join(world().project, world().name('deep'))
      await mkdir(folder)
      const item = await world().call('queue.add', { path: folder, content: 'Here' })
      expect(item).toMatchObject({ project_id: world().projectId, effort_id: null, kind: 'observation' })
      expect(await world().call('queue.list', { path: folder, limit: 1 })).toEqual([item])
    })

    test('refuses items without a project, empty items and unknown items', async () => {
      for (const [params, code] of [
        [{ content: 'x' }, 'invalid'],
        [{ content: ' ', project_id: world().projectId }, 'invalid'],
        [{ content: 'x', path: '/' }, 'not-found'],
        [{ content: 'x', project_id: 999_999_999 }, 'not-found'],
        [{ content: 'x', effort_id: 999_999_999 }, 'not-found'],
      ] as const)
        expect(await failure(world().call('queue.add', params))).toMatchObject({ code })
      const missing = world().call('queue.resolve', { id: 999_999_999, resolution: 'x' })
      expect(await failure(missing)).toMatchObject({ code: 'not-found', field: 'id' })
    })
  })
}
