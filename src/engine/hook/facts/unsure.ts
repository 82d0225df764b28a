import { touchedBy } from './touched.ts'
import type { Loader } from './loader.ts'

/** What a command may read without naming it, and the steps that it names. */
export const unsure: Loader<'unsure'> = {
  looks: ['files', 'records'],
  async load(tx, scene) {
    const { unsure: found } = scene.looked
    if (found === undefined) return undefined
    const named = await touchedBy(tx, found.named, scene)
    return { ...found, named, mentioned: await touchedBy(tx, found.mentioned, scene) }
  },
}
