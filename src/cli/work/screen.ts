import type { BodyView, ItemView, WholeItem } from '../../engine/work/view.ts'
import { counted } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Io } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { table } from '../frame/table.ts'

/** How far a body of work is, in one line. */
export function progressLine({ counts }: Pick<BodyView, 'counts'>): string {
  const { done, taken, open, waiting, failed, blocked } = counts
  const total = done + taken + open + waiting + failed + blocked
  const parts = [
    `${done} of ${counted(total, 'item')} done`,
    ...(taken > 0 ? [`${taken} in work`] : []),
    ...(open > 0 ? [`${open} open`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
  ]
  return parts.join(', ')
}

/** A body of work with its items. */
export function bodyText(io: Io, body: BodyView): string {
  const { effort_id, title, items, parked, lifecycle, shape } = body
  const head = `Effort ${effort_id}: ${cell(title)} (${shape}${lifecycle === 'finished' ? ', finished' : ''})`
  const next =
    parked !== null
      ? `Parked: ${cell(parked)} To let an item be tried once more: holdfast work retry ITEM --reason WHY --effort ${effort_id}`
      : undefined
  return [head, progressLine(body), items.length === 0 ? 'No items.' : itemTable(io, items), next]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

const itemTable = (io: Io, items: readonly ItemView[]): string =>
  table(
    io,
    items.map((one) => ({
      item: one.item,
      title: one.title,
      state: one.blocker === null ? one.state : `blocked by ${one.blocker}`,
      tries: one.attempts === 0 ? null : `${one.attempts} of ${one.limit}`,
      'waits for': one.blocked_by.join(' '),
      worker: one.state === 'taken' ? one.worker : null,
      why: one.state === 'done' ? null : one.reason,
    })),
    { cut: ['title', 'why'], short: ['worker'] },
  )

/** What the worker of an item needs, and the commands that end it. */
export function claimedText(item: WholeItem, resumed: boolean): string {
  const { effort_id, prompt, title, skill, files, fence, attempts, limit, reason } = item
  const own = `${shellWord(item.item)} --fence ${fence} --effort ${effort_id}`
  return [
    `Item ${item.item} of effort ${effort_id}: ${cell(title)} (try ${attempts} of ${limit}${resumed ? ', yours already' : ''})`,
    ...(skill === null ? [] : [`Call the skill ${skill} with these words.`]),
    ...(files.length === 0 ? [] : [`Files: ${files.map(cell).join(', ')}`]),
    ...(reason === null ? [] : [`An earlier try failed: ${cell(reason)}`]),
    ...(prompt === null ? [] : ['', prompt, '']),
    `Done: holdfast work done ${own}`,
    `Failed: holdfast work fail ${own} --reason WHY`,
    `Needs the user: holdfast work block ${own} --reason QUESTION`,
    `Still at work after a few minutes: holdfast work renew ${own}`,
  ].join('\n')
}

/** One item with everything that is known of it. */
export function itemText(io: Io, item: WholeItem): string {
  const { prompt, blocked_by, blocks, ...rest } = item
  const rows = itemTable(io, [{ ...rest, blocked_by }])
  const lines = [
    ...(blocks.length === 0 ? [] : [`What waits for it: ${blocks.join(', ')}`]),
    ...(rest.files.length === 0 ? [] : [`Files: ${rest.files.map(cell).join(', ')}`]),
    ...(rest.skill === null ? [] : [`Skill: ${rest.skill}`]),
    ...(rest.model === null ? [] : [`Model: ${cell(rest.model)}`]),
    ...(rest.proof === null ? [] : [`Proof: ${cell(rest.proof)}`]),
    ...(rest.reason === null ? [] : [`Last: ${cell(rest.reason)}`]),
  ]
  return [rows, lines.join('\n'), prompt ?? ''].filter((part) => part !== '').join('\n\n')
}
