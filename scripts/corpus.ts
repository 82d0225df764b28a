import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from '../src/model/diagnostic.ts'
import { findCandidates, SKILL_FILES } from '../src/skills/find.ts'
import { readSkill } from '../src/skills/skill-md.ts'

/** Reads every skill below a folder and counts what was found: `npm run corpus -- FOLDER`. */
const [root = '.'] = process.argv.slice(2)
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
  SKILL_FILES.test(path),
)
const started = performance.now()
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const readMilliseconds = performance.now() - started
const parsed = findCandidates(paths).map((candidate) => {
  const prefix = candidate.folder === '.' ? 0 : candidate.folder.length + 1
  const others = new Map(candidate.others.map((path) => [path.slice(prefix), texts.get(path) ?? '']))
  return readSkill({ ...candidate, text: texts.get(candidate.file) ?? '', others })
})
const parseMilliseconds = performance.now() - started - readMilliseconds

const count = <T>(list: readonly T[], key: (item: T) => string) =>
  Object.fromEntries(
    [...Map.groupBy(list, key)]
      .map(([name, items]) => [name, items.length])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
const diagnostics: readonly Diagnostic[] = parsed.flatMap((one) => one.diagnostics)
const report = {
  files: paths.length,
  found: count(parsed, ({ definition }) => definition.kind),
  plans: count(
    parsed.filter(({ definition }) => definition.kind === 'skill'),
    ({ definition }) =>
      definition.plan === undefined
        ? 'none'
        : `${definition.plan.notation}${definition.plan.explicit ? ', explicit' : ''}`,
  ),
  diagnostics: count(diagnostics, ({ code }) => code),
  read_ms: Math.round(readMilliseconds),
  parse_ms: Math.round(parseMilliseconds),
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
if (process.argv.includes('--list'))
  for (const one of diagnostics)
    process.stdout.write(`${one.file}:${one.line}:${one.column} ${one.code} ${one.message}\n`)
