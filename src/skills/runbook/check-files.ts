import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import { itemsOf, pathIn, type Runbook } from '../../model/runbook/runbook.ts'
import { blocksIn, type Lines, placeOf, textLines } from './fields.ts'
import type { Sections } from './sections.ts'

const EXTENSIONS = 'cfg|cjs|css|go|html|ini|java|js|json|jsx|md|mjs|mts|py|rb|rs|sh|sql|toml|ts|tsx|txt|ya?ml'
const REFERENCE = new RegExp(
  String.raw`\`(\.?[A-Za-z][\w.-]*\/[\w./-]*\.(?:${EXTENSIONS}))(?::\d+(?:-\d+)?)?\``,
  'g',
)
/** Words before a path that say that the work creates it, with no other code between. */
const MAKES = /\b(?:creat|writ|mkdir|generat|add|new)[^`]*$/i
/** How far before a path such a word may stand; longer texts would take quadratic time. */
const NEAR = 200
const REPORTS = /^plans\/[^/]+\/reports\//

/** References to files that nobody has and no step makes, each at its first place. */
export function checkFiles(
  runbook: Runbook,
  { phases, loose, context }: Sections,
  exists: ((path: string) => boolean) | undefined,
): readonly Diagnostic[] {
  if (exists === undefined) return []
  const reports = new Set(itemsOf(runbook).map(({ reportPath }) => reportPath))
  const known = new Set<string>(runbook.files)
  const items = [...loose, ...phases.flatMap((phase) => phase.items)]
  const sections: readonly Lines[] = [
    ...context,
    ...phases.map(({ intro }) => intro),
    ...items.map(({ lines }) => lines),
  ]
  const found: {
    readonly path: string
    readonly isMade: boolean
    readonly lines: Lines
    readonly line: number
  }[] = []
  for (const lines of sections)
    for (const { text, line } of textLines(blocksIn(lines)))
      for (const match of text.matchAll(REFERENCE)) {
        const [, path = ''] = match
        found.push({
          path,
          isMade: MAKES.test(text.slice(Math.max(0, match.index - NEAR), match.index)),
          lines,
          line,
        })
      }
  for (const { path, isMade } of found) if (isMade) known.add(path)
  return found.flatMap(({ path, lines, line }) => {
    const isThere =
      known.has(path) ||
      reports.has(path) ||
      REPORTS.test(path) ||
      path.startsWith(pathIn(runbook, 'reports/')) ||
      exists(path) ||
      exists(pathIn(runbook, path))
    known.add(path)
    return isThere
      ? []
      : [
          diagnose(
            'HF415',
            placeOf(lines.part, line, path),
            `${path} does not exist, and no step says that it creates it.`,
          ),
        ]
  })
}
