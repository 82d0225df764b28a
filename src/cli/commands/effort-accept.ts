import { differenceText, type PlanDifference } from '../../model/plan/edit.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'

interface Accepted extends PlanDifference {
  readonly effort_id: number
  readonly skill: string
  readonly steps_kept: readonly string[]
  readonly steps_dropped: readonly string[]
  readonly next: readonly string[]
}

export const effortAccept: Command = {
  name: 'effort accept',
  summary: 'Put the edited plan of a skill in force for an effort, and show what the edit changes.',
  usage: 'EFFORT',
  places: { EFFORT: 'number of the effort; holdfast effort show EFFORT names an edit that waits' },
  flags: {},
  examples: ['holdfast effort accept 3'],
  async run(io, { positionals: [effort = ''] }) {
    using remote = new Remote(io)
    const params = { effort_id: numberOf(effort, 'EFFORT') }
    const accepted = await remote.call<Accepted>('db.effort.accept', params)
    const { effort_id: id, skill, steps_kept: kept, steps_dropped: dropped, next } = accepted
    printResult(io, accepted, () =>
      [
        `Effort ${id} (${cell(skill)}) now follows the edited plan: the edit ${cell(differenceText(accepted))}.`,
        ...(kept.length === 0 ? [] : [`Its progress stays: ${kept.map(cell).join(', ')}.`]),
        ...(dropped.length === 0 ? [] : [`No longer in the plan: ${dropped.map(cell).join(', ')}.`]),
        ...next.slice(0, 1).map((action) => `next: ${paint(io, 'cyan', cell(action))}`),
      ].join('\n'),
    )
    return 0
  },
}
