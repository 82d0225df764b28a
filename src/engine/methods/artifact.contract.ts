import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { effortToProve } from './evidence.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** What artifacts promise, on any database. */
export function artifactContract(world: () => World): void {
  const put = (params: object): Promise<Answer> => world().call('artifact.put', params)

  describe('an artifact', () => {
    test('is recorded once for each rank, with its file and a ledger entry', async () => {
      const it = await effortToProve(world())
      await it.write('plan.md', 'one')
      const seq = await world().lastSeq()
      const given = {
        effort_id: it.id,
        name: 'plan',
        path: join(it.root, 'plan.md'),
        evidence: { read: false },
      }
      const first = await put(given)
      expect(first).toMatchObject({ name: 'plan', rank: 'claimed', stale: false, counts: true })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'artifact.recorded', effort_id: it.id, payload: { name: 'plan', rank: 'claimed' } },
      ])
      await it.write('plan.md', 'two')
      expect(await put(given)).toMatchObject({ id: first.id, stale: false })
      expect(await it.list()).toMatchObject([
        { id: first.id, path: join(it.root, 'plan.md'), evidence: { claim: { read: false } }, stale: false },
      ])
    })

    test.each<[string, (it: Awaited<ReturnType<typeof effortToProve>>) => Promise<unknown>]>([
      ['has changed', (it) => it.write('[plan].md', 'two')],
      ['is missing', (it) => rm(join(it.root, '[plan].md'))],
      ['was renamed', (it) => rename(join(it.root, '[plan].md'), join(it.root, 'p.md'))],
    ])('is stale when its file %s', async (_, change) => {
      const it = await effortToProve(world())
      await it.write('[plan].md', 'one')
      await put({ effort_id: it.id, name: 'plan', path: join(it.root, '[plan].md') })
      await it.write('other.md', 'x')
      expect(await it.list()).toMatchObject([{ stale: false }])
      await change(it)
      expect(await it.list()).toMatchObject([{ stale: true }])
    })

    test.each<[string, string, object]>([
      ['that does not exist', 'not-found', { path: 'nothing.md' }],
      ['that is a folder', 'forbidden', { path: 'src' }],
      ['of another project', 'forbidden', { path: '../other.md' }],
      ['outside', 'forbidden', { path: '/etc/hostname' }],
    ])('has no file %s', async (_, code, { path }: { path?: string }) => {
      const it = await effortToProve(world())
      await writeFile(join(it.root, '../other.md'), '')
      const params = {
        effort_id: it.id,
        name: 'plan',
        path: join(path?.startsWith('/') === true ? '' : it.root, path ?? ''),
      }
      expect(await failure(put(params))).toMatchObject({ code, field: 'path' })
    })

    test('requires an active effort, and spans and steps that belong to it', async () => {
      const it = await effortToProve(world())
      const given = { effort_id: it.id, name: 'plan' }
      expect(await failure(put({ ...given, step: '3' }))).toMatchObject({ code: 'not-found', field: 'step' })
      expect(await failure(put({ ...given, span_id: 'x' }))).toMatchObject({
        code: 'not-found',
        field: 'span_id',
      })
      const [adHoc] = await world().call('db.effort.list', { task_id: it.root, ad_hoc: true })
      expect(await failure(put({ ...given, effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      await world().call('db.effort.finish', { effort_id: it.id, abandon: 'no longer needed' })
      expect(await failure(put(given))).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(await failure(put({ ...given, effort_id: 2 ** 40 }))).toMatchObject({ code: 'not-found' })
    })

    test('cannot be claimed as proved', async () => {
      const it = await effortToProve(world())
      expect(await failure(put({ effort_id: it.id, name: 'tests', rank: 'proved' }))).toMatchObject({
        code: 'invalid',
        field: 'rank',
      })
      const claimed = await put({
        effort_id: it.id,
        name: 'tests',
        evidence: { rank: 'proved', exit_code: 0 },
      })
      expect(claimed).toMatchObject({
        rank: 'claimed',
        counts: false,
        to_record: [`holdfast prove tests --effort ${it.id}`],
      })
    })
  })
}
