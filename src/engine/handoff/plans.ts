import { settingOf } from '../../model/config.ts'
import { planCommand, planStateOf, type PlanFolder } from '../../model/handoff/plan-state.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { isCarriedOut } from '../session/runbook-begin.ts'

const MOST_PLANS = 200
const MOST_BYTES = 65_536

/** Where a project keeps its plan folders. */
export const plansFolder = ({ config }: Context, root: string): string =>
  (config(root).plans ?? settingOf('plans').usual ?? '').replace(/\/+$/, '')

/** The plan folders of a project, in order of their names, each with its state. */
export async function plansIn(
  { files }: Context,
  root: string,
  below: string,
  ask: Ask,
): Promise<readonly PlanFolder[]> {
  const folder = `${root}/${below}`
  if ((await files.canonical(folder)) !== folder || (await files.kind(folder)) !== 'folder') return []
  const found: PlanFolder[] = []
  for (const name of (await files.list({ path: folder, root, kind: 'folder' })).slice(0, MOST_PLANS)) {
    const names = await files.names(`${folder}/${name}`)
    const path = `${folder}/${name}/lifecycle.md`
    const size = names.includes('lifecycle.md') ? await files.size(path) : 0
    const isThere = size > 0 && (await files.kind(path)) === 'file' && (await files.canonical(path)) === path
    // Only its last line counts.
    const offset = Math.max(0, size - MOST_BYTES)
    const text = isThere ? (await files.read({ path, root, offset, limit: MOST_BYTES })).content : undefined
    const inFiles = planStateOf(names, text)
    // Nothing in its folder shows that a runbook was carried out.
    const isOver = inFiles === 'ready' && (await ask((tx) => isCarriedOut(tx, `${folder}/${name}`)))
    const state = isOver ? 'delivered' : inFiles
    if (state !== undefined) found.push({ name, state, command: planCommand(`${below}/${name}`, state) })
  }
  return found
}
