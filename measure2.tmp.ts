import { readFileSync, readdirSync, statSync, mkdtempSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openSqlite } from './src/store/sqlite.ts'
import { openStore } from './src/store/store.ts'
import { upsertProject } from './src/store/project.ts'
import { replaceSource } from './src/store/search.ts'
import { remembered } from './src/store/memory.ts'
import { piecesOf } from './src/model/search/piece.ts'
import { titleOf } from './src/model/search/source.ts'
import { subjectsOf } from './src/model/search/request.ts'
const CORPUS = '/work/shared/corpus'
const walk = (dir: string): string[] =>
  readdirSync(dir).flatMap((n) => {
    const p = join(dir, n)
    if (['.git', 'node_modules', 'dist', 'plugin', 'out'].includes(n)) return []
    return statSync(p).isDirectory() ? walk(p) : p.endsWith('.md') ? [p] : []
  })
const store = await openStore(openSqlite(join(mkdtempSync('/tmp/recall-measure/db-'), 'e.db')), {
  clock: { now: Date.now },
})
const queries: any[] = []
const projects: number[] = []
for (const root of [
  ...readdirSync(CORPUS)
    .map((n) => join(CORPUS, n))
    .filter((p) => statSync(p).isDirectory()),
  '/tmp/wt/recall',
])
  await store.transact(async (tx) => {
    const row = (await upsertProject(tx, { path: root, name: root, now: '2026-01-01' } as never)) as any
    projects.push(row.id)
    for (const f of walk(root)) {
      let text = readFileSync(f, 'utf8')
      const fm = /^---\n([\s\S]*?)\n---\n/.exec(text)
      const desc =
        fm &&
        /description:\s*(?:[>|]-?\s*\n)?([\s\S]*?)(?=\n\w[\w-]*:|$)/
          .exec(fm[1] ?? '')?.[1]
          ?.replaceAll(/\s+/g, ' ')
          .replace(/^["']|["']$/g, '')
      if (fm) text = text.slice(fm[0].length)
      const path = relative(root, f)
      await replaceSource(
        tx,
        { project_id: row.id, source_type: 'doc', source_path: path, digest: 'x', at: '2026-01-01' },
        piecesOf(text, titleOf(path)),
      )
      if (desc && desc.length > 20) {
        queries.push(
          { project: row.id, path, kind: 'description', text: desc },
          { project: row.id, path, kind: 'first', text: desc.split(/[.;:—]\s|\s-\s/)[0] ?? '' },
        )
      }
    }
  })
let seed = 7
const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
const sample = queries
  .map((q) => ({ q, r: rnd() }))
  .sort((a, b) => a.r - b.r)
  .slice(0, 500)
  .map(({ q }) => q)
const own = projects.at(-1)!
const extra = JSON.parse(readFileSync('/tmp/recall-measure/own.json', 'utf8')).map((o: any) => ({
  ...o,
  project: own,
}))
const out: Record<string, [number, number]> = {}
const add = (k: string, hit: boolean) => {
  const o = (out[k] ??= [0, 0])
  o[0] += hit ? 1 : 0
  o[1]++
}
const hash = (s: string) => {
  let h = 0
  for (const c of s) h = (h * 31 + c.charCodeAt(0)) >>> 0
  return h
}
const times: number[] = []
for (const q of [...sample, ...extra])
  for (const p of q.kind.startsWith('own') ? [own] : projects) {
    const words = subjectsOf(q.text)
    const t = performance.now()
    const quotes =
      words.length < 2
        ? []
        : await store.transact((tx) => remembered(tx, { project_id: p, words, except: [] }), { reads: true })
    times.push(performance.now() - t)
    const half = hash(q.text) % 2 ? 'report' : 'choose'
    if (q.kind === 'own-unrelated') {
      add('own-unrelated', quotes.length > 0)
      if (quotes.length)
        console.log(
          'UNREL',
          q.text,
          quotes.map((x) => x.source_path + ': ' + x.has.join(',')),
        )
    } else if (q.kind === 'own-related') {
      add('own-related any', quotes.length > 0)
      add(
        'own-related right',
        quotes.some((x) => x.source_path.startsWith(q.path)),
      )
      if (!quotes.length) console.log('MISS', q.text)
    } else if (p === q.project) {
      add(`${q.kind} ${half} own any`, quotes.length > 0)
      add(
        `${q.kind} ${half} own right`,
        quotes.some((x) => x.source_path === q.path),
      )
    } else add(`${q.kind} ${half} other`, quotes.length > 0)
  }
for (const [k, [a, b]] of Object.entries(out).sort())
  console.log(k, `${a}/${b}`, ((100 * a) / b).toFixed(1) + '%')
times.sort((a, b) => a - b)
console.log(
  'ms p50',
  times[times.length >> 1]?.toFixed(1),
  'p99',
  times[Math.floor(times.length * 0.99)]?.toFixed(1),
)
await store.close()
