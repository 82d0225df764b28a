import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generated } from '../scripts/generated.ts'
import { rules } from '../src/rules/index.ts'

/** What each folder of src may import besides itself; `type:` means types only. This table is the architecture. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  clients: ['hook', 'model'],
  store: ['model', 'kysely', 'pg', 'node:sqlite', 'node:timers/promises'],
  rules: ['model'],
  engine: ['model', 'rules', 'store', 'zod', 'node:crypto'],
  skills: ['model', 'yaml', 'markdown-it'],
  rpc: ['node:crypto', 'node:http', 'node:net'],
  hook: ['model'],
  files: [
    'model',
    'skills',
    'node:child_process',
    'node:crypto',
    'node:fs',
    'node:fs/promises',
    'node:module',
    'node:path',
    'node:util',
    'node:vm',
  ],
  daemon: ['clients', 'engine', 'files', 'model', 'rpc', 'store', 'package.json', 'node:*'],
  cli: [
    'clients',
    'daemon',
    'demo',
    'files/skill-folders.ts',
    'files/walk.ts',
    'files/workflow-module.ts',
    'hook/status-line.ts',
    'model',
    'rpc',
    'skills',
    'store/postgres-url.ts',
    'store/reader.ts',
    'type:engine',
    'type:store',
    'node:*',
  ],
  demo: ['cli', 'model', 'skills/scaffold.ts', 'type:engine', 'type:store', 'node:*'],
}

/** Each list, and the files beside it that it must name. */
const LISTS = [
  {
    list: 'src/engine/index.ts',
    files: 'src/engine/*.ts',
    besides: [
      'append-once',
      'arrival',
      'call',
      'call-details',
      'canary',
      'client-payload',
      'context',
      'directive-files',
      'directives-touched',
      'apply',
      'at-work',
      'background',
      'beginning',
      'dehydration-form',
      'delegation',
      'effort-checks',
      'effort-files',
      'effort-life',
      'effort-prepare',
      'facts',
      'find-work',
      'handover-text',
      'held',
      'holder',
      'index',
      'issue',
      'method',
      'observe',
      'ownership',
      'params',
      'phase-move',
      'pipeline-run',
      'plan',
      'progress',
      'reads',
      'record-artifact',
      'recorded',
      'seen-run',
      'session-window',
      'skill-checks',
      'skill-run',
      'skill-sync',
      'stage',
      'take-over',
      'todo-marks',
      'transcript-tail',
      'window',
      'work-files',
      'work-text',
      'work-view',
      'window-end',
    ],
  },
  {
    list: 'src/store/migrations/index.ts',
    files: 'src/store/migrations/*.ts',
    besides: ['dialect', 'index'],
  },
  {
    list: 'src/skills/index.ts',
    files: 'src/skills/*.ts',
    besides:
      'contracts demands fences find frontend frontmatter graph index leads-to markdown pipeline places read-all references scaffold series sidecar skill-md text typed-fields values yaml'.split(
        ' ',
      ),
  },
  {
    list: 'src/rules/index.ts',
    files: 'src/rules/*.ts',
    besides: ['background', 'index', 'judge', 'rule', 'spans', 'standing', 'watch'],
  },
  {
    list: 'src/cli/doctor/index.ts',
    files: 'src/cli/doctor/*.ts',
    besides: ['check', 'examine', 'index', 'machine', 'mounts', 'scene', 'sources'],
  },
  { list: 'src/cli/commands/index.ts', files: 'src/cli/commands/*.ts', besides: ['index'] },
] as const

const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)
const sources = globSync('src/**/*.{ts,js}').filter((file) => !isTest(file))
const folderOf = (file: string) => file.split('/')[1] ?? ''

interface Import {
  readonly target: string
  readonly typeOnly: boolean
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)|getBuiltinModule\('([^']+)'\)/gm,
  )
  return [...statements].map(([, type, from, bare, dynamic, builtin]) => ({
    target: from ?? bare ?? dynamic ?? builtin ?? '',
    typeOnly: type !== undefined,
  }))
}

