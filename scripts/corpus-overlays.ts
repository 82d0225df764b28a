import { type Candidate, findCandidates } from '../src/skills/find.ts'
import { clients } from '../src/clients/index.ts'
import { ownName } from '../src/model/skill.ts'
import { proposeFor, readOne } from '../src/skills/read-all.ts'
import { packagedOverlays } from './packaged-overlays.ts'

/** How many skills with overlays of the package are among the paths, and how many of their texts fit one. */
export function overlaysAmong(paths: readonly string[], textOf: (path: string) => string) {
  const overlays = Map.groupBy(packagedOverlays(), ({ skill }) => skill)
  const skills = Map.groupBy(findCandidates(paths, { clients }), ({ id }) => ownName(id))
  const present = [...overlays].filter(([skill]) => skills.has(skill))
  const missing = present.flatMap(([skill, packaged]) => {
    const texts = packaged.map(({ text }) => text)
    const fits = (candidate: Candidate) => proposeFor(candidate, { textOf }, texts)?.from === 'package'
    return skills.get(skill)?.some(fits) === true ? [] : [skill]
  })
  return { present: present.length, fit: present.length - missing.length, missing }
}

/** For how many skills and commands with a guessed plan `skill adopt` makes an overlay without a fault. */
export function proposalsAmong(paths: readonly string[], textOf: (path: string) => string) {
  const guessed = findCandidates(paths, { clients }).filter(
    (candidate) => readOne(candidate, { textOf }).definition.plan?.explicit === false,
  )
  const failed = guessed.filter((candidate) => proposeFor(candidate, { textOf }, []) === undefined)
  return {
    guessed: guessed.length,
    adoptable: guessed.length - failed.length,
    failed: failed.map(({ file }) => file),
  }
}
