import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf } from '../model/search/piece.ts'
import { wordsOf } from '../model/search/question.ts'
import { type Open, withTask } from './open.contract.ts'
import { findChunks } from './find.ts'
import { missingChanges, deleteSources, indexedSources, knownSources, replaceSource } from './search.ts'
import type { Tx } from './query.ts'

const AT = '2026-01-01T00:00:00.000Z'

const put = (
  tx: Tx,
  path: string,
  text: string,
  more: { type?: string; project?: number; at?: string } = {},
) =>
  replaceSource(
    tx,
    {
      project_id: more.project ?? 1,
      source_type: more.type ?? 'doc',
      source_path: path,
      digest: String(text.length),
      at: more.at ?? AT,
    },
    piecesOf(text, path),
  )

const find = async (tx: Tx, question: string, more: object = {}) => {
  const found = await findChunks(tx, { words: wordsOf(question), limit: 10, ...more })
  return found.map(({ source_path: path, line }) => `${path}:${line}`)
}

/** What the index of every database must do. */
export function searchContract(open: Open): void {
  describe('search', () => {
    test('a text is found by its words, whatever their endings, best first', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', '# Sign in\n\nThe login page checks passwords.')
        await put(tx, 'b.md', 'Passwords are hashed. Passwords are salted. A password is long.')
        await put(tx, 'c.md', 'Nothing of that.')
        expect(await find(tx, 'how does the login page check a password?')).toEqual(['a.md:3', 'b.md:1'])
        expect(await find(tx, 'signing in')).toEqual(['a.md:3'])
        expect(await find(tx, 'elephants')).toEqual([])
      })
    })

    test('a changed text is found as it is now, and pieces that stay keep their rows', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', '# One\n\nstays\n\n# Two\n\nold')
        const kept = await findChunks(tx, { words: ['stays'], limit: 1 })
        expect(await put(tx, 'a.md', '# Zero\n\nnew\n\n# One\n\nstays')).toEqual({
          added: 1,
          kept: 1,
          removed: 1,
        })
        expect(await find(tx, 'old')).toEqual([])
        expect(await find(tx, 'new')).toEqual(['a.md:3'])
        expect(await findChunks(tx, { words: ['stays'], limit: 1 })).toMatchObject([
          { id: kept[0]?.id, line: 7 },
        ])
      })
    })

    test('a long text is stored in parts, and a crash between them leaves it unread', async () => {
      await using it = await withTask(open)
      const source = { project_id: 1, source_type: 'doc', source_path: 'long.md' }
      const pieces = piecesOf('# One\n\nfirst\n\n# Two\n\nsecond\n\n# Three\n\nthird', 'long.md')
      await it.store.transact(async (tx) => {
        for (const change of (await missingChanges(tx, source, pieces)).slice(0, 2)) await change(tx)
      })
      await it.store.transact(async (tx) => {
        expect((await knownSources(tx, { project_id: 1 })).map(({ digest }) => digest)).toEqual([''])
        expect(await missingChanges(tx, source, pieces)).toHaveLength(1)
        const replaced = await replaceSource(tx, { ...source, digest: 'd', at: AT }, pieces)
        expect(replaced).toEqual({ added: 1, kept: 2, removed: 0 })
        expect(await knownSources(tx, { project_id: 1 })).toMatchObject([{ digest: 'd', updated_at: AT }])
      })
    })

    test('a search keeps to a project, kinds of sources and a time', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', 'word')
        await put(tx, 'b', 'word', { type: 'message', at: '2026-02-01T00:00:00.000Z' })
        expect(await find(tx, 'word', { project_id: 1 })).toEqual(['b:1', 'a.md:1'])
        expect(await find(tx, 'word', { project_id: 2 })).toEqual([])
        expect(await find(tx, 'word', { source_types: ['doc', 'skill'] })).toEqual(['a.md:1'])
        expect(await find(tx, 'word', { since: '2026-01-15T00:00:00.000Z' })).toEqual(['b:1'])
        expect(await find(tx, 'word', { limit: 1 })).toHaveLength(1)
      })
    })

    test('names are found by their parts, and texts without spaces by any part', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', 'Call parseHTTPHeader first.')
        await put(tx, 'b.md', '日本語のドキュメントを検索します')
        await put(tx, 'c.md', 'Größe, naïve')
        expect(await find(tx, 'http header')).toEqual(['a.md:1'])
        expect(await find(tx, 'parseHTTPheader')).toEqual(['a.md:1'])
        expect(await find(tx, '検索')).toEqual(['b.md:1'])
        expect(await find(tx, 'grosse NAIVE')).toEqual(['c.md:1'])
        expect(await find(tx, 'same other')).toEqual([])
        await put(tx, 'd.md', 'the same as every other')
        expect(await find(tx, 'same other')).toEqual(['d.md:1'])
      })
    })

    test('what is taken out is found no more', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', 'word')
        await put(tx, 'b.md', 'word')
        expect(await deleteSources(tx, { project_id: 1, source_path: 'a.md' })).toBe(1)
        expect(await find(tx, 'word')).toEqual(['b.md:1'])
        expect(await knownSources(tx, { project_id: 1 })).toEqual([
          { source_type: 'doc', source_path: 'b.md', digest: '4', updated_at: AT },
        ])
        expect(await indexedSources(tx, { project_id: 1 })).toEqual([
          { source_type: 'doc', chunks: 1, sources: 1, newest: AT },
        ])
      })
    })

    test('no text and no question is an error, and a text is found by each of its words', async () => {
      await using it = await withTask(open)
      const anything = fc.string({ unit: 'binary', maxLength: 60 })
      const hostile = fc.oneof(
        anything,
        fc.string({ unit: fc.constantFrom(...Array.from(`"'\\*:()&|!<->\0 aא字`)) }),
      )
      await fc.assert(
        fc.asyncProperty(hostile, hostile, async (text, question) => {
          await it.store.transact(async (tx) => {
            await put(tx, 'any.md', `x ${text}`)
            expect(await find(tx, question)).toBeInstanceOf(Array)
            for (const word of wordsOf(text).slice(0, 3)) expect(await find(tx, word)).not.toEqual([])
          })
        }),
        { numRuns: 40 },
      )
    })

    test('no question is an error, whatever it has in it', async () => {
      await using it = await withTask(open)
      await it.store.transact(async (tx) => {
        await put(tx, 'a.md', `nul\0 שלום 😀 a"b'c ${'x'.repeat(5000)} ﷽ ࿿ 𞤀`)
        for (const question of [
          `"'()*:^-+{}[]\\`,
          'a OR NOT AND NEAR',
          'col:x*',
          'nul\0byte',
          '😀',
          'שלום',
          '𞤀 ﷽ ࿿',
          '\ud800',
          "'; drop table embeddings; --",
          'x'.repeat(100_000),
          'the of and',
          '\u0301',
        ])
          await expect(find(tx, question)).resolves.toBeInstanceOf(Array)
        expect(await find(tx, 'שלום')).toEqual(['a.md:1'])
      })
    })
  })
}
