import { type Effort, resumeCommand } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Tx } from '../../store/query.ts'
import { isOthers } from './holder.ts'
import { candidatesFor, type Wish } from './meant.ts'
import { onlySetAside, setAsideOf } from './set-aside.ts'
import { isPipeline } from '../../model/plan/plan.ts'
import { followedBy } from '../plan/plan.ts'

/** The pipeline to continue: the caller's own, else the only one of the task or project. */
export async function pipelineMeant(tx: Tx, wish: Wish): Promise<Effort> {
  const { own, others } = await pipelinesFor(tx, wish)
  if (own !== undefined) return own
  const free: Effort[] = []
  for (const one of others) if (!(await isOthers(tx, one, wish))) free.push(one)
  const aside = await setAsideOf(tx, free, wish)
  const [only, second] = free.filter((one) => !aside.includes(one))
  if (only === undefined && aside.length > 0) throw onlySetAside(aside)
  if (only !== undefined && second === undefined) return only
  const [first] = others
  const place = wish.task_id ?? wish.folder ?? '.'
  if (first === undefined) throw await noneIn(tx, place, wish)
  throw new EngineError(
    'conflict',
    only === undefined
      ? `Other sessions run the pipelines in ${place}: ${listOf(others)}.`
      : `Several pipelines are running in ${place}: ${listOf(free)}.`,
    {
      field: 'task_id',
      hint:
        only === undefined
          ? `${resumeCommand(first)} && holdfast step go --effort ${first.id}`
          : `holdfast step go --effort ${only.id}`,
    },
  )
}

interface Start extends Wish {
  readonly task_id: string
  readonly folder: string
  readonly skill: string
  readonly args: string | undefined
}

/** Rejects a second pipeline of a skill for the same work, and a start that is meant to continue. */
export async function checkNoneRuns(tx: Tx, { skill, args, ...wish }: Start): Promise<void> {
  const isSame = (effort: Effort) => effort.skill === skill
  const { own, others } = await pipelinesFor(tx, { ...wish, task_id: undefined }, isSame)
  const continues = /(?:^|\s)--continue(?:\s|$)/.test(args ?? '')
  const open = own ?? others.find(({ task_id }) => continues || task_id === wish.task_id)
  if (open !== undefined)
    throw new EngineError(
      'conflict',
      `Pipeline ${skill} is already running as effort ${open.id} in ${open.task_id}.`,
      { field: 'skill', hint: `holdfast step go --effort ${open.id}` },
    )
  if (continues)
    throw new EngineError('not-found', `No pipeline of ${skill} is running in ${wish.folder}.`, {
      field: 'args',
      hint: `holdfast pipeline start ${shellWord(wish.task_id)} ${shellWord(skill)}`,
    })
}

async function pipelinesFor(tx: Tx, wish: Wish, isMeant: (effort: Effort) => boolean = () => true) {
  const { own, around } = await candidatesFor(tx, wish)
  const isHere = ({ task_id }: Effort) => wish.task_id === undefined || task_id === wish.task_id
  const running = async (efforts: readonly Effort[]) => {
    const found: Effort[] = []
    for (const effort of efforts.filter((one) => isHere(one) && isMeant(one)))
      if (effort.lifecycle === 'active' && (await runsPipeline(tx, effort))) found.push(effort)
    return found
  }
  const [mine] = await running(own)
  return { own: mine, others: await running(around) }
}

async function runsPipeline(tx: Tx, effort: Effort): Promise<boolean> {
  const { plan } = await followedBy(tx, effort)
  return plan !== undefined && isPipeline(plan)
}

async function noneIn(tx: Tx, place: string, wish: Wish): Promise<EngineError> {
  const { others } = await pipelinesFor(tx, { ...wish, task_id: undefined, folder: place })
  const [one] = others
  const elsewhere = one === undefined ? '' : ` Running in this project: ${listOf(others)}.`
  return new EngineError('not-found', `No pipeline is running in ${place}.${elsewhere}`, {
    field: 'task_id',
    hint:
      one === undefined
        ? `holdfast pipeline start ${shellWord(place)} SKILL`
        : `holdfast step go --effort ${one.id}`,
  })
}

const listOf = (efforts: readonly Effort[]): string =>
  efforts.map(({ id, skill, task_id }) => `effort ${id} (${skill}) in ${task_id}`).join(', ')
