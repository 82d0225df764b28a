import { isMap, isNode, isScalar, LineCounter, parseDocument, stringify, type YAMLMap } from 'yaml'
import { type Config, type ConfigOwner, faultOf, ownEntry, textOf } from '../model/config.ts'
import { isWordSetting } from '../model/own-words.ts'
import { faultInWords, PARSING, placeOfFault, plain } from './text/yaml.ts'

/** A problem in a config file. */
export interface ConfigFault {
  readonly line: number
  /** The key, unless the whole file is faulty. */
  readonly name: string | undefined
  readonly message: string
}

interface ReadConfig {
  /** The valid settings. */
  readonly values: Config
  readonly faults: readonly ConfigFault[]
}

/** Reads the text of a config.yaml; a faulty setting counts as missing. */
export function readConfigText(text: string, owner: ConfigOwner): ReadConfig {
  const counter = new LineCounter()
  const document = parseDocument(text, { ...PARSING, lineCounter: counter })
  const [fault] = document.errors
  if (fault !== undefined) {
    const { line } = placeOfFault(fault, counter)
    return whole(line, `config.yaml is not valid YAML: ${faultInWords(fault)}.`)
  }
  const { contents } = document
  if (contents === null) return { values: {}, faults: [] }
  if (!isMap(contents)) return whole(1, 'config.yaml must be a map of settings.')
  const values: Record<string, string> = {}
  const own: Record<string, Record<string, unknown>> = {}
  const faults: ConfigFault[] = []
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const line = lineOf(counter, key)
    if (isMap(value) && isWordSetting(name)) {
      const read = readEntries(name, value, counter)
      if (Object.keys(read.entries).length > 0) own[name] = read.entries
      faults.push(...read.faults)
      continue
    }
    const given = plain(value)
    const message = faultOf(name, given, owner)
    if (message === undefined) values[name] = textOf(given) ?? ''
    else faults.push({ line, name, message })
  }
  return { values: { ...values, ...(Object.keys(own).length > 0 && { own }) }, faults }
}

const lineOf = (counter: LineCounter, key: unknown): number =>
  Math.max(1, counter.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0).line)

/** The valid entries of a map of own modes or shortcuts. */
function readEntries(name: string, map: YAMLMap, counter: LineCounter) {
  const entries: Record<string, unknown> = {}
  const faults: ConfigFault[] = []
  for (const { key, value } of map.items) {
    const found = ownEntry(name, isScalar(key) ? String(key.value) : '', plain(value))
    if (found?.fault !== undefined) faults.push({ line: lineOf(counter, key), name, message: found.fault })
    else if (found !== undefined) entries[found.key] = found.read
  }
  return { entries, faults }
}

const whole = (line: number, message: string): ReadConfig => ({
  values: {},
  faults: [{ line, name: undefined, message }],
})

/** The text with one setting changed, or without it; every other byte stays. */
export function editConfigText(text: string, name: string, value: string | undefined): string {
  const { contents } = parseDocument(text, PARSING)
  const pairs = isMap(contents) ? contents.items : []
  const found = pairs.findLast(({ key }) => isScalar(key) && String(key.value) === name)
  const at = rangeOf(found?.key)
  // A map in braces has no lines of its own.
  if (isMap(contents) && contents.flow === true) return editedFlow(text, name, value)
  if (at === undefined)
    return value === undefined ? text : `${text}${/[^\n]$/.test(text) ? '\n' : ''}${name}: ${yamlOf(value)}\n`
  const end = Math.max(rangeOf(found?.value)?.[1] ?? at[1], text.indexOf(':', at[1]) + 1)
  if (value !== undefined) return `${text.slice(0, at[0])}${name}: ${yamlOf(value)}${text.slice(end)}`
  const [first, last] = [text.lastIndexOf('\n', at[0] - 1) + 1, text.indexOf('\n', end - 1)]
  return text.slice(0, first) + (last === -1 ? '' : text.slice(last + 1))
}

const rangeOf = (node: unknown): readonly [number, number, number] | undefined =>
  isNode(node) ? (node.range ?? undefined) : undefined

const yamlOf = (value: string): string =>
  /^\d+$/.test(value) ? value : stringify(value, { lineWidth: 0 }).trimEnd()

function editedFlow(text: string, name: string, value: string | undefined): string {
  const document = parseDocument(text)
  if (value === undefined) document.delete(name)
  else document.set(name, value)
  return document.toString({ lineWidth: 0 })
}
