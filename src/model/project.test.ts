import { expect, test } from 'vitest'
import { type Location, type Root, rootOf, tellProject } from './project.ts'

const own = (path: string): Root => ({ path, project: path })
const at = (folder: string, repository?: string, main = repository): Location => ({
  folder,
  repository,
  main,
})
const lost = (folder: string, repository: string): Location => ({ folder, repository, main: undefined })

test.each<[string, readonly Root[], Location, Root]>([
  ['an unknown folder is a project', [], at('/a/b'), own('/a/b')],
  ['a folder belongs to the project around it', [own('/a')], at('/a/b'), own('/a')],
  ['a repository is a project', [], at('/r/b', '/r'), own('/r')],
  ['a repository inside a project is its own', [own('/')], at('/r/b', '/r'), own('/r')],
  ['a registered part of a repository is its own', [own('/r/b')], at('/r/b/c', '/r'), own('/r/b')],
  ['a worktree belongs to its repository', [], at('/w/b', '/w', '/r'), { path: '/w', project: '/r' }],
  [
    'a worktree that was a project belongs to its repository',
    [own('/w'), own('/r')],
    at('/w', '/w', '/r'),
    { path: '/w', project: '/r' },
  ],
  [
    'a part that is registered in the main checkout is one in every worktree',
    [own('/r'), own('/r/b')],
    at('/w/b/c', '/w', '/r'),
    { path: '/w/b', project: '/r/b' },
  ],
  [
    'a part that is registered in a worktree is one everywhere',
    [own('/w/b')],
    at('/w/b', '/w', '/r'),
    { path: '/w/b', project: '/r/b' },
  ],
  [
    'a worktree whose repository has moved stays where it was',
    [{ path: '/w', project: '/r' }],
    lost('/w/b', '/w'),
    { path: '/w', project: '/r' },
  ],
  ['a broken worktree that nobody knows is a project', [], lost('/w/b', '/w'), own('/w')],
  [
    'a removed worktree inside its main checkout stays a workplace',
    [own('/r'), { path: '/r/w', project: '/r' }],
    at('/r/w', '/r'),
    { path: '/r/w', project: '/r' },
  ],
])('%s', (_, known, location, root) => expect(rootOf(known, location)).toEqual(root))

test('a project is told with its workplaces, and which of them are here', () => {
  const project = { id: 1, path: '/r', name: null, created_at: '', level: null, session_gate: 1 }
  const place = (id: number, machine_id: string | null, project_id = 1) => ({
    id,
    project_id,
    machine_id,
    machine: machine_id,
    path: `/${id}`,
    created_at: '',
  })
  const workplaces = [place(1, 'm'), place(2, 'other'), place(3, null), place(4, 'm', 2)]
  expect(tellProject(project, { usual: 'strict', workplaces, machine: 'm' })).toEqual({
    ...project,
    level: 'strict',
    session_gate: true,
    workplaces: [
      { id: 1, machine: 'm', path: '/1', here: true },
      { id: 2, machine: 'other', path: '/2', here: false },
      { id: 3, machine: null, path: '/3', here: true },
    ],
  })
})
