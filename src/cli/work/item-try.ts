import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WholeItem } from '../../engine/work/view.ts'
import { EngineError } from '../../model/error.ts'
import { cutTo } from '../../model/text/kept.ts'
import type { ItemOutcome } from '../../model/work/item.ts'
import { contained } from '../install/contained.ts'
import {
  addWorktree,
  type Branches,
  commitAll,
  integration,
  mergedBefore,
  openIn,
  putInForce,
  removeWorktree,
  sweep,
  tryMerge,
  type Worktree,
} from './branches.ts'
import { runProgram } from './program.ts'

/** How a try ended. */
export interface TryEnd {
  readonly outcome: ItemOutcome
  readonly reason: string
}

interface Try {
  readonly of: Branches
  readonly item: WholeItem
  readonly worker: string
  /** The command that does an item; it gets the prompt as its input. */
  readonly command: string
  readonly log: string
  /** Ends everything that runs, because the item was lost, took too long, or the user wants it. */
  readonly signal: AbortSignal
  /** Tells where the work is. */
  readonly at: (tree: Worktree) => void
  /** Makes sure right before a merge that the item is still ours. */
  readonly hold: () => Promise<void>
}

/** Where an agent in a worktree writes what it wants to tell, instead of going on. */
const QUESTION = '.holdfast/question.md'
const FAILURE = '.holdfast/failed.md'
const MOST_MERGES = 50
const LONGEST_REASON = 1500

/** Does one item: in a worktree and on a branch of its own, then merged with what others did, then proved there. */
export async function tryItem(one: Try): Promise<TryEnd> {
  const { of, item, signal } = one
  const before = mergedBefore(of, item.item)
  if (before !== undefined)
    return { outcome: 'done', reason: `It was merged in an earlier try, as ${before}.` }
  sweep(of, item)
  const tree = addWorktree(of, `${item.item}-${item.fence}`)
  one.at(tree)
  try {
    const { code, tail } = await work(one, tree)
    const hasWork = commitAll(of, tree, item)
    if (signal.aborted)
      return { outcome: 'failed', reason: `It was stopped; what there is lies on ${tree.branch}.` }
    const [question, failure] = [said(tree, QUESTION), said(tree, FAILURE)]
    if (question !== undefined) return { outcome: 'blocked', reason: question }
    if (failure !== undefined) return { outcome: 'failed', reason: failure }
    if (code !== 0)
      return {
        outcome: 'failed',
        reason: `The command ended with ${code}. ${cutTo(tail, LONGEST_REASON)}`.trim(),
      }
    if (!hasWork && item.proof === null) return { outcome: 'failed', reason: 'It ended without any change.' }
    return await merge(one, tree)
  } finally {
    removeWorktree(of, tree.path)
    removeWorktree(of, `${tree.path}.merge`)
  }
}

async function work({ of, item, worker, command, log, signal }: Try, { path }: Worktree) {
  const { effort_id } = of
  const env = {
    ...of.io.env,
    HOLDFAST_AGENT: worker,
    HOLDFAST_WORK: `${effort_id}`,
    HOLDFAST_ITEM: item.item,
    ...(item.model !== null && { HOLDFAST_MODEL: item.model }),
  }
  return await runProgram(env, {
    words: ['sh', '-c', command],
    cwd: path,
    input: promptOf(item),
    log,
    signal,
  })
}

/** The prompt for the agent of an item. */
function promptOf(item: WholeItem): string {
  const { title, prompt, skill, files, reason, proof } = item
  const task = prompt ?? title
  return [
    skill === null ? task : `/${skill} ${task}`,
    '',
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
    ...(reason === null ? [] : [`An earlier try failed: ${reason}`]),
    ...(proof === null ? [] : [`When you are done, this command must pass: ${proof}`]),
    'You work in a git worktree of your own; what you leave in it is committed and merged for you.',
    `If only the user can decide something, write your question to ${QUESTION} and stop. If it cannot be done, write why to ${FAILURE} and stop.`,
    '',
  ].join('\n')
}

const said = ({ path }: Worktree, name: string): string | undefined => {
  const file = join(path, name)
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return text === '' ? undefined : cutTo(text, LONGEST_REASON)
}

async function merge({ of, item, log, signal, hold }: Try, tree: Worktree): Promise<TryEnd> {
  const target = integration(of)
  for (let time = 0; time < MOST_MERGES; time++) {
    const merging = tryMerge(of, tree, item)
    if (merging.kind === 'conflict')
      return {
        outcome: 'blocked',
        reason: `${tree.branch} does not merge into ${target}: conflicts in ${cutTo(merging.files.join(', '), LONGEST_REASON)}.`,
      }
    if (item.proof !== null) {
      using held = contained(of.io, of.root, ['sh', '-c', item.proof])
      const { code, tail } = await runProgram(of.io.env, {
        words: held.words,
        cwd: merging.path,
        log,
        signal,
      })
      if (code !== 0)
        return {
          outcome: 'failed',
          reason:
            `Its proof fails on the merged tree (${code}); the work is on ${tree.branch}. ${cutTo(tail, LONGEST_REASON)}`.trim(),
        }
    }
    const open = openIn(of)
    if (open !== undefined)
      return {
        outcome: 'blocked',
        reason: `${target} is checked out in ${open}; nothing can be merged into it there.`,
      }
    await hold()
    if (signal.aborted) return { outcome: 'failed', reason: `It was stopped; the work is on ${tree.branch}.` }
    if (putInForce(of, merging))
      return { outcome: 'done', reason: `Merged into ${target} as ${merging.commit.slice(0, 9)}.` }
    // Somebody else merged meanwhile, so it is merged with that too.
    removeWorktree(of, merging.path)
  }
  throw new EngineError('conflict', `${target} changed ${MOST_MERGES} times during the merge.`)
}
