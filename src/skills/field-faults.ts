import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import type { Definition } from '../model/plan/definition.ts'
import { isSkillName } from '../model/skill.ts'
import type { SkillSource } from './notations/frontend.ts'
import { strangeFields } from './known-fields.ts'
import { textOf } from './text/values.ts'

/** The limit of the standard. */
export const LONGEST_DESCRIPTION = 1024

type Input = Pick<Definition, 'kind' | 'id' | 'folder' | 'file'>

/** Finds what is wrong with the frontmatter of a skill, command or agent as clients read it. */
export function fieldFaults(input: Input, source: SkillSource): readonly Diagnostic[] {
  const { fields, found } = source.frontmatter
  const { kind, file } = input
  const top: Place = { file: source.main.file, line: 1, column: 1 }
  const at = (key: string): Place => fields.get(key)?.place ?? top
  if (!found) return kind === 'command' ? [] : [diagnose('HF102', top, WITHOUT[kind])]
  const faults = ['name', 'description']
    .filter((key) => typeof fields.get(key)?.value === 'object' && fields.get(key)?.value !== null)
    .map((key) => diagnose('HF114', at(key), `${key} must be a string.`, `Put it in quotes: ${key}: "...".`))
  const description = textOf(fields.get('description')) ?? ''
  // A client lists both, one after the other.
  const isDescribed = description !== '' || (textOf(fields.get('when-to-use')) ?? '') !== ''
  if (!isDescribed && kind !== 'command')
    faults.push(diagnose('HF105', at('description'), 'The description is missing or empty.'))
  faults.push(...strangeFields(kind, source))
  if (kind !== 'skill') return faults
  faults.push(...nameFaults(input, textOf(fields.get('name')) ?? '', at('name')))
  if (description.length > LONGEST_DESCRIPTION)
    faults.push(
      diagnose(
        'HF108',
        at('description'),
        `The description has ${description.length} characters; the limit is ${LONGEST_DESCRIPTION}.`,
      ),
    )
  if (!/(^|\/)SKILL\.md$/.test(file))
    faults.push(diagnose('HF113', top, `The file is named ${file.split('/').at(-1) ?? ''}, not SKILL.md.`))
  return faults
}

const WITHOUT = {
  skill: 'The frontmatter is missing; the name is taken from the folder.',
  agent: 'The frontmatter is missing; clients do not load the agent.',
} as const

function nameFaults(input: Input, name: string, place: Place): readonly Diagnostic[] {
  if (name === '') return [diagnose('HF104', place, 'The name is missing.')]
  // If the folder is checked alone, the id stands in for its name.
  const folder = (input.folder === '.' ? input.id : input.folder).split('/').at(-1) ?? ''
  const isFolder = folder === '' || folder === '.' || name === folder
  return [
    ...(isSkillName(name)
      ? []
      : [diagnose('HF107', place, `${JSON.stringify(name)} is not a valid skill name.`)]),
    ...(isFolder ? [] : [diagnose('HF106', place, `The name is ${name}, but the folder is ${folder}.`)]),
  ]
}
