import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longer than others of their project; most of them are small. */
const SLOW = [
  /\/(contracts|replay|routes)\//,
  /\/methods\/(commands-faults|model)\.test/,
  /\/store\/postgres\.test/,
  /\/flows\/(doctor|doctor-hooks|doctor-settings|doors|install|locked|package|step-text|told-commands|upgrade)\.test/,
  /\/flows\/(commands-crash|crash|failure|failure-strict|hook|lifecycle|long-run)\.test/,
  /\/clients\/(clients|claude-code\/install)\.test/,
  /\/(files-cost|files\/workflow-module|anything)\.test/,
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
  const isSlow = SLOW.some((pattern) => pattern.test(moduleId))
  // The projects share no workers, so each runs at once.
  return (project.name === 'units' ? 2 : 0) + (isSlow ? 0 : 1)
}