/** An import as the table names it: a folder of src, a file in one, or a package. */
function namesOf(file: string, target: string): readonly string[] {
  if (target.startsWith('node:')) return [target, 'node:*']
  if (!target.startsWith('.')) return [target.split('/')[0] ?? '']
  const path = join(dirname(file), target)
  return path.startsWith('src/') ? [folderOf(path), path.slice('src/'.length)] : [basename(path)]
}

describe('what may import what', () => {
  test.each(sources)('%s', (file) => {
    const allowed = new Set([folderOf(file), ...(MAY_IMPORT[folderOf(file)] ?? [])])
    const forbidden = importsOf(file).filter(({ target, typeOnly }) => {
      const names = namesOf(file, target)
      return !names.some((name) => allowed.has(name) || (typeOnly && allowed.has(`type:${name}`)))
    })
    expect(forbidden).toEqual([])
  })

  test('every folder of src is in the table, and in ARCHITECTURE.md', () => {
    const folders = [...new Set(sources.map(folderOf))].toSorted((a, b) => a.localeCompare(b))
    expect(folders).toEqual(Object.keys(MAY_IMPORT).toSorted((a, b) => a.localeCompare(b)))
    const page = readFileSync('ARCHITECTURE.md', 'utf8')
    expect(folders.filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([])
  })

  // INV_DAEMON_IS_PURE_DB
  test('the disk is reached only through files/, besides what finds and starts a daemon', () => {
    const reaching = sources.filter((file) =>
      importsOf(file).some(({ target }) => target.startsWith('node:fs')),
    )
    expect([...new Set(reaching.map(folderOf))].toSorted((a, b) => a.localeCompare(b))).toEqual([
      'cli',
      'daemon',
      'demo',
      'files',
    ])
  })
})

// INV_NO_DAEMON_RECURSION
test('the daemon cannot call itself: only the CLI knows the connecting side', () => {
  const connecting = sources.filter((file) =>
    importsOf(file).some(({ target }) => target.endsWith('/connect.ts')),
  )
  expect([...new Set(connecting.map(folderOf))]).toEqual(['cli'])
})

test.each(LISTS)('$list names every file of its folder', ({ list, files, besides }) => {
  const named = new Set(importsOf(list).map(({ target }) => basename(target, '.ts')))
  const present = globSync(files)
    .filter((file) => !isTest(file))
    .map((file) => basename(file, '.ts'))
    .filter((name) => !(besides as readonly string[]).includes(name))
  expect(present.filter((name) => !named.has(name))).toEqual([])
})

test.each(rules)('the rule $name has a table test in its folder', ({ name }) => {
  const tables = globSync('src/rules/*.test.ts').flatMap(importsOf)
  expect(tables.map(({ target }) => target)).toContain(`./${name}.ts`)
})

test.each(Object.entries(generated()))('%s is what `npm run generate` makes', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('the README tells the two commands, and .ci/run runs its test command', () => {
  const readme = readFileSync('README.md', 'utf8')
  expect(readme).toContain('npm install && npm start')
  expect(readme).toContain('npm install && npm test')
  expect(readFileSync('.ci/run', 'utf8')).toContain('npm install && npm test')
})

test('every invariant names a test that exists and speaks of it', () => {
  const rows = readFileSync('docs/invariants.md', 'utf8').matchAll(/^\| (INV_\w+) \|[^|]*\| `([^`]+)` \|$/gm)
  const found = [...rows].map(([, name = '', file = '']) => ({
    name,
    speaks: readFileSync(file, 'utf8').includes(name),
  }))
  expect(found.length).toBeGreaterThanOrEqual(16)
  expect(found.filter(({ speaks }) => !speaks)).toEqual([])
})

test('no lockfile entry names a registry', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "http/)
})
