import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longer than ten seconds in a whole run on two cores; most of the others take one. */
const SLOW = [
  /\/(contracts|ordinary|overlays|replay|routes)\//,
  /\/methods\/(commands-faults|model)\.test/,
  /\/store\/(postgres|sqlite)\.test/,
  /\/test\/suite\.test/,
  /\/flows\/(adopt|backup-kills|blackhole|commands-crash|crash|damage|demo|docs|doctor(-\w+)?|doors)\.test/,
  /\/flows\/(failure|failure-strict|frames|hook|hostile-skills|idle|install|lifecycle|locked|long-run)\.test/,
  /\/flows\/(own-files|package|postgres-away|powercut|process|prove|recap|rules|skill-test)\.test/,
  /\/flows\/(start-race|statusline|step-text|sub-agents|told-commands|trust|upgrade)\.test/,
  /\/flows\/workflow(-module|-walks)?\.test/,
  /\/clients\/(clients|claude-code\/(commented|install))\.test/,
  /\/(files-cost|files\/workflow-module|skills\/anything)\.test/,
]

/** The longest of them, which begin before all others. */
const SLOWEST = [
  /\/contracts\/(efforts|hooks|nouns|rules|scopes)\.test/,
  /\/flows\/(doctor|doctor-settings|lifecycle|long-run|package|skill-test|workflow)\.test/,
  /\/clients\/clients\.test/,
]

/** Starts slow files before quick ones, so that no worker ends with a long file. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

/** Vitest sorts by the last duration, or at first by size, which says nothing about these files. */
function rankOf({ moduleId, project }: TestSpecification): number {
  const isAmong = (list: readonly RegExp[]) => list.some((pattern) => pattern.test(moduleId))
  const quickness = isAmong(SLOWEST) ? 0 : isAmong(SLOW) ? 1 : 2
  // The projects share no workers, so each runs at once; the small files of the units end a run.
  return (project.name === 'units' ? 3 : 0) + quickness
}
