import { parseArguments } from '../cli/frame/args.ts'
import type { Command } from '../cli/frame/command.ts'
import { inOneLine } from '../model/text/line.ts'
import { PROGRAM, withProgram } from '../model/text/told-commands.ts'
import { type Finding, once, type Tested } from './finding.ts'
import { type Parsed, parseXml } from './strict-xml.ts'
import type { Heard } from './window.ts'
import { wordsIn } from './words.ts'

/** What the texts of a skill are measured by. */
export interface Measure {
  readonly commands: readonly Command[]
  /** The path by which agents call our program, if it is not on their PATH. */
  readonly launcher: string
  /** True if templates in texts are filled before they are shown. */
  readonly fills: boolean
}

/** The shell of an agent cuts what is longer, and nobody reads it all. */
const LONGEST_TEXT = 30_000
const LONGEST_QUOTE = 120

/** Level 1: what agents have read. */
export function testTexts(heard: readonly Heard[], measure: Measure): Tested {
  const texts = [...new Map(heard.map((one) => [one.text, one])).values()]
  const largest = texts.reduce((most, { text }) => Math.max(most, text.length), 0)
  return {
    level: 1,
    counts: { texts: texts.length, largest },
    findings: once(texts.flatMap((one) => faultsIn(one, measure))),
    notes: [],
  }
}

/** What is wrong with a text that an agent has read. */
export function faultsIn(heard: Heard, measure: Measure): readonly Finding[] {
  const { kind, text } = heard
  const fault = (code: Finding['code'], message: string): Finding => ({
    level: 1,
    code,
    message,
    path: [inOneLine(text, LONGEST_QUOTE)],
  })
  const size =
    text.length > LONGEST_TEXT
      ? [fault('size', `A text has ${text.length} characters; more than ${LONGEST_TEXT} are cut.`)]
      : []
  const found = partsOf(heard)
  const open = measure.fills && kind === 'told' ? [...new Set(text.match(/\{\{[^{}\n]*\}\}/g) ?? [])] : []
  return [
    ...size,
    ...open.map((template) => fault('unfilled', `Nothing was filled in for ${template}.`)),
    ...('wrong' in found ? [fault('xml', found.wrong)] : []),
    ...('wrong' in found ? [] : found.texts)
      .flatMap((one) => [...commandsIn(one, measure.launcher), ...unknownIn(one, measure.commands)])
      .flatMap((command) => {
        const wrong = wrongWith(command, measure.commands, kind)
        return wrong === undefined ? [] : [fault(...wrong)]
      }),
  ]
}

/** The texts in a printed step, as a reader of XML takes them; any other text is one. */
function partsOf({ kind, text }: Heard): { readonly texts: readonly string[] } | { readonly wrong: string } {
  if (kind !== 'told' || !/^<[a-z_]+[ >]/.test(text)) return { texts: [text] }
  try {
    return { texts: parseXml(text).flatMap(textsIn) }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

const textsIn = (part: string | Parsed): readonly string[] =>
  typeof part === 'string'
    ? [part]
    : [...part.attributes.map(([, value]) => value), ...part.content.flatMap(textsIn)]

/** Stands for our program where a text tells a command. */
const MARK = '\u0001'
/** Where a told command ends. */
const END = / or $| && |[`\n]|(?<=\S)\.(?: [A-Z]|$)|\)(?=\s*$|[ .,:;])| \(|$/m

/** The commands in a text, without the name of the program. */
export function commandsIn(text: string, program: string): readonly string[] {
  return withProgram(text.replaceAll(program, PROGRAM), MARK)
    .split(MARK)
    .slice(1)
    .flatMap((rest) => {
      const words = rest.slice(0, END.exec(rest)?.index ?? rest.length).trim()
      return rest.startsWith(' ') ? [words] : []
    })
}

/** What code calls our program with, and no command begins with; elsewhere our name may be part of a sentence. */
function unknownIn(text: string, commands: readonly Command[]): readonly string[] {
  const firsts = new Set(['help', ...commands.map(({ name }) => name.split(' ')[0])])
  const codes = [...codeLinesIn(text), ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)]
  return codes.flatMap((code) => {
    const [, first] = CALLED.exec(code) ?? []
    return first === undefined || firsts.has(first) ? [] : [first]
  })
}

const CALLED = new RegExp(`^${PROGRAM} ([a-z][\\w-]*)`)

/** The lines in the code fences of a text, as somebody types them. */
export const codeLinesIn = (text: string): readonly string[] =>
  text
    .split(/^ *```.*$/m)
    .filter((_, at) => at % 2 === 1)
    .flatMap((fence) => fence.split('\n').map((line) => line.trim().replace(/^\$ /, '')))

/** Commands that move an effort; without its number they may mean another one. */
const MOVING = new Set(['step', 'step done', 'step fail', 'step skip', 'step go', 'prove'])

function wrongWith(
  told: string,
  commands: readonly Command[],
  kind: Heard['kind'],
): readonly ['command' | 'effort', string] | undefined {
  const [words] = wordsIn(told) ?? []
  // A line with more syntax is for a shell to judge.
  if (words === undefined) return undefined
  const command = commands.find(({ name }) => name.split(' ').every((part, at) => words[at] === part))
  if (command === undefined)
    return isGroup(words, commands) ? undefined : ['command', `There is no command ${PROGRAM} ${told}.`]
  const { name, flags, otherFlags } = command
  try {
    const { values, positionals } = parseArguments(
      words.slice(name.split(' ').length),
      flags,
      name,
      otherFlags !== undefined,
    )
    const begins = name === 'step' && positionals.length > 0
    if (kind === 'told' && MOVING.has(name) && !begins && values['effort'] === undefined)
      return ['effort', `The command ${PROGRAM} ${told} does not name the effort.`]
    return undefined
  } catch (error) {
    return ['command', `${PROGRAM} ${told}: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** Help, and the first word of commands alone, which lists them. */
const isGroup = ([first = '', second]: readonly string[], commands: readonly Command[]): boolean =>
  first === 'help' ||
  (second === undefined &&
    (first.startsWith('-') || commands.some(({ name }) => name.startsWith(`${first} `))))
