import type { Parsed } from '../../model/plan/definition.ts'
import {
  type Diagnostic,
  DIAGNOSTICS,
  type DiagnosticCode,
  type Severity,
  trustHint,
} from '../../model/diagnostic.ts'
import { detailsOf, type Trust } from '../../model/skill.ts'
import { shellWord } from '../../model/shell/word.ts'
import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Io } from '../frame/io.ts'
import { counted, listed } from '../../model/text/line.ts'
import { cell, paint } from '../frame/print.ts'
import { widthOf } from '../frame/wrap.ts'
import type { Skills } from './read.ts'

/** The command for a project without a skill that can be enforced. */
export const NEW_SKILL = 'holdfast skill new NAME --notation steps'

/** What commands say where there is no skill. */
/** Said if a search found nothing; a search in one folder may be the reason. */
export const noneFound = (all: boolean): string =>
  all
    ? 'No skill found. Create one: holdfast skill new NAME'
    : 'No skill found below this folder. Those of your client: holdfast skill list --all'

/** How many skills `skill adopt` could hold. */
export const canBeHeld = (count: number): string =>
  `${counted(count, 'skill')} can be held to ${count === 1 ? 'its' : 'their'} own steps`

const STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** Formats diagnostics: position, code, message, excerpt with a caret, and hint. */
export function describeDiagnostics(
  io: Io,
  diagnostics: readonly Diagnostic[],
  { root, lines }: Pick<Skills, 'root' | 'lines'>,
): readonly string[] {
  return diagnostics.map((one) => {
    const where = `${fromHere(io, root, one.file)}:${one.line}:${one.column}`
    const number = String(one.line)
    const gutter = ' '.repeat(number.length)
    const room = io.isTerminal ? io.width - number.length - GUTTER : LONGEST_LINE
    const { line, before } = excerpt(lines(one.file)[one.line - 1] ?? '', one.column, room)
    return [
      `${paint(io, 'bold', where)}: ${paint(io, STYLES[one.severity], `${one.severity} ${one.code}`)}: ${cell(one.message)}`,
      ...(line.trim() === ''
        ? []
        : [
            `${paint(io, 'dim', `${number} |`)} ${line}`,
            `${paint(io, 'dim', `${gutter} |`)} ${' '.repeat(widthOf(before))}${paint(io, STYLES[one.severity], '^')}`,
          ]),
      `${gutter} = hint: ${one.hint}`,
      '',
    ].join('\n')
  })
}

/** Sorts the diagnostics of each file by position. */
export const inOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  [...Map.groupBy(diagnostics, ({ file }) => file).values()].flatMap((ofFile) =>
    ofFile.toSorted((a, b) => a.line - b.line || a.column - b.column),
  )

/** A path relative to the current folder. */
const fromHere = (io: Io, root: string, file: string): string => relative(io.cwd, resolve(root, file)) || file

const LONGEST_LINE = 160
/** The share of a long line that is shown before the caret. */
const BEFORE_THE_CARET = 5 / 8
/** The columns of ` | ` and of the ellipsis. */
const GUTTER = 4

/** A line, or a part of a long line, and the text before the caret. */
function excerpt(
  text: string,
  column: number,
  room: number,
): { readonly line: string; readonly before: string } {
  const most = Math.min(LONGEST_LINE, room)
  const from = column <= most ? 0 : column - 1 - Math.floor(most * BEFORE_THE_CARET)
  const cut = from === 0 ? '' : '…'
  const line = `${cut}${cell(text.slice(from, from + most))}`
  return { line, before: line.slice(0, cut.length + column - 1 - from) }
}

/** Whether a definition has a row of its own: every skill, and commands that have a plan. */
export const isListed = ({ definition: { kind, plan } }: Parsed): boolean =>
  kind === 'skill' || (kind === 'command' && plan !== undefined)

/** Why skills without a plan are not enforceable, in one line; empty if each has one. */
export function withoutPlan(parsed: readonly Parsed[], adoptable?: string): readonly string[] {
  const bare = parsed.filter(
    (one) => one.definition.kind === 'skill' && one.definition.plan === undefined && !hasUnrunWorkflow(one),
  )
  const names = bare.map(({ definition }) => definition.id)
  if (names.length === 0) return []
  const are = names.length === 1 ? 'is not enforceable: it has' : 'are not enforceable: they have'
  const next = adoptable === undefined ? `Create an example: ${NEW_SKILL}` : toAdopt(adoptable)
  return [`${listed(names, ROOM)} ${are} no plan. ${next}`]
}

