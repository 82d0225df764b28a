import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { clients } from '../src/clients/index.ts'
import { diskAt } from '../src/cli/skill/disk.ts'
import { walk } from '../src/files/walk.ts'
import type { Parsed } from '../src/model/plan/definition.ts'
import { findCandidates, SKILL_FILES, STEP_PATH } from '../src/skills/find.ts'
import { readFrontmatter } from '../src/skills/text/frontmatter.ts'
import { readAll } from '../src/skills/read-all.ts'
import { pointersOf } from '../src/skills/notations/steps-folder.ts'
import { sourceText } from '../src/skills/text/text.ts'
import { chainsAmong } from './corpus-chains.ts'
import { overlaysAmong, proposalsAmong } from './corpus-overlays.ts'
import { score } from './corpus-score.ts'

/** Reads every skill in a folder as `holdfast skill check` does and prints counts: `npm run corpus -- FOLDER [--list] [--labels] [--chains]`. */
const root = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '.'
const started = performance.now()
const { files: paths } = await walk(root, SKILL_FILES)
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const readMilliseconds = performance.now() - started
const textOf = (path: string) => texts.get(path) ?? ''
/** Nothing above the corpus belongs to its repositories. */
const disk = { ...diskAt(root, process.env), above: 0 }
const exceptions: string[] = []
const parsed = readGuarded(paths)
const parseMilliseconds = performance.now() - started - readMilliseconds

const folderOf = (path: string) => path.split('/').slice(0, -1).join('/')
const isStepFile = (path: string) => STEP_PATH.test(path.split('/').slice(-2).join('/'))
const named = new Set(paths.filter((path) => /^SKILL\.md$/i.test(basename(path))))
const stepFiles = paths.filter(isStepFile)
const loose = readLoose()
const diagnostics = [...parsed, ...loose].flatMap((one) => one.diagnostics)
const ofKind = (kind: string) => parsed.filter(({ definition }) => definition.kind === kind)
const skills = ofKind('skill')
const contracts = [...skills, ...loose].filter(({ definition }) =>
  definition.plan?.steps.some(({ consumes, produces }) => consumes.length + produces.length > 0),
)
const dangling = diagnostics.filter(({ code }) => code === 'HF312').length

const report = {
  files: paths.length,
  skill_md: named.size,
  skills: skills.length,
  // A command can be named "skill": commands/skill.md.
  skill_md_that_are_commands: ofKind('command').filter(({ definition }) => named.has(definition.file)).length,
  frontmatter: {
    skills: frontmatterOf(parsed.filter(({ definition }) => named.has(definition.file))),
    commands: frontmatterOf(ofKind('command')),
    agents: frontmatterOf(ofKind('agent')),
  },
  commands: ofKind('command').length,
  agents: ofKind('agent').length,
  step_files: {
    all: stepFiles.length,
    folders: new Set(stepFiles.map(folderOf)).size,
    without_skill: loose.length,
  },
  next_pointers: { resolved: pointers() - dangling, dangling },
  contracts: {
    parsed: contracts.reduce((sum, { definition }) => sum + (definition.plan?.steps.length ?? 0), 0),
    plans: contracts.map(({ definition, diagnostics: found }) => ({
      folder: definition.folder,
      steps: definition.plan?.steps.length,
      acyclic: !found.some(({ code }) => code === 'HF313' || code === 'HF309'),
    })),
  },
  plans: count(skills, ({ definition: { plan } }) =>
    plan === undefined ? 'none' : `${plan.notation}${plan.explicit ? ', explicit' : ''}`,
  ),
  diagnostics: count(diagnostics, ({ code }) => code),
  package_overlays: overlaysAmong(paths, textOf),
  proposals: proposalsAmong(paths, textOf),
  exceptions: exceptions.length,
  read_ms: Math.round(readMilliseconds),
  parse_ms: Math.round(parseMilliseconds),
}
const labelled = score('labels', parsed, textOf)
const unseen = score('unseen', parsed, textOf)
const chains = process.argv.includes('--chains') ? chainsAmong(paths, textOf, parsed) : undefined
const scores = {
  labelled: labelled?.summary ?? null,
  unseen: unseen?.summary ?? null,
  chains: chains?.summary,
}
process.stdout.write(`${JSON.stringify({ ...report, ...scores }, null, 2)}\n`)
if (process.argv.includes('--labels'))
  for (const line of [...(labelled?.details ?? []), ...(unseen?.details ?? [])])
    process.stdout.write(`${line}\n`)
if (process.argv.includes('--list'))
  for (const one of diagnostics)
    process.stdout.write(`${one.file}:${one.line}:${one.column} ${one.code} ${one.message}\n`)
for (const line of chains?.details ?? []) process.stdout.write(`${line}\n`)
for (const one of exceptions) process.stderr.write(`${one}\n`)
const complete = skills.length + report.skill_md_that_are_commands === named.size
if (!complete) process.stderr.write('A SKILL.md produced no skill.\n')
if (exceptions.length > 0 || !complete) process.exitCode = 1

/** Reads all skills at once; if that throws, reads them one by one to name the cause. */
function readGuarded(wanted: readonly string[]): readonly Parsed[] {
  try {
    return readAll(wanted, { textOf, clients, disk })
  } catch {
    return findCandidates(wanted, { clients }).flatMap(({ file, others }) => {
      try {
        return readAll([file, ...others], { textOf, clients, disk }).slice(0, 1)
      } catch (error) {
        exceptions.push(`${file}: ${String(error)}`)
        return []
      }
    })
  }
}

/** Reads step folders without a SKILL.md as if they had one. */
function readLoose(): readonly Parsed[] {
  const owned = new Set([...named].map(folderOf))
  const owners = [...new Set(stepFiles.map((path) => folderOf(folderOf(path))))].filter(
    (folder) => !owned.has(folder),
  )
  const mains = new Map(
    owners.map((folder) => [join(folder, 'SKILL.md'), textOf(join(folder, 'workflow.md'))] as const),
  )
  for (const [main, text] of mains) texts.set(main, text)
  const parts = stepFiles.filter((path) => mains.has(join(folderOf(folderOf(path)), 'SKILL.md')))
  return readGuarded([...mains.keys(), ...parts])
    .filter(({ definition }) => mains.has(definition.file))
    .map(({ definition, diagnostics: found }) => ({
      definition,
      diagnostics: found.filter(({ file }) => file !== definition.file),
    }))
}

function pointers(): number {
  return stepFiles.reduce(
    (sum, path) => sum + pointersOf(readFrontmatter(sourceText(path, textOf(path)))).length,
    0,
  )
}

/** Counts strict, recovered (line by line) and derived frontmatter; fenced frontmatter counts as derived. */
function frontmatterOf(list: readonly Parsed[]) {
  return count(list, ({ definition, diagnostics: found }) => {
    const codes = new Set(found.filter(({ file }) => file === definition.file).map(({ code }) => code))
    if (codes.has('HF101')) return 'recovered'
    return codes.has('HF103') || Object.keys(definition.fields).length === 0 ? 'derived' : 'strict'
  })
}

function count<T>(list: readonly T[], key: (item: T) => string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(list, key)]
      .map(([name, items]) => [name, items.length] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
