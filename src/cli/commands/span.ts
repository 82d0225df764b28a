import type { Span } from '../../model/span.ts'
import { numberOf } from '../frame/args.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { relativeTime } from '../../model/text/time.ts'

interface Branch extends Span {
  /** What came of it; missing in answers of older daemons. */
  readonly state?: string
  readonly children: readonly Branch[]
}

export const spanTree: Command = {
  name: 'span tree',
  summary: 'Show the skill calls of this project as a tree, with the steps of each.',
  usage: '',
  flags: {
    session: { kind: 'value', summary: 'only this session, by its id in the client' },
    effort: { kind: 'value', summary: 'only this effort' },
    skill: { kind: 'value', summary: 'only this skill' },
    limit: { kind: 'value', summary: 'number of newest spans (default 100)' },
  },
  examples: ['holdfast span tree', 'holdfast span tree --effort 3 --json'],
  async run(io, { values }) {
    const number = (name: string) => numberOf(values[name] ?? '', `--${name}`)
    using remote = new Remote(io)
    const isNamed = values['session'] !== undefined || values['effort'] !== undefined
    const project = isNamed ? undefined : await projectHere(io, remote)
    const tree = await remote.call<readonly Branch[]>('span.tree', {
      ...(values['session'] !== undefined && { session_id: values['session'] }),
      ...(values['effort'] !== undefined && { effort_id: number('effort') }),
      ...(values['skill'] !== undefined && { skill: values['skill'] }),
      ...(project !== undefined && { project_id: project.id }),
      ...(values['limit'] !== undefined && { limit: number('limit') }),
    })
    printResult(io, tree, () =>
      tree.length === 0
        ? `No skill call is recorded${project === undefined ? '' : ' in this project'}.`
        : tree.flatMap((branch) => lines(io, branch, '')).join('\n'),
    )
    return 0
  },
}

const STYLES = { active: 'green', suspended: 'yellow', completed: 'dim' } as const

function lines(io: Io, branch: Branch, indent: string): readonly string[] {
  const { skill, status, state = status, steps, effort_id, started_at, children } = branch
  const line = [
    `${indent}${paint(io, 'bold', cell(skill))}`,
    paint(io, STYLES[status], state),
    ...(effort_id === null ? [] : [`effort ${effort_id}`]),
    ...(steps.length === 0 ? [] : [steps.map(cell).join(' → ')]),
    paint(io, 'dim', relativeTime(started_at)),
  ]
  return [line.join('  '), ...children.flatMap((child) => lines(io, child, `${indent}  `))]
}
