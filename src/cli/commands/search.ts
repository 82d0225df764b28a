import { setTimeout as sleep } from 'node:timers/promises'
import type { SpaceStatus, VectorStatus } from '../../engine/call/context.ts'
import { SOURCES } from '../../model/search/found.ts'
import type { Snippet } from '../../model/search/snippet.ts'
import { counted } from '../../model/text/line.ts'
import { duration, relativeTime } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult, printVerbatim } from '../frame/show.ts'

/** A result of search.query. */
interface Found {
  readonly source_type: string
  readonly source_path: string
  readonly heading: string
  readonly line: number
  readonly updated_at: string
  readonly project_id: number | null
  /** The folder of the project, if every project was searched. */
  readonly project_path?: string | null
  readonly snippet: Snippet
  readonly why: {
    readonly method: 'words' | 'meaning' | 'both'
    readonly has: readonly string[]
    readonly in_heading: readonly string[]
  }
}

interface Status {
  readonly sources: readonly {
    readonly source_type: string
    readonly chunks: number
    readonly sources: number
  }[]
  readonly running: { readonly done: number; readonly total: number; readonly seconds: number } | null
  readonly vectors: VectorStatus | null
}

const EVERY_MILLISECONDS = 100
/** A search waits this long for what changed since the last one; a first index takes as long as it takes. */
const PATIENCE_MILLISECONDS = 3000

export const search: Command = {
  name: 'search',
  summary:
    'Find documents, directives, skills, notes on tasks, and what was said in sessions, by their words.',
  usage: 'QUERY',
  places: { QUERY: 'the words to look for; every character means itself' },
  flags: {
    source: { kind: 'value', summary: `only one kind: ${SOURCES.join(', ')}` },
    since: {
      kind: 'value',
      summary: 'only what was written or said in this time, such as 7d, 12h or 2026-01-31',
    },
    all_projects: { kind: 'switch', summary: 'search every project instead of this one' },
    limit: { kind: 'value', summary: 'maximum number of results (default 10)' },
  },
  examples: [
    `holdfast search 'why did we drop the cache'`,
    'holdfast search login --source message --since 7d',
  ],
  async run(io, { positionals, values, switches }) {
    const source = sourceIn(values['source'])
    using remote = new Remote(io)
    const isWide = switches.has('all_projects')
    if (!isWide) await refresh(io, remote, { path: io.cwd }, PATIENCE_MILLISECONDS)
    const found = await remote.call<readonly Found[]>('search.query', {
      query: positionals.join(' '),
      ...(isWide ? { all_projects: true } : { path: io.cwd }),
      ...(source !== undefined && { source_types: [source] }),
      ...(values['since'] !== undefined && { since: momentOf(values['since']) }),
      ...(values['limit'] !== undefined && { limit: numberOf(values['limit'], '--limit') }),
    })
    const placed = isWide ? await withProjects(remote, found) : found
    printVerbatim(io, placed, () =>
      placed.length === 0 ? noneFor(isWide) : placed.map((one) => shown(io, one)).join('\n\n'),
    )
    return found.length === 0 ? 1 : 0
  },
}

export const index: Command = {
  name: 'index',
  summary:
    'Bring the search index of this project up to date now; the daemon does it by itself while agents work.',
  usage: '',
  flags: {
    watch: { kind: 'switch', summary: 'go on until Ctrl+C, and index what changes' },
    source: {
      kind: 'value',
      summary: `read one kind again, whether it changed or not: ${SOURCES.join(', ')}`,
    },
  },
  examples: ['holdfast index', 'holdfast index --source doc'],
  async run(io, { values, switches }) {
    const kind = sourceIn(values['source'])
    using remote = new Remote(io)
    for (;;) {
      const status = await embedded(io, remote, await refresh(io, remote, { path: io.cwd }, Infinity, kind))
      if (!switches.has('watch')) {
        printResult(io, status, () => summaryOf(status))
        return 0
      }
      await sleep(2000)
    }
  },
}

function sourceIn(source: string | undefined): string | undefined {
  if (source === undefined || SOURCES.some((known) => known === source)) return source
  throw usage(`--source ${source} is none of ${SOURCES.join(', ')}.`)
}

/** The same results, each with the folder of its project: paths are relative to that. */
async function withProjects(remote: Remote, found: readonly Found[]): Promise<readonly Found[]> {
  const projects = await remote.call<readonly { readonly id: number; readonly path: string }[]>(
    'db.project.list',
    {},
  )
  const folders = new Map(projects.map(({ id, path }) => [id, path]))
  return found.map((one) => ({ ...one, project_path: folders.get(one.project_id ?? -1) ?? null }))
}