/** The command that holds a skill which could be held. */
export const toAdopt = (id: string): string =>
  `Hold a skill that could be: holdfast skill adopt ${shellWord(id)}`

const ROOM = 200

/** The summary line of a check. */
export function countOf(
  io: Io,
  parsed: readonly Parsed[],
  { diagnostics, showsNotes }: { diagnostics: readonly Diagnostic[]; showsNotes: boolean },
): string {
  const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length
  const kinds = (kind: Parsed['definition']['kind']) =>
    parsed.filter(({ definition }) => definition.kind === kind).length
  const parts = [
    counted(kinds('skill'), 'skill'),
    ...(['command', 'agent'] as const).flatMap((kind) =>
      kinds(kind) === 0 ? [] : [counted(kinds(kind), kind)],
    ),
    counted(count('error'), 'error'),
    counted(count('warning'), 'warning'),
    ...(count('info') === 0
      ? []
      : [`${counted(count('info'), 'note')}${showsNotes ? '' : ' (print them with --notes)'}`]),
  ]
  return paint(io, count('error') > 0 ? 'red' : 'green', parts.join(', '))
}

export type Distrust = Exclude<Trust, 'trusted'>

/** Why the workflow module of a skill does not hold it; undefined if it does, or if there is none. */
export function distrustIn(
  { definition, diagnostics }: Parsed,
  { trust }: Pick<Skills, 'trust'>,
): Distrust | undefined {
  const known = trust.get(definition.file) ?? 'untrusted'
  return hasUnrunWorkflow({ diagnostics }) && known !== 'trusted' ? known : undefined
}

/** Whether a skill has a workflow module that was not run, so that its plan is not known. */
const hasUnrunWorkflow = ({ diagnostics }: Pick<Parsed, 'diagnostics'>): boolean =>
  diagnostics.some(({ code }) => code === 'HF208')

/** The command for the first skill that its workflow module would hold, if it were trusted. */
export function toTrust(parsed: readonly Parsed[], found: Pick<Skills, 'trust'>): readonly string[] {
  const first = parsed.find((one) => distrustIn(one, found) !== undefined)
  return first === undefined ? [] : [trustHint(shellWord(first.definition.id))]
}

/** What commands tell of a skill. */
export function summaryOf(parsed: Parsed, { scopes }: Skills) {
  const { id, name, description, file } = parsed.definition
  const { notation, steps, enforceable, errors, warnings, continuation } = detailsOf(parsed)
  const scope = scopes.get(file) ?? null
  return {
    id,
    name,
    scope,
    file,
    plan: notation,
    chain: continuation?.cooperative === true ? 'cooperative' : 'wrapped',
    steps,
    enforceable,
    errors,
    warnings,
    description,
  }
}

/** The properties of a skill besides its plan; empty ones are not shown. */
export function factsOf(io: Io, root: string, { definition, diagnostics }: Parsed) {
  const { argumentHint, allowedTools, requiredTodos, leadsTo, directives, plan } = definition
  const file = fromHere(io, root, definition.file)
  const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length
  const isClean = count('error') + count('warning') === 0
  return {
    file,
    arguments: argumentHint,
    tools: allowedTools.join(', '),
    todos: requiredTodos.join(', '),
    next: [...new Set(leadsTo.map(({ name }) => name))].join(', '),
    directives: directives.join(', '),
    inputs: plan?.inputs?.join(', '),
    variables: Object.entries(plan?.variables ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
    hold: plan?.hold,
    problems: isClean
      ? ''
      : `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}: holdfast skill check ${file}`,
  }
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** SARIF 2.1.0 for code hosts, with paths relative to the current folder. */
export function sarif(io: Io, root: string, diagnostics: readonly Diagnostic[]) {
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
                artifactLocation: { uri: uriOf(io, root, file) },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  }
}

/** A file outside the current folder gets a URL, because it has no relative path. */
function uriOf(io: Io, root: string, file: string): string {
  const path = fromHere(io, root, file)
  return path.startsWith('..')
    ? pathToFileURL(resolve(root, file)).href
    : path.split('/').map(encodeURIComponent).join('/')
}
