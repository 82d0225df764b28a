import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { parse } from 'yaml'
import { walk } from '../src/files/walk.ts'
import { readAll } from '../src/skills/read-all.ts'
import { scaffold } from '../src/skills/scaffold.ts'
import { atMost, median, type Row } from './measure.ts'
import { withFolder } from './processes.ts'

const SAMPLES = 600
const WANTED = /\.(md|ya?ml)$/i

/** Reading and checking many skills: those below SKILL_CORPUS where it is set, else ones that we make. */
export function skills(rounds: number): Promise<readonly Row[]> {
  return withFolder((folder) => {
    const given = process.env['SKILL_CORPUS']
    const root = given ?? makeSamples(folder)
    const paths = walk(root, WANTED)
    const times = {
      read: [] as number[],
      check: [] as number[],
      markdown: [] as number[],
      yaml: [] as number[],
    }
    for (let round = 0; round <= rounds; round++) measureOnce(root, paths, times)
    const files = `${paths.length} files${given === undefined ? ' of ours' : ''}`
    // The first round only warms up.
    const middle = (values: readonly number[]) => median(values.slice(1))
    const over = (what: keyof typeof times) =>
      median(times.check.slice(1).map((value, at) => value / (times[what][at + 1] ?? Number.NaN)))
    const row = (what: string, baseline: keyof typeof times): Row => ({
      name: 'skills',
      what,
      unit: 'ms',
      baseline: { what: BASELINES[baseline] ?? baseline, value: middle(times[baseline]) },
      p50: middle(times.check),
      ratio: over(baseline),
    })
    return Promise.resolve([
      { ...row(`read and checked, ${files}`, 'read'), target: atMost(15) },
      row('the same, over the parser', 'markdown'),
      row('the same, over the parser', 'yaml'),
    ])
  })
}

const BASELINES: Readonly<Record<string, string>> = {
  read: 'reading the files',
  markdown: 'bare markdown-it, blocks',
  yaml: 'bare yaml of the frontmatter',
}

type Times = Readonly<Record<'read' | 'check' | 'markdown' | 'yaml', number[]>>

function measureOnce(root: string, paths: readonly string[], times: Times): void {
  const timed = (into: number[], work: () => void) => {
    const start = performance.now()
    work()
    into.push(performance.now() - start)
  }
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
  timed(times.read, () => paths.forEach(textOf))
  timed(times.check, () => readAll(paths, { textOf }))
  const texts = paths.map(textOf)
  const parser = new MarkdownIt('commonmark')
  parser.core.ruler.disable(['inline', 'text_join'])
  timed(times.markdown, () => texts.forEach((text) => parser.parse(text, {})))
  const fronts = texts.flatMap((text) => /^---\n(.*?)\n---/s.exec(text)?.[1] ?? [])
  timed(times.yaml, () => fronts.forEach(tryYaml))
}

function tryYaml(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    return error
  }
}

function makeSamples(folder: string): string {
  for (let index = 0; index < SAMPLES; index++) {
    const name = `sample-${index}`
    for (const [path, text] of Object.entries(scaffold(name, index % 2 === 0 ? 'steps' : 'phases'))) {
      const file = join(folder, name, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${text}\n${'Some more words about how it is done.\n\n'.repeat(index % 60)}`)
    }
  }
  return folder
}
