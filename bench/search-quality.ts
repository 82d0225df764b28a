import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { aligned } from './table.ts'
import { withFolder } from './processes.ts'
import { bm25, type Method, ours } from './search-methods.ts'
import {
  descriptionPairs,
  headingPairs,
  isUnspacedText,
  numbersFrom,
  remarkPairs,
  type Pair,
  type PairSet,
  sessionPairs,
  type Text,
  textOf,
  textsIn,
} from './search-pairs.ts'

const SEED = 20_261_119
/** Of each set, every second pair is kept for choosing. */
const MOST_PAIRS = 1000
const RESAMPLES = 1000
const FEW_SHARED = 0.5

/** Which half of the pairs is used: numbers are chosen by one and reported by the other. */
export type Half = 'choosing' | 'reporting'

/** How well each method finds what texts were made from, as a table. */
export async function quality(folder: string | undefined, half: Half): Promise<string> {
  const sets = folder === undefined ? await ownSets() : await setsOf('', await textsIn(folder))
  const lines: (readonly string[])[] = []
  for (const set of sets) lines.push(...(await linesOf(set, half)))
  return aligned([HEAD, ...lines])
}

const HEAD = [
  'set',
  'questions',
  'method',
  'R@1',
  'R@5',
  'R@10',
  'MRR@10',
  'over BM25, 95 %',
  'few shared words',
]

async function setsOf(name: string, texts: readonly Text[]): Promise<readonly PairSet[]> {
  return [
    headingPairs(`${name}headings`, texts, MOST_PAIRS * 2, SEED),
    descriptionPairs(`${name}descriptions`, texts, MOST_PAIRS * 2, SEED),
    sessionPairs(`${name}sessions`, texts, MOST_PAIRS * 2, SEED),
  ].flatMap(byScript)
}

/** Languages without spaces between words get rows of their own, because plain BM25 hardly finds them. */
function byScript(set: PairSet): readonly PairSet[] {
  const [others, spaced] = [true, false].map((is) =>
    set.pairs.filter(({ question }) => isUnspacedText(question) === is),
  )
  return [
    { ...set, pairs: spaced ?? [] },
    { ...set, name: `${set.name}, CJK`, pairs: others ?? [] },
  ].filter(({ pairs }) => pairs.length >= 20)
}

/** The documents of this project and the READMEs of its packages. */
async function ownSets(): Promise<readonly PairSet[]> {
  const root = join(import.meta.dirname, '..')
  const files = (pattern: string) =>
    execFileSync('git', ['-C', root, 'ls-files', '-z', '--', pattern], { encoding: 'utf8' })
      .split('\0')
      .filter((path) => path !== '')
  const docs = files('*.md').map((path) => textOf(path, readFileSync(join(root, path), 'utf8')))
  const readmes = await readmesIn(join(root, 'node_modules'))
  return [
    ...(await setsOf('docs: ', docs)),
    ...(await setsOf('READMEs: ', readmes)),
    commitPairs(root, docs),
  ].filter(({ pairs }) => pairs.length > 0)
}

/** With what the manifest of a package says as the description. */
async function readmesIn(folder: string): Promise<readonly Text[]> {
  const texts = await textsIn(folder, /^readme\.md$/i)
  return texts.map((text) => {
    const manifest = join(folder, text.path, '..', 'package.json')
    try {
      const { description = '' } = JSON.parse(readFileSync(manifest, 'utf8')) as { description?: string }
      return { ...text, description, body: text.body.replaceAll(description, '') }
    } catch {
      return text
    }
  })
}

/** The subject of a commit asks for the one document that it changed. */
function commitPairs(root: string, docs: readonly Text[]): PairSet {
  const log = execFileSync('git', ['-C', root, 'log', '--no-merges', '--format=%x01%s', '--name-only'], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  const remarks = log.split('\u0001').flatMap((entry) => {
    const [remark = '', ...paths] = entry.split('\n').filter((line) => line !== '')
    const [path, ...others] = paths.filter((one) => one.endsWith('.md') && one !== 'CHANGELOG.md')
    return path === undefined || others.length > 0 ? [] : [{ remark: remark.replace(/^[^:]+: /, ''), path }]
  })
  return remarkPairs('commits', docs, remarks, MOST_PAIRS * 2, SEED)
}

async function linesOf(set: PairSet, half: Half): Promise<readonly (readonly string[])[]> {
  const pairs = set.pairs.filter((_, at) => (at % 2 === 0) === (half === 'choosing'))
  return await withFolder(async (folder) => {
    const methods: readonly (readonly [string, Method])[] = [
      ['BM25 of the text', bm25(set, 'text')],
      ['BM25 with headings', bm25(set, 'headings and text')],
      ['holdfast', await ours(set, folder)],
    ]
    const lines: (readonly string[])[] = []
    const bases: (readonly number[])[] = []
    for (const [name, find] of methods) {
      const ranks = await ranksOf(pairs, find)
      const scores = ranks.map((rank) => (rank <= MOST_RANK ? 1 / rank : 0))
      const within = (most: number) => mean(ranks.map((rank) => (rank <= most ? 1 : 0))).toFixed(3)
      const few = scores.filter((_, at) => (pairs[at]?.overlap ?? 1) < FEW_SHARED)
      lines.push([
        set.name,
        String(pairs.length),
        name,
        ...[1, 5, 10].map(within),
        mean(scores).toFixed(3),
        bases.map((base) => interval(scores, base)).join(' and '),
        `${mean(few).toFixed(3)} (${few.length})`,
      ])
      if (bases.length < 2) bases.push(scores)
    }
    return lines
  })
}

const MOST_RANK = 10

/** The place of the first passage that answers each question, counted in different answers. */
async function ranksOf(pairs: readonly Pair[], find: Method): Promise<readonly number[]> {
  const ranks: number[] = []
  for (const { question, target } of pairs) {
    const answers = [...new Set((await find(question)).map((passage) => passage.target))]
    const at = answers.indexOf(target)
    ranks.push(at === -1 ? Infinity : at + 1)
  }
  return ranks
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The mean difference, and where it lies in 95 of 100 samples of the same questions. */
function interval(scores: readonly number[], base: readonly number[]): string {
  const differences = scores.map((score, at) => score - (base[at] ?? 0))
  const next = numbersFrom(SEED)
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(differences.map(() => differences[Math.floor(next() * differences.length)] ?? 0)),
  ).toSorted((a, b) => a - b)
  const [low, high] = [means[Math.floor(RESAMPLES * 0.025)] ?? 0, means[Math.floor(RESAMPLES * 0.975)] ?? 0]
  return `${signed(mean(differences))} [${signed(low)}, ${signed(high)}]`
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`
