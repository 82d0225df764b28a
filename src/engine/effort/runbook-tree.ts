import { EngineError } from '../../model/error.ts'
import { type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { isInside } from '../../model/project.ts'
import { ownPlaceOf, uncommitted, type WorkTree } from '../../model/runbook/work-tree.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import { storedProgress } from '../plan/progress.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'
import { rootOfEffort } from './runbook-root.ts'

/** What is not committed would count as the work of the next step: before the first one, and behind one that was done. */
export async function checkClean(
  tx: Tx,
  mover: Mover,
  { id }: Step,
  tree: WorkTree | undefined,
): Promise<void> {
  const { effort, plan, progress } = mover
  if (tree === undefined) return
  const root = await rootOfEffort(tx, mover)
  const last = (await storedProgress(tx, effort.id))?.visited.at(-1)
  if (last === undefined) return checkFirst(plan, root, tree)
  if (progress.visits[last]?.outcome !== 'ok') return
  const about = { step: id, rule: 'plan', field: 'tree' } as const
  if (!isInside(tree.top, root)) {
    const reason = `Step ${last} is done, but git looks only at ${tree.top}, so nobody knows whether ${root} is committed. Ask the user about the repository in ${tree.top}.`
    const hint = `git -C ${shellWord(tree.top)} rev-parse --show-toplevel`
    throw refusedStep(effort, { ...about, reason, hint })
  }
  const files = uncommitted(tree, plan, root)
  if (files.length === 0) return
  const reason = `Step ${last} is done, but not everything is committed: ${listed(files, ROOM)}. Commit it, then ask for the next step again. If it is not from step ${last}, ask the user.`
  const hint =
    files.length > MOST_ADDED
      ? statusCommand(tree)
      : commitCommand(tree, files, `${last}: ${stepOf(plan, last)?.title ?? ''}`)
  throw refusedStep(effort, { ...about, reason, hint })
}

/** The effort has not begun, so there is no step that could be refused. */
function checkFirst(plan: Plan, root: string, tree: WorkTree): void {
  const files = isInside(tree.top, root) ? uncommitted(tree, plan, root) : []
  if (files.length === 0) return
  const places = files.map((file) => ownPlaceOf(file, tree, { plan, root }))
  const own = [...new Set(places.filter((place) => place !== undefined))]
  const isOwn = !places.includes(undefined)
  const who = isOwn ? 'Commit it' : 'Ask the user to commit it or to put it away'
  const message = `The first step wants a clean tree, and this is not committed: ${listed(files, ROOM)}. ${who}, then run the same command again.`
  const hint = isOwn ? commitCommand(tree, own, `Plan ${plan.runbook?.name ?? ''}`) : statusCommand(tree)
  throw new EngineError('conflict', message, { field: 'tree', hint })
}

const statusCommand = ({ top }: WorkTree): string => `git -C ${shellWord(top)} status`

function commitCommand({ top }: WorkTree, paths: readonly string[], subject: string): string {
  const add = `git -C ${shellWord(top)} add -- ${paths.map((path) => shellWord(path)).join(' ')}`
  return `${add} && git -C ${shellWord(top)} commit -m ${shellWord(subject)}`
}

const ROOM = 1200
const MOST_ADDED = 20
