import { BaseSequencer, type TestSpecification } from 'vitest/node'

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
  return /\/(contracts|replay)\//.test(moduleId) ? 0 : 1
}
