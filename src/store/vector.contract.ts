import { describe, expect, test } from 'vitest'
import { codeOf } from '../model/search/codes.ts'
import { piecesOf } from '../model/search/piece.ts'
import { wordsOf } from '../model/search/question.ts'
import { type Open, withTask } from './open.contract.ts'
import type { Tx } from './query.ts'
import { deleteSources, replaceSource } from './search.ts'
import { deleteSomeVectors, deleteSpace, insertSpace, listSpaces, setSpaceState } from './space.ts'
import {
  findByBoth,
  insertVector,
  piecesWithoutVector,
  projectsWithPieces,
  scanByServer,
  scanInMemory,
  vectorCoverage,
  vectorsOfTexts,
} from './vector.ts'
import { storedVector } from './vector-bytes.ts'

const put = (tx: Tx, path: string, text: string, type = 'doc') =>
  replaceSource(
    tx,
    {
      project_id: 1,
      source_type: type,
      source_path: path,
      digest: 'd',
      at: '2026-01-01T00:00:00.000Z',
    },
    piecesOf(text, path),
  )

const spaceOf = async (tx: Tx, identity: string, state: 'active' | 'building' = 'active') => {
  const about = {
    identity,
    provider: 'p',
    model: 'm',
    asked_dims: null,
    dims: 2,
    scheme: 'none',
    center: null,
  }
  const space = await insertSpace(tx, { ...about, state })
  if (space === undefined) throw new TypeError('It was inserted.')
  return space.id
}

/** Each text gets the direction of the first word that it has. */
const DIRECTIONS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/login|signin/, [1, 0.1]],
  [/soup/, [-0.5, 1]],
  [/./, [-1, -1]],
]

function vectorOf(text: string): Float32Array {
  const found = DIRECTIONS.find(([word]) => word.test(text))?.[1] ?? []
  const length = Math.hypot(...found)
  return Float32Array.from(found, (value) => value / length)
}

const fill = async (tx: Tx, space_id: number, limit = 100) => {
  for (const { id, chunk_text: text } of await piecesWithoutVector(tx, {
    project_id: 1,
    space_id,
    after: 0,
    limit,
  })) {
    const stored = storedVector(tx.kind, vectorOf(text ?? ''), { digest: text ?? '', center: undefined })
    await insertVector(tx, { ...stored, space_id, piece_id: id })
  }
}

const find = async (tx: Tx, space_id: number, question: string, more: object = {}) => {
  const vector = vectorOf(question)
  const scan = tx.kind === 'postgres' ? scanByServer(tx) : scanInMemory(tx)
  const wanted = { words: wordsOf(question), limit: 100, ...more }
  return await findByBoth(tx, wanted, { space_id, vector, code: codeOf(vector) }, scan)
}

const pathsOf = async (...given: Parameters<typeof find>) =>
  (await find(...given)).map(({ source_path: path }) => path)

/** What the vectors of every database must do. */
export function vectorContract(open: Open): void {
  describe('vectors', () => {
    test('a piece is found by its meaning, with the kinds and times that are asked for', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        const space = await spaceOf(tx, 'a')
        await put(tx, 'login.md', 'The login page.')
        await put(tx, 'soup.md', 'A soup.')
        await put(tx, 'said', 'Our login page.', 'message')
        await fill(tx, space)
        expect((await pathsOf(tx, space, 'signin')).slice(0, 2).toSorted()).toEqual(['login.md', 'said'])
        expect(await pathsOf(tx, space, 'signin', { source_types: ['message'] })).toEqual(['said'])
        expect(await pathsOf(tx, space, 'signin', { project_id: 2 })).toEqual([])
        expect(await pathsOf(tx, space, 'signin', { since: '2027-01-01T00:00:00.000Z' })).toEqual([])
        const [best] = await find(tx, space, 'page of login')
        expect(best).toMatchObject({ has: ['page', 'login'], meaning: expect.closeTo(1, 2) as number })
        expect((await find(tx, space, 'signin'))[0]).toMatchObject({ has: [], in_heading: [] })
      })
    })

    test('pieces without a vector are known, and found by their words', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        const space = await spaceOf(tx, 'a')
        await put(tx, 'a.md', 'The login page.')
        await put(tx, 'b.md', 'An umbrella.')
        await fill(tx, space, 1)
        expect(await vectorCoverage(tx, { project_id: 1, space_id: space })).toEqual({
          pieces: 2,
          embedded: 1,
        })
        expect(await projectsWithPieces(tx, {})).toEqual([{ project_id: 1 }])
        expect((await pathsOf(tx, space, 'umbrella'))[0]).toBe('b.md')
        await fill(tx, space)
        await fill(tx, space)
        expect(await vectorCoverage(tx, { project_id: 1, space_id: space })).toEqual({
          pieces: 2,
          embedded: 2,
        })
      })
    })

    test('a deleted piece takes its vectors along, and one that stays keeps them', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        const space = await spaceOf(tx, 'a')
        await put(tx, 'a.md', '# One\n\nlogin\n\n# Two\n\nsoup')
        await fill(tx, space)
        await put(tx, 'a.md', '# One\n\nlogin\n\n# Two\n\nmore soup')
        expect(await vectorCoverage(tx, { project_id: 1, space_id: space })).toEqual({
          pieces: 2,
          embedded: 1,
        })
        await deleteSources(tx, { source_path: 'a.md' })
        expect(await vectorsOfTexts(tx, { space_id: space, digests: ['login', 'soup'] })).toEqual([])
        await insertVector(tx, {
          ...storedVector(tx.kind, vectorOf('x'), { digest: 'x', center: undefined }),
          space_id: space,
          piece_id: 4711,
        })
        expect(await vectorsOfTexts(tx, { space_id: space, digests: ['x'] })).toEqual([])
      })
    })

    test('the vectors of one space are never compared with those of another', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        const [before, after] = [await spaceOf(tx, 'a'), await spaceOf(tx, 'b', 'building')]
        await put(tx, 'a.md', 'The login page.')
        await fill(tx, before)
        expect(await pathsOf(tx, after, 'signin')).toEqual([])
        await setSpaceState(tx, { id: before, state: 'retired' })
        await setSpaceState(tx, { id: after, state: 'active' })
        expect(await deleteSomeVectors(tx, { space_id: before })).toHaveLength(1)
        expect(await deleteSomeVectors(tx, { space_id: before })).toEqual([])
        await deleteSpace(tx, { id: before })
        expect(await listSpaces(tx, {})).toMatchObject([{ identity: 'b', state: 'active' }])
      })
    })
  })
}
