import { type Diagnostic, DIAGNOSTICS, type DiagnosticCode, type Severity } from '../model/diagnostic.ts'
import type { Io } from './io.ts'
import { cell, paint } from './print.ts'

const STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** Diagnostics as a good compiler prints them: place, code, sentence, the line with a caret, what to do. */
export function describeDiagnostics(
  io: Io,
  diagnostics: readonly Diagnostic[],
  lines: (file: string) => readonly string[],
  root: string,
): readonly string[] {
  return diagnostics.map((one) => {
    const where = `${root === '' ? '' : `${root}/`}${one.file}:${one.line}:${one.column}`
    const line = cell(lines(one.file)[one.line - 1] ?? '').slice(0, 160)
    const number = String(one.line)
    const gutter = ' '.repeat(number.length)
    return [
      `${paint(io, 'bold', where)}: ${paint(io, STYLES[one.severity], `${one.severity} ${one.code}`)}: ${cell(one.message)}`,
      ...(line.trim() === ''
        ? []
        : [
            `${paint(io, 'dim', `${number} |`)} ${line}`,
            `${paint(io, 'dim', `${gutter} |`)} ${' '.repeat(Math.max(0, one.column - 1))}${paint(io, STYLES[one.severity], '^')}`,
          ]),
      `${gutter} = hint: ${one.hint}`,
      '',
    ].join('\n')
  })
}

export function countOf(io: Io, skills: number, diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length
  const notes = count('info') === 0 ? [] : [`${count('info')} notes (--notes prints them)`]
  const parts = [
    `${skills} ${skills === 1 ? 'skill' : 'skills'}`,
    `${count('error')} errors`,
    `${count('warning')} warnings`,
    ...notes,
  ]
  return paint(io, count('error') > 0 ? 'red' : 'green', parts.join(', '))
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** SARIF 2.1.0, the form in which code hosts take findings. */
export function sarif(diagnostics: readonly Diagnostic[]) {
  const codes = Object.keys(DIAGNOSTICS) as DiagnosticCode[]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'holdfast',
            rules: codes.map((id) => ({
              id,
              shortDescription: { text: DIAGNOSTICS[id].title },
              help: { text: DIAGNOSTICS[id].hint },
              defaultConfiguration: { level: LEVELS[DIAGNOSTICS[id].severity] },
            })),
          },
        },
        results: diagnostics.map(({ code, severity, message, file, line, column, hint }) => ({
          ruleId: code,
          ruleIndex: codes.indexOf(code),
          level: LEVELS[severity],
          message: { text: `${message} ${hint}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  }
}
