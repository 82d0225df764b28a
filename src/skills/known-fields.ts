import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Definition } from '../model/plan/definition.ts'
import type { SkillSource } from './notations/frontend.ts'

type Kind = Definition['kind']

const words = (text: string): readonly string[] => text.split(/\s+/)

/** The fields of the Agent Skills standard, and those that clients add, as they must be written. */
const OF_SKILLS = words(
  `name description license compatibility metadata allowed-tools when_to_use argument-hint arguments
  disable-model-invocation user-invocable disallowed-tools model effort context agent background hooks paths shell`,
)
const OF_AGENTS = words(
  `name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background
  effort isolation color initialPrompt`,
)
const KNOWN: Readonly<Record<Kind, readonly string[]>> = {
  skill: OF_SKILLS,
  command: OF_SKILLS,
  agent: OF_AGENTS,
}

/** Fields of the other kind, or of other programs, that mean one of ours. */
const MEANT: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  skill: { tools: 'allowed-tools', invocable: 'user-invocable' },
  command: { tools: 'allowed-tools', invocable: 'user-invocable' },
  agent: { allowedtools: 'tools' },
}

/** The field that a client reads instead of the written one; undefined if nothing seems to be meant. */
function meantField(kind: Kind, written: string): string | undefined {
  if (KNOWN[kind].includes(written)) return undefined
  return misspelledField(kind, written) ?? MEANT[kind][plainKey(written)]
}

/** The field that differs from the written one only in case, hyphens or underscores. */
export const misspelledField = (kind: Kind, written: string): string | undefined =>
  KNOWN[kind].find((known) => known !== written && plainKey(known) === plainKey(written))

const plainKey = (key: string): string => key.toLowerCase().replaceAll(/[-_]/g, '')

/** Finds fields that no client reads although a field with such a name exists; all others are notes of the author. */
export const strangeFields = (kind: Kind, { main, frontmatter }: SkillSource): readonly Diagnostic[] =>
  [...frontmatter.fields.values()].flatMap(({ place }) => {
    const written = /^["']?([\w-]+)/.exec((main.lines[place.line - 1] ?? '').slice(place.column - 1))?.[1]
    const meant = written === undefined ? undefined : meantField(kind, written)
    if (written === undefined || meant === undefined) return []
    const whose = kind === 'agent' ? 'an agent' : `a ${kind}`
    const message = `${written} is not a field of ${whose}; clients read ${meant}.`
    return [
      diagnose('HF111', place, message, misspelledField(kind, written) === undefined ? BY_HAND : undefined),
    ]
  })

/** Another word may mean something else, so the fix does not touch it. */
const BY_HAND = 'Rename it, if this is what it means.'
