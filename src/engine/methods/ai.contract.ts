import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WITH_MODELS } from '../../ai/loopback.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** The folder of a new project whose config names models. */
async function modelsIn({ call, project, name }: World): Promise<string> {
  const path = join(project, name('folder'), WITH_MODELS)
  await mkdir(path, { recursive: true })
  return (await call('db.project.upsert', { path })).path
}

/** A call that succeeds, for each method of models that changes something. */
export const AI_CHANGES = {
  'ai.generate': async (world: World) => ({ prompt: 'Sum up.', path: await modelsIn(world) }),
  'ai.embed': async (world: World) => ({ texts: ['violet'], path: await modelsIn(world) }),
}

export const AI_READS = { 'ai.status': ({ project }: World) => ({ path: project }) }

/** What the methods of models promise. */
export function aiMethodsContract(world: () => World): void {
  const used = async (since: number) =>
    (await world().since(since)).filter(({ event_type: type }) => type === 'ai.used')

  describe('models', () => {
    test('a call answers with a text and what it used, and the ledger keeps that without the text', async () => {
      const [path, since] = [await modelsIn(world()), await world().lastSeq()]
      const answer = await world().call('ai.generate', { prompt: 'Sum up the violet page.', path })
      expect(answer).toEqual({
        text: 'A short summary.',
        stop: 'end',
        provider: 'openai-compatible',
        model: 'large',
        tokens: { input: 12, output: 4 },
        cost: null,
      })
      const entries = await used(since)
      expect(entries).toMatchObject([
        { payload: { use: 'generate', purpose: 'call', model: 'large', tokens: { input: 12, output: 4 } } },
      ])
      expect(JSON.stringify(entries)).not.toMatch(/violet|summary|"key"/)
    })

    test('vectors come back in the order of the texts, with their cost by the price of the config', async () => {
      const [path, since] = [await modelsIn(world()), await world().lastSeq()]
      const { vectors, ...more } = await world().call('ai.embed', { texts: ['violet', 'ochre'], path })
      expect(vectors).toHaveLength(2)
      expect(vectors[0]).not.toEqual(vectors[1])
      expect(more).toMatchObject({ dims: 32, tokens: { input: 6, output: 0 }, cost: 0.000012 })
      expect(await used(since)).toMatchObject([{ payload: { use: 'embed', cost: 0.000012 } }])
    })

    test('a repeated call with the same key is not sent again', async () => {
      const path = await modelsIn(world())
      const asked = { prompt: 'Sum up.', path, idempotency_key: world().name('key') }
      const first = await world().call('ai.generate', asked)
      const [before, since] = [world().models.requests.length, await world().lastSeq()]
      expect(
        await Promise.all([world().call('ai.generate', asked), world().call('ai.generate', asked)]),
      ).toEqual([first, first])
      expect(world().models.requests).toHaveLength(before)
      expect(await used(since)).toEqual([])
    })

    test('holds no transaction while the model thinks', async () => {
      const path = await modelsIn(world())
      world().models.tricks.push('hang')
      const given = { prompt: 'Sum up.', path }
      const hanging = world().models.hanging()
      const call = world().call('ai.generate', given)
      await hanging
      expect(world().watch.underWay).toBe(0)
      await world().call('db.project.list')
      // The lost connection is tried again.
      world().models.drop()
      expect(await call).toMatchObject({ stop: 'end' })
    })

    test('without a model it says which setting to set, and sends nothing', async () => {
      const before = world().models.requests.length
      const path = world().project
      for (const [method, given] of [
        ['ai.generate', { prompt: 'x' }],
        ['ai.embed', { texts: ['x'] }],
      ] as const)
        expect(await failure(world().call(method, { ...given, path }))).toMatchObject({
          code: 'not-configured',
          field: `ai_${method.slice(3)}`,
        })
      expect(world().models.requests).toHaveLength(before)
    })

    test('the status names models and whether they have a key', async () => {
      const path = await modelsIn(world())
      expect(await world().call('ai.status', { path })).toMatchObject({
        embed: { model: 'openai-compatible/small', has_key: true, problem: null },
        generate: { model: 'openai-compatible/large', has_key: true },
      })
      expect(await world().call('ai.status', { path: world().project })).toMatchObject({
        embed: { model: null, has_key: false },
      })
    })
  })
}
