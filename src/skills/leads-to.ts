import type { Definition, Parsed } from '../model/plan/definition.ts'
import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { ownName } from '../model/skill.ts'
import { nearest } from '../model/text/nearest.ts'
import type { SkillSource } from './notations/frontend.ts'
import type { Field } from './text/frontmatter.ts'
import type { MachinePart } from './notations/phases-json.ts'
import { skillsOfPipeline } from './pipeline.ts'
import { linesOutside } from './references.ts'
import { placeIn, type Sidecar } from './sidecar.ts'
import { isRecord, namesOf } from './text/values.ts'

type Lead = Definition['leadsTo'][number]

/** Matches a skill name with an optional slash and arguments, but not a path or a placeholder. */
const CALLED = /^\/?([\p{L}\p{N}][\p{L}\p{N}_-]*(?::[\p{L}\p{N}_-]+)*)(?:\s|$)/u
const SKILL_CALL =
  /\bSkill\(\s*(?:(?:skill|command|name)\s*[:=]\s*)?["'“]\/?([\p{L}\p{N}][\p{L}\p{N}_:-]{0,127})["'”]/gu

/** The skills that a skill explicitly runs next or calls; slash references in prose do not count. */
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

/** Reads a list, or splits a string at commas and arrows. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? value.split(/,|→|->|=>/) : namesOf(value)

/** `continuation` is a list of names, or an object with a field such as `default-exit`. */
function exitsOf(value: unknown): readonly string[] {
  if (!isRecord(value)) return namesIn(value)
  return Object.entries(value).flatMap(([key, exits]) =>
    /^(default[-_]exit|next|then)$/i.test(key) ? namesIn(exits) : [],
  )
}

/** Finds the places of the names in the JSON block, searching in order to scan it only once. */
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

/** The commands that clients provide. */
const BUILT_IN = new Set(
  `add-dir agents batch bug clear compact config context cost debug do doctor exit export fast feedback help hooks
  ide init install-github-app keybindings login logout loop mcp memory model output-style permissions plan plugin
  plugins pr-comments privacy-settings quit release-notes reload-plugins remote-control rename resume review rewind
  sandbox schedule security-review simplify skills stats status statusline tasks terminal-setup theme todos upgrade
  usage vim`.split(/\s+/),
)

/** Limits suggestions, because each one compares a name with every known name. */
const MOST_GUESSED = 100

/** Adds a diagnostic for each name that is not parsed, known to the caller or built in. */
export function strayNames(parsed: readonly Parsed[], known: readonly string[]): readonly Parsed[] {
  const callable = parsed.filter(({ definition }) => definition.kind !== 'agent')
  const names = [...new Set([...known, ...callable.flatMap(({ definition: { id, name } }) => [id, name])])]
  const whole = new Set(names.map((name) => name.toLowerCase()))
  const tails = new Set([...whole].map(ownName))
  const plugins = new Set([...whole].flatMap((name) => (name.includes(':') ? [name.split(':')[0]] : [])))
  const isKnown = (name: string) => {
    const lower = name.toLowerCase()
    if (whole.has(lower) || tails.has(ownName(lower)) || BUILT_IN.has(lower)) return true
    // An unknown plugin may have any skill.
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

function stray({ name, place }: Lead, names: readonly string[]): Diagnostic {
  const meant = nearest(name, names)
  const message = `${name} is not a known skill or command${meant.length === 0 ? '.' : `; did you mean ${meant.join(' or ')}?`}`
  return diagnose('HF115', place, message)
}