/** Brings the index up to date, and shows how far it is; a limit counts only once something is indexed. */
export async function refresh(
  io: Io,
  remote: Remote,
  project: { readonly path: string } | { readonly project_id: number },
  most = Infinity,
  kind?: string,
): Promise<Status> {
  const source_type = kind === undefined ? {} : { source_type: kind }
  let status = await remote.call<Status>('search.reindex', { ...project, ...source_type })
  const patience = status.sources.length === 0 ? Infinity : most
  const started = performance.now()
  while (status.running !== null && performance.now() - started < patience) {
    io.draw?.(progressOf(status.running))
    await sleep(EVERY_MILLISECONDS)
    status = await remote.call<Status>('search.status', project)
  }
  io.draw?.('')
  return status
}

const EVERY_EMBEDDED_MILLISECONDS = 500

/** Waits until every piece of this project has a vector, or none come any more. */
async function embedded(io: Io, remote: Remote, before: Status): Promise<Status> {
  let status = before
  for (;;) {
    const { vectors } = status
    const at = vectors?.building ?? vectors?.active
    const isFull = at !== undefined && at !== null && at.embedded >= at.pieces && vectors?.building === null
    if (vectors === null || vectors.running === null || isFull) break
    if (at !== undefined && at !== null) io.draw?.(embeddingOf(at, vectors.running))
    await sleep(EVERY_EMBEDDED_MILLISECONDS)
    status = await remote.call<Status>('search.status', { path: io.cwd })
  }
  io.draw?.('')
  return status
}

const embeddingOf = (
  { embedded: done, pieces }: Pick<SpaceStatus, 'embedded' | 'pieces'>,
  { done: now, seconds }: { readonly done: number; readonly seconds: number },
): string => `Vectors: ${barOf({ done, total: pieces, rate: now === 0 ? 0 : now / seconds })}`

const BAR = 20

function progressOf({ done, total, seconds }: NonNullable<Status['running']>): string {
  if (total === 0) return 'Indexing: looking for texts'
  return `Indexing: ${barOf({ done, total, rate: done / seconds })}`
}

function barOf({ done, total, rate }: { done: number; total: number; rate: number }): string {
  const filled = Math.round((done / total) * BAR)
  const left = rate > 0 ? `, about ${duration(((total - done) / rate) * 1000)} left` : ''
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${total}${left}`
}

const summaryOf = ({ sources, vectors }: Status): string =>
  sources.length === 0
    ? 'This project has no texts to index yet.'
    : [
        ...sources.map(
          ({ source_type: type, sources: count, chunks }) =>
            `${type}: ${count} (${counted(chunks, 'piece')})`,
        ),
        ...(vectors === null ? [] : vectorLines(vectors)),
      ].join('\n')

function vectorLines({ active, building, problem }: VectorStatus): readonly string[] {
  const at = building ?? active
  return [
    ...(at === null
      ? []
      : [`vectors: ${at.embedded} of ${at.pieces} (${cell(at.provider)}/${cell(at.model)})`]),
    ...(problem === null
      ? []
      : [`Vectors have a problem: ${cell(problem.message)} To look further: holdfast ai status`]),
  ]
}

const noneFor = (isWide: boolean): string =>
  isWide
    ? 'Nothing has these words.'
    : 'Nothing in this project has these words. Everywhere: add --all-projects.'

function shown(
  io: Io,
  {
    source_type: type,
    source_path: path,
    line,
    heading,
    updated_at: at,
    project_path: folder,
    snippet: { text, marks },
    why,
  }: Found,
): string {
  const file = folder == null || path.startsWith('/') ? path : `${folder}/${path}`
  const inProject = folder == null ? '' : `, in ${folder}`
  const place = type === 'message' ? `session ${path}, message ${line}${inProject}` : `${file}:${line}`
  return [
    `${paint(io, 'bold', cell(place))}  ${paint(io, 'dim', `${type}, ${relativeTime(at)}`)}`,
    ...(heading === '' ? [] : [`  ${cell(heading)}`]),
    `  ${marked(io, cell(text), marks)}`,
    paint(io, 'dim', `  ${reasonOf(why)}`),
  ].join('\n')
}

function reasonOf({ method, has, in_heading: inHeading }: Found['why']): string {
  const heading = inHeading.length === 0 ? '' : `, in the heading: ${inHeading.join(', ')}`
  if (method === 'meaning') return 'near in meaning'
  return `has: ${has.join(', ')}${heading}${method === 'both' ? '; compared by meaning too' : ''}`
}

function marked(io: Io, text: string, marks: Snippet['marks']): string {
  let [at, result] = [0, '']
  for (const [from, to] of marks) {
    result += text.slice(at, from) + paint(io, 'yellow', text.slice(from, to))
    at = to
  }
  return result + text.slice(at)
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The moment that a user means with `--since`. */
export function momentOf(since: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(since) ?? []
  const time = count === undefined ? Date.parse(since) : Date.now() - Number(count) * (UNITS[unit] ?? 0)
  if (Number.isNaN(time))
    throw usage(`--since ${since} is neither a time such as 7d or 12h, nor a day such as 2026-01-31.`)
  return new Date(time).toISOString()
}
