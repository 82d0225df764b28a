import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needsOf } from '../src/cli/catalogue/list.ts'
import type { Shipped } from '../src/model/catalogue.ts'

const [BEGIN, END] = ['begin', 'end'].map(
  (part) => `<!-- catalogue: ${part}; made by \`npm run generate\` -->`,
)

/** A page of the repository with its table of shipped skills as they are now. */
export function withCatalogue(path: string, table: string): string {
  const page = readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  const [before, rest = ''] = page.split(`${BEGIN}\n`)
  const [old, after] = rest.split(`${END}\n`)
  if (old === undefined || after === undefined) throw new Error(`${path} has no place for the catalogue.`)
  return `${before}${BEGIN}\n\n${table}\n\n${END}\n${after}`
}

const inCell = (text: string): string => text.replaceAll('|', '\\|')

/** Everything that the catalogue says. */
export const wholeTable = (all: readonly Shipped[]): string =>
  [
    '| skill | what it does | steps | tokens | in one step | needs | leaves |',
    '|---|---|---|---|---|---|---|',
    ...all.map((one) => {
      const { name, summary, steps, tokens, largest, leaves } = one
      const cells = [
        `\`${name}\``,
        summary,
        steps === 0 ? '' : steps,
        tokens,
        largest,
        needsOf(one),
        leaves ?? '',
      ]
      return `| ${cells.map((cell) => inCell(String(cell))).join(' | ')} |`
    }),
  ].join('\n')

/** One line per skill. */
export const shortTable = (all: readonly Shipped[]): string =>
  [
    '| skill | what it does | tokens |',
    '|---|---|---|',
    ...all.map(({ name, summary, tokens }) => `| \`${name}\` | ${inCell(summary)} | ${tokens} |`),
  ].join('\n')
