import type { Row } from './measure.ts'

const HEAD = ['bench', 'what', 'baseline', 'p50', 'p99', 'ratio', 'target', 'verdict']

export function table(rows: readonly Row[]): string {
  return aligned([HEAD, ...rows.map(cells)])
}

/** Lines of cells in columns; the first line is the head. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

function cells(row: Row): readonly string[] {
  const { name, what, baseline, ratio, target, unit } = row
  if (row.skipped !== undefined) return [name, what, '', '', '', '', '', verdict(row)]
  return [
    name,
    what,
    baseline === undefined ? '' : `${baseline.what} ${figure(baseline.value)} ${unit}`,
    `${figure(row.p50)} ${unit}`,
    row.p99 === undefined ? '' : `${figure(row.p99)} ${unit}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    target === undefined
      ? ''
      : `${target.at === 'most' ? '≤' : '≥'} ${target.value}${ratio === undefined ? ` ${unit}` : '×'}`,
    verdict(row),
  ]
}

/** Whether the target is met, or by how many percent it is missed. */
export function verdict({ target, ratio, p50, skipped }: Row): string {
  if (skipped !== undefined) return `skipped: ${skipped}`
  if (target === undefined) return ''
  const value = ratio ?? p50
  const excess = target.at === 'most' ? value / target.value - 1 : 1 - value / target.value
  return excess <= 0 ? 'met' : `missed by ${Math.max(1, Math.round(excess * 100))} %`
}

const figure = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
