import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Starts what takes long before what is quick, so that no worker is left with a long file at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

/** Vitest goes by how long a file took the last time; at the first time by its size, which tells nothing of these. */
function rankOf({ moduleId, project }: TestSpecification): number {
  if (project.name === 'units') return 2
  return /\/(contracts|replay)\//.test(moduleId) ? 0 : 1
}
