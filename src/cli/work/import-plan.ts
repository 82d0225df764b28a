import type { ItemDraft } from '../../model/work/item.ts'
import type { Remote } from '../daemon/remote.ts'
import type { Io } from '../frame/io.ts'

/** What was added to a body of work. */
export interface Added {
  readonly effort_id: number
  readonly begun: boolean
  readonly added: readonly string[]
  readonly known: readonly string[]
}

/** Adds the parts of a plan, one after the other; a part that is there already changes nothing. */
export async function importPlan(
  io: Io,
  remote: Remote,
  plan: { readonly title: string; readonly parts: readonly (readonly ItemDraft[])[] },
  body: Readonly<Record<string, unknown>>,
): Promise<Added> {
  const { title, parts } = plan
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  let all: Added | undefined
  for (const items of parts) {
    io.draw?.(`Adding items: ${all?.added.length ?? 0} of ${total}`)
    const where = all === undefined ? body : { effort_id: all.effort_id }
    const now: Added = await remote.call<Added>('work.add', { ...where, items, title })
    all = {
      ...now,
      begun: all?.begun ?? now.begun,
      added: [...(all?.added ?? []), ...now.added],
      known: [...(all?.known ?? []), ...now.known],
    }
  }
  io.draw?.('')
  if (all === undefined) throw new Error('A plan has at least one part.')
  return all
}
