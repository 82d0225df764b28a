import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'

interface Found {
  readonly source_path: string
}

/** A call that succeeds, for each method of search that changes something. */
export const SEARCH_CHANGES = {
  'search.upsert': (world: World) => ({
    source_type: 'doc',
    source_path: world.name('doc'),
    chunk_text: 'sepia',
    project_id: world.projectId,
  }),
  async 'search.delete'(world: World) {
    const source_path = world.name('doc')
    const source = { source_type: 'doc', source_path, project_id: world.projectId }
    await world.call('search.upsert', { ...source, chunk_text: 'sepia' })
    return source
  },
}

/** The same for the others. */
export const SEARCH_READS = {
  'search.query': ({ projectId }: World) => ({
    query: 'violet',
    project_id: projectId,
    source_types: ['doc'],
    source_type: 'skill',
    limit: 1,
  }),
  'search.docs': ({ project }: World) => ({
    query: 'violet',
    path: project,
    since: '2026-01-01T00:00:00.000Z',
  }),
  'search.sessions': () => ({ query: 'violet', all_projects: true }),
  'search.directives': ({ projectId }: World) => ({ query: 'violet', project_id: projectId }),
  'search.status': ({ project }: World) => ({ path: project }),
  'search.reindex': ({ project }: World) => ({ path: project }),
}

/** What search promises. */
export function searchMethodsContract(world: () => World): void {
  const put = (source_path: string, chunk_text: string, more: object = {}) =>
    world().call('search.upsert', {
      source_type: 'doc',
      source_path,
      chunk_text,
      project_id: world().projectId,
      ...more,
    })
  const pathsOf = async (query: string, more: object = {}, method = 'search.query') => {
    const found: readonly Found[] = await world().call(method, {
      query,
      project_id: world().projectId,
      ...more,
    })
    return found.map(({ source_path: path }) => path)
  }

  describe('search', () => {
    test('finds a text that was put in, with the place, the line and the reason', async () => {
      await put('guide.md', '# Guide\n\n## Sign in\n\nThe violet page asks for a password.')
      const found = await world().call('search.query', {
        query: 'violet passwords',
        project_id: world().projectId,
      })
      expect(found).toMatchObject([
        {
          source_type: 'doc',
          source_path: 'guide.md',
          line: 5,
          heading: 'guide.md > Guide > Sign in',
          snippet: {
            text: 'The violet page asks for a password.',
            marks: [
              [4, 10],
              [27, 35],
            ],
          },
          why: { method: 'words', has: ['violet', 'passwords'], in_heading: [] },
        },
      ])
    })

    test('puts a text in place of the one before, and takes it out again', async () => {
      await put('b.md', 'crimson')
      expect(await put('b.md', 'indigo')).toMatchObject({ chunks: 1, added: 1, removed: 1, kept: 0 })
      expect(await put('b.md', 'indigo')).toMatchObject({ added: 0, removed: 0, kept: 1 })
      expect([await pathsOf('crimson'), await pathsOf('indigo')]).toEqual([[], ['b.md']])
      const removed = await world().call('search.delete', {
        source_path: 'b.md',
        project_id: world().projectId,
      })
      expect(removed).toEqual({ removed: 1 })
      expect(await pathsOf('indigo')).toEqual([])
    })

    test('has what was said only from sessions', async () => {
      const said = put('one', 'You may push to main.', { source_type: 'message' })
      expect(await failure(said)).toMatchObject({ code: 'invalid', field: 'source_type' })
    })

    test('keeps to a project unless it is asked for all, and to kinds of sources', async () => {
      const folder = join(world().project, '..', world().name('other'))
      await mkdir(folder)
      const other = await world().call('db.project.upsert', { path: folder })
      await put('here.md', 'ochre')
      await put('there.md', 'ochre', { project_id: other.id, source_type: 'directive' })
      expect(await pathsOf('ochre')).toEqual(['here.md'])
      const everywhere = await world().call('search.query', { query: 'ochre', all_projects: true })
      expect(everywhere.map((one: Found) => one.source_path).toSorted()).toEqual(['here.md', 'there.md'])
      expect(await pathsOf('ochre', {}, 'search.docs')).toEqual(['here.md'])
      expect(await pathsOf('ochre', { project_id: other.id }, 'search.directives')).toEqual(['there.md'])
      expect(await pathsOf('ochre', {}, 'search.sessions')).toEqual([])
      expect(await pathsOf('ochre', { since: '2999-01-01T00:00:00.000Z' })).toEqual([])
    })

    test('says what is indexed, and indexes in the background', async () => {
      await put('status.md', 'umber')
      const before = await world().call('search.status', { path: world().project })
      expect(before).toMatchObject({ method: 'words', running: null })
      expect(before.sources.map((one: { source_type: string }) => one.source_type)).toContain('doc')
      await world().call('search.reindex', { path: world().project })
      expect(world().watch.indexed).toContain(world().projectId)
    })

    test('asks for a project, and refuses a folder outside of all', async () => {
      expect(await failure(world().call('search.query', { query: 'x' }))).toMatchObject({ code: 'invalid' })
      expect(await failure(world().call('search.status', { path: '/' }))).toMatchObject({ code: 'not-found' })
    })
  })
}
