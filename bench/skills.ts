import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { parse } from 'yaml'
import { clients } from '../src/clients/index.ts'
import { NodeSkillFolders } from '../src/files/skill-folders.ts'
import { walk } from '../src/files/walk.ts'
import { SKILL_FILES } from '../src/skills/find.ts'
import { readAll } from '../src/skills/read-all.ts'
import { scaffold } from '../src/skills/scaffold.ts'
import { atMost, median, type Row } from './measure.ts'
import { withFolder } from './processes.ts'

const SAMPLES = 600

/** Reads and checks many skills: those in SKILL_CORPUS if it is set, else generated ones. */
export function skills(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const given = process.env['SKILL_CORPUS']
    const root = given ?? makeSamples(join(folder, 'samples'))
    const { files: paths } = await walk(root, SKILL_FILES)
    const project = copyAll(join(folder, 'project'), root, paths)
    const times: Times = { read: [], check: [], markdown: [], yaml: [], cold: [], warm: [] }
    for (let round = 0; round <= rounds; round++) {
      await measureParsers(root, paths, times)
      await measureFolders(project, times)
    }
    const megabytes = paths.reduce((sum, path) => sum + readFileSync(join(root, path)).length, 0) / 1e6
    const files = `${paths.length} ${given === undefined ? 'generated ' : ''}files, ${megabytes.toFixed(1)} MB`
    const row = (what: string, ours: keyof Times, baseline: keyof Times): Row => ({
      name: 'skills',
      what,
      unit: 'ms',
      baseline: { what: BASELINES[baseline] ?? baseline, value: middle(times[baseline]) },
      p50: middle(times[ours]),
      ratio: median(rest(times[ours]).map((value, at) => value / (rest(times[baseline])[at] ?? Number.NaN))),
    })
    return [
      { ...row(`read and checked, ${files}`, 'check', 'read'), target: atMost(15) },
      row('the same, over the parser', 'check', 'markdown'),
      row('the same, over the parser', 'check', 'yaml'),
      {
        name: 'skills',
        what: 'checked per second',
        unit: 'MB/s',
        p50: (megabytes * 1000) / middle(times.check),
      },
      row('found by a daemon with an empty cache', 'cold', 'read'),
      { ...row('found by a daemon with a full cache', 'warm', 'read'), target: atMost(2) },
    ]
  })
}

const BASELINES: Readonly<Record<string, string>> = {
  read: 'reading the files',
  markdown: 'bare markdown-it, blocks',
  yaml: 'bare yaml of the frontmatter',
}

type Times = Readonly<Record<'read' | 'check' | 'markdown' | 'yaml' | 'cold' | 'warm', number[]>>

/** The first round only warms up. */
const rest = (values: readonly number[]) => values.slice(1)
const middle = (values: readonly number[]) => median(rest(values))

async function timed<T>(into: number[], work: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  into.push(performance.now() - start)
  return result
}

async function measureParsers(root: string, paths: readonly string[], times: Times): Promise<void> {
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
  await timed(times.read, () => paths.forEach(textOf))
  await timed(times.check, () => readAll(paths, { textOf, clients }))
  const texts = paths.map(textOf)
  const parser = new MarkdownIt('commonmark')
  parser.core.ruler.disable(['inline', 'text_join'])
  await timed(times.markdown, () => texts.forEach((text) => parser.parse(text, {})))
  const fronts = texts.flatMap((text) => /^---\n(.*?)\n---/s.exec(text)?.[1] ?? [])
  await timed(times.yaml, () => fronts.forEach(tryYaml))
}

/** Reads all skills as the daemon does, and again without a change. */
async function measureFolders(project: string, times: Times): Promise<void> {
  const user = { home: join(project, 'nowhere'), clients: new Map() }
  const folders = new NodeSkillFolders({ user, clients, overlays: '/nowhere/skills', version: '' })
  const { skills: found } = await timed(times.cold, () => folders.read(project, new Map()))
  const known = new Map(found.map(({ id, digest }) => [id, digest]))
  const again = await timed(times.warm, () => folders.read(project, known))
  if (again.skills.some(({ parsed }) => parsed !== undefined))
    throw new Error('An unchanged skill was parsed again.')
}

/** Copies all skills into a project under new names, because many names collide. */
function copyAll(project: string, root: string, paths: readonly string[]): string {
  const target = join(project, '.claude', 'skills')
  mkdirSync(target, { recursive: true })
  for (const [index, path] of paths.filter((one) => /(^|\/)SKILL\.md$/i.test(one)).entries())
    cpSync(join(root, dirname(path)), join(target, `skill-${index}`), { recursive: true })
  return project
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
