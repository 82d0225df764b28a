import type { Parsed } from '../model/definition.ts'
import { diagnose } from '../model/diagnostic.ts'
import { type Candidate, findCandidates } from './find.ts'
import { readSkill } from './skill-md.ts'

/** Everything among the paths that is a skill, a command or an agent; the caller brings the texts. */
export function readAll(paths: readonly string[], textOf: (path: string) => string): readonly Parsed[] {
  const parsed = findCandidates(paths).map((candidate) => readOne(candidate, textOf))
  return withDuplicates(parsed)
}

export function readOne(candidate: Candidate, textOf: (path: string) => string): Parsed {
  const prefix = candidate.folder === '.' ? 0 : candidate.folder.length + 1
  const others = new Map(candidate.others.map((path) => [path.slice(prefix), textOf(path)]))
  return readSkill({ ...candidate, text: textOf(candidate.file), others })
}

/** A client that is told `/setup` can mean only one of two skills with that id. */
function withDuplicates(parsed: readonly Parsed[]): readonly Parsed[] {
  const firsts = new Map<string, string>()
  return parsed.map((one) => {
    const { id, kind, file } = one.definition
    const first = firsts.get(`${kind}/${id}`)
    if (first === undefined) {
      firsts.set(`${kind}/${id}`, file)
      return one
    }
    const double = diagnose('HF109', { file, line: 1, column: 1 }, `${id} is also the name of ${first}.`)
    return { ...one, diagnostics: [...one.diagnostics, double] }
  })
}
