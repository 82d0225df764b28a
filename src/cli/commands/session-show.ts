import type { Message } from '../../model/message.ts'
import { relativeTime } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printVerbatim } from '../frame/show.ts'

interface Shown {
  readonly native_id: string
  readonly client: string | null
  readonly workplace: string | null
  readonly resume: string | null
  readonly messages: readonly Pick<Message, 'id' | 'role' | 'content' | 'timestamp'>[]
}

export const sessionShow: Command = {
  name: 'session show',
  summary: 'Show what you and the agent said in a session, oldest first.',
  usage: 'SESSION',
  places: { SESSION: "the client's id of the session; holdfast search and session list --json show it" },
  flags: { limit: { kind: 'value', summary: 'maximum number of messages, the newest ones (default 40)' } },
  examples: ['holdfast session show 0f5ae0a2-58b3-4d0b-9d54-5fcb0a6b0f10'],
  async run(io, { positionals: [session = ''], values }) {
    using remote = new Remote(io)
    const shown = await remote.call<Shown>('db.session.show', {
      session,
      ...(values['limit'] !== undefined && { limit: numberOf(values['limit'], '--limit') }),
    })
    printVerbatim(io, shown, () => textOf(io, shown))
    return 0
  },
}

/** Each message below a line with who said it and when; the lines of a message are indented. */
function textOf(io: Io, { native_id, client, workplace, resume, messages }: Shown): string {
  const place = workplace === null ? '' : `, in ${cell(workplace)}`
  const head = `Session ${cell(native_id)} of ${cell(client ?? 'no client')}${place}`
  const said = messages.map(({ id, role, content, timestamp }) => {
    const who = role === 'user' ? 'you' : 'agent'
    const lines = content.split(/\r?\n/).map((line) => `  ${cell(line)}`)
    return [paint(io, 'bold', `${who}, ${relativeTime(timestamp)} (message ${id})`), ...lines].join('\n')
  })
  const none = messages.length === 0 ? ['Nobody said anything that Holdfast heard.'] : []
  return [head, ...none, ...said, ...(resume === null ? [] : [`To resume it: ${resume}`])].join('\n\n')
}
