import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Text, textsIn } from '../bench/search-pairs.ts'
import { piecesOf } from '../src/model/search/piece.ts'
import { LEAST_WORDS } from '../src/model/search/relevance.ts'
import { subjectsOf } from '../src/model/search/request.ts'
import { titleOf } from '../src/model/search/source.ts'
import { remembered } from '../src/store/memory.ts'
import { upsertProject } from '../src/store/project.ts'
import { replaceSource } from '../src/store/search.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openStore } from '../src/store/store.ts'

/**
 * Asks each project below a folder with requests made of the descriptions of its own texts and of those of the others,
 * and counts how often a call would be told something: node scripts/memory-floor.ts FOLDER [REQUESTS]
 */
const [folder = '.', most = '20'] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'holdfast-floor-'))
const store = await openStore(openSqlite(join(home, 'engine.db')), { clock: { now: Date.now } })
const at = new Date().toISOString()

interface Asking {
  readonly id: number
  readonly requests: readonly { readonly text: string; readonly path: string }[]
}

const projects: Asking[] = []
for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true }).filter((one) =>
  one.isDirectory(),
))
  projects.push(await indexed(join(parentPath, name)))

const counts = { own: [0, 0], right: [0, 0], other: [0, 0] } satisfies Record<string, number[]>
for (const { id, requests } of projects)
  for (const { text, path } of requests)
    for (const into of projects) {
      const paths = await toldBy(into.id, text)
      const kind = into.id === id ? 'own' : 'other'
      count(kind, paths.length > 0)
      if (kind === 'own') count('right', paths.includes(path))
    }
for (const [kind, [told = 0, all = 0]] of Object.entries(counts))
  process.stdout.write(`${kind}: ${told} of ${all} (${Math.round((1000 * told) / all) / 10} %)\n`)
await store.close()
rmSync(home, { recursive: true })

function count(kind: keyof typeof counts, isTold: boolean): void {
  const [told = 0, all = 0] = counts[kind]
  counts[kind] = [told + Number(isTold), all + 1]
}

async function toldBy(project_id: number, text: string): Promise<readonly string[]> {
  const words = subjectsOf(text)
  if (words.length < LEAST_WORDS) return []
  const quotes = await store.transact((tx) => remembered(tx, { project_id, words, except: [] }), {
    reads: true,
  })
  return quotes.map(({ source_path: path }) => path)
}

/** Indexes the bodies of the texts; the first clauses of their descriptions are the requests. */
async function indexed(root: string): Promise<Asking> {
  const texts = await textsIn(root)
  const row = await store.transact((tx) => upsertProject(tx, { path: root, name: null, now: at }))
  const id = row?.id ?? 0
  for (const { path, body } of texts) {
    const source = { project_id: id, source_type: 'doc', source_path: path, digest: '', at }
    await store.transact((tx) => replaceSource(tx, source, piecesOf(body, titleOf(path))))
  }
  return { id, requests: spread(texts.filter(({ description }) => description.length > 20)).map(requestOf) }
}

/** Some of them, evenly spread, the same each time. */
function spread(texts: readonly Text[]): readonly Text[] {
  const step = Math.max(1, Math.floor(texts.length / Number(most)))
  return texts.filter((_, index) => index % step === 0).slice(0, Number(most))
}

function requestOf({ description, path }: Text) {
  return { text: description.split(/[.;:—]\s|\s-\s/)[0] ?? '', path }
}
