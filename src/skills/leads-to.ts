import type { Definition, Parsed } from '../model/plan/definition.ts'
import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { nearest } from '../model/text/nearest.ts'
import type { SkillSource } from './notations/frontend.ts'
import type { Field } from './text/frontmatter.ts'
import type { MachinePart } from './notations/phases-json.ts'
import { skillsOfPipeline } from './pipeline.ts'
import { linesOutside } from './references.ts'
import { placeIn, type Sidecar } from './sidecar.ts'
import { isRecord, namesOf } from './text/values.ts'

type Lead = Definition['leadsTo'][number]

/** A name as it is called, with the slash and the arguments that may stand around it; no path and no placeholder. */
const CALLED = /^\/?([\p{L}\p{N}][\p{L}\p{N}_-]*(?::[\p{L}\p{N}_-]+)*)(?:\s|$)/u
const SKILL_CALL =
  /\bSkill\(\s*(?:(?:skill|command|name)\s*[:=]\s*)?["'“]\/?([\p{L}\p{N}][\p{L}\p{N}_:-]{0,127})["'”]/gu

/** What a skill says will run after it or inside of it, by name; slashes in its prose are not meant so seriously. */
export function findLeads(
  source: SkillSource,
  part: MachinePart | undefined,
  sidecar: Sidecar | undefined,
): readonly Lead[] {
  const { frontmatter, main } = source
  const field = (key: string, names: (value: unknown) => readonly string[]) => {
    const found: Field | undefined = frontmatter.fields.get(key)
    return found === undefined ? [] : leads(names(found.value), () => found.place)
  }
  return [
    ...field('next-skill', namesIn),
    ...field('pipeline', namesIn),
    ...field('handoff', namesIn),
    ...field('continuation', exitsOf),
    ...(part === undefined ? [] : leadsOf(part, main.file)),
    ...(sidecar === undefined ? [] : skillsOfPipeline(sidecar)),
    ...(sidecar === undefined
      ? []
      : leads(exitsOf(sidecar.values['continuation']), () => placeIn(sidecar, 'continuation'))),
    ...calls(source),
  ]
}

const leads = (written: readonly string[], place: (written: string) => Place): readonly Lead[] =>
  written.flatMap((text) => {
    const name = CALLED.exec(text.trim())?.[1]
    return name === undefined ? [] : [{ name, place: place(text) }]
  })

/** A list, or names with commas or arrows between them. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? value.split(/,|→|->|=>/) : namesOf(value)

/** `continuation` is a list of names, or says under `default-exit` what runs after it. */
function exitsOf(value: unknown): readonly string[] {
  if (!isRecord(value)) return namesIn(value)
  return Object.entries(value).flatMap(([key, exits]) =>
    /^(default[-_]exit|next|then)$/i.test(key) ? namesIn(exits) : [],
  )
}

/** Where the names of the json block stand: they are looked for in their order, so that it is read once. */
function leadsOf({ value, fence }: MachinePart, file: string): readonly Lead[] {
  const { content } = fence
  let at = Math.max(0, content.indexOf('"nextSkills"'))
  let line = fence.line + 1 + lineBreaks(content.slice(0, at))
  return leads(namesOf(value['nextSkills']), (name) => {
    const found = content.indexOf(JSON.stringify(name), at)
    if (found !== -1) {
      line += lineBreaks(content.slice(at, found))
      at = found
    }
    return { file, line, column: at - content.lastIndexOf('\n', at) }
  })
}

const lineBreaks = (text: string): number => text.split('\n').length - 1

function calls(source: SkillSource): readonly Lead[] {
  return linesOutside(source, 'Skill(').flatMap(({ text, line }) =>
    [...text.matchAll(SKILL_CALL)].map(({ 1: name = '', index }) => ({
      name,
      place: { file: source.main.file, line, column: index + 1 },
    })),
  )
}

/** What clients bring with them, so that nobody writes a skill for it. */
const BUILT_IN = new Set(
  `add-dir agents batch bug clear compact config context cost debug do doctor exit export fast feedback help hooks
  ide init install-github-app keybindings login logout loop mcp memory model output-style permissions plan plugin
  plugins pr-comments privacy-settings quit release-notes reload-plugins remote-control rename resume review rewind
  sandbox schedule security-review simplify skills stats status statusline tasks terminal-setup theme todos upgrade
  usage vim`.split(/\s+/),
)

/** Guessing compares letter by letter with every name; where more is wrong, it is no misspelling. */
const MOST_GUESSED = 100

/** Tells of names that lead to nothing: neither among what was read, nor known to the caller, nor built in. */
export function strayNames(parsed: readonly Parsed[], known: readonly string[]): readonly Parsed[] {
  const callable = parsed.filter(({ definition }) => definition.kind !== 'agent')
  const names = [...new Set([...known, ...callable.flatMap(({ definition: { id, name } }) => [id, name])])]
  const whole = new Set(names.map((name) => name.toLowerCase()))
  const tails = new Set([...whole].map(tailOf))
  const plugins = new Set([...whole].flatMap((name) => (name.includes(':') ? [name.split(':')[0]] : [])))
  const isKnown = (name: string) => {
    const lower = name.toLowerCase()
    if (whole.has(lower) || tails.has(tailOf(lower)) || BUILT_IN.has(lower)) return true
    // A plugin that is not here may have anything.
    return lower.includes(':') && !plugins.has(lower.split(':')[0])
  }
  let guesses = 0
  return parsed.map((one) => {
    const strays = one.definition.leadsTo.filter(({ name }) => !isKnown(name))
    return strays.length === 0
      ? one
      : {
          ...one,
          diagnostics: [
            ...one.diagnostics,
            ...strays.map((lead) => stray(lead, guesses++ < MOST_GUESSED ? names : [])),
          ],
        }
  })
}

const tailOf = (name: string): string => name.slice(name.lastIndexOf(':') + 1)

function stray({ name, place }: Lead, names: readonly string[]): Diagnostic {
  const meant = nearest(name, names)
  const message = `${name} is not a known skill or command${meant.length === 0 ? '.' : `; did you mean ${meant.join(' or ')}?`}`
  return diagnose('HF115', place, message)
}
