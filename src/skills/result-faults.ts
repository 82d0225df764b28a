import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import type { Definition } from '../model/plan/definition.ts'
import { schemaFaults } from '../model/result-schema.ts'
import { oneLine } from '../model/text/line.ts'
import type { SkillSource } from './notations/frontend.ts'
import { placeIn, type Sidecar } from './sidecar.ts'

/** What of the schema of a result cannot be checked; a schema that is not sound is never silently ignored. */
export function resultFaults(
  { engine: { result } }: Pick<Definition, 'engine'>,
  { main, frontmatter }: SkillSource,
  sidecar: Sidecar | undefined,
): readonly Diagnostic[] {
  if (result === undefined) return []
  const isBeside = sidecar !== undefined && Object.hasOwn(sidecar.values, 'result')
  const top: Place = { file: main.file, line: 1, column: 1 }
  return schemaFaults(result).map(({ path, message }) => {
    const own = frontmatter.fields.get('result')?.place ?? top
    const place = isBeside ? placeIn(sidecar, ['result', ...path.slice(0, 1)].join('/'), 'result') : own
    return diagnose('HF127', place, `${oneLine(['result', ...path].join('.'), LONGEST)}: ${message}`)
  })
}

const LONGEST = 200
