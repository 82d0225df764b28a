import type { ListedSession } from '../../engine/methods/session-list.ts'
import { counted } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { cutTo } from '../frame/wrap.ts'

export const sessionList: Command = {
  name: 'session list',
  summary: 'List the sessions of this project, newest first: what each was about, and how to resume it.',
  usage: '',
  flags: {
    all_projects: { kind: 'switch', summary: 'list the sessions of every project' },
    limit: { kind: 'value', summary: 'maximum number of sessions (default 20)' },
  },
  examples: ['holdfast session', 'holdfast session list --all-projects'],
  async run(io, { values, switches }) {
    using remote = new Remote(io)
    const isAll = switches.has('all_projects')
    const sessions = await remote.call<readonly ListedSession[]>('db.session.list', {
      ...(!isAll && { path: io.cwd }),
      ...(values['limit'] !== undefined && { limit: numberOf(values['limit'], '--limit') }),
    })
    printResult(io, sessions, () =>
      sessions.length === 0
        ? `No session ${isAll ? 'yet' : 'in this project yet; those of all projects: holdfast session list --all-projects'}.`
        : sessions.map((one) => textOf(io, one, isAll)).join('\n\n'),
    )
    return 0
  },
}

/** What it was about, how it stands, and the command that resumes it on a line of its own, so that it can be copied. */
function textOf(io: Io, one: ListedSession, isAll: boolean): string {
  const about = one.about ?? (one.skill === null ? '(nothing asked)' : `/${one.skill}`)
  const facts = [
    `${one.state}, ${relativeTime(one.seen_at)}`,
    ...(one.agent_id === null ? [] : [`agent ${cell(one.agent_id)}`]),
    ...(one.effort_id === null ? [] : [`effort ${one.effort_id} of ${cell(one.skill)}`]),
    ...(one.changed_files === 0 ? [] : [`${counted(one.changed_files, 'file')} changed`]),
    ...(isAll && one.workplace !== null ? [`in ${cell(one.workplace)}`] : []),
  ]
  return [
    cutTo(cell(about), io.width),
    ...(one.last === null ? [] : [cutTo(`  then: ${cell(one.last)}`, io.width)]),
    `  ${facts.join(', ')}`,
    ...(one.resume === null ? [] : [`  ${one.resume}`]),
  ].join('\n')
}
