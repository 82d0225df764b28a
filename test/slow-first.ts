import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files of a run; most of them are small. */
const SLOW =
  /\/(contracts|replay)\/|\/(commands-faults|demo|docs|doctor|doctor-hooks|failure|failure-strict|install|long-run|toy)\.test\.ts$/

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
  if (project.name === 'units') return 2
  return SLOW.test(moduleId) ? 0 : 1
}
