import type { QueueItem } from '../../model/queue.ts'
import { numberOf } from '../frame/args.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { relativeTime } from '../../model/text/time.ts'

const WHERE = {
  effort: { kind: 'value', summary: 'only items of this effort' },
  kind: { kind: 'value', summary: 'such as observation, question or follow-up' },
} as const

export const queueAdd: Command = {
  name: 'queue add',
  summary: 'Add an observation or question to the queue of this project.',
  usage: 'TEXT',
  places: { TEXT: 'the observation or question' },
  flags: WHERE,
  examples: [`holdfast queue add 'The login page has no tests' --kind follow-up`],
  async run(io, { positionals, values }) {
    using remote = new Remote(io)
    const [content] = positionals
    const item = await remote.call<QueueItem>('queue.add', { content, ...filterOf(io, values) })
    printResult(io, item, () => `Added item ${item.id}. Resolve it: holdfast queue resolve ${item.id} TEXT`)
    return 0
  },
}

export const queueList: Command = {
  name: 'queue list',
  summary: 'List the open items in the queue of this project, newest first.',
  usage: '',
  flags: {
    ...WHERE,
    resolved: { kind: 'switch', summary: 'list resolved items with their resolutions' },
    limit: { kind: 'value', summary: 'maximum number of items (default 100)' },
  },
  async run(io, { values, switches }) {
    using remote = new Remote(io)
    const items = await remote.call<readonly QueueItem[]>('queue.list', {
      ...filterOf(io, values),
      ...(switches.has('resolved') && { resolved: true }),
      ...(values['limit'] !== undefined && { limit: numberOf(values['limit'], '--limit') }),
    })
    printResult(io, items, () => (items.length === 0 ? noneOf(switches) : show(io, items)))
    return 0
  },
}

const noneOf = (switches: ReadonlySet<string>): string =>
  `The queue has no ${switches.has('resolved') ? 'resolved' : 'open'} items.`

export const queueResolve: Command = {
  name: 'queue resolve',
  summary: 'Resolve an item of the queue; its first resolution is final.',
  usage: 'ID TEXT',
  places: { ID: 'number of the item', TEXT: 'the resolution' },
  flags: {},
  async run(io, { positionals }) {
    const [id = '', resolution] = positionals
    using remote = new Remote(io)
    const item = await remote.call<QueueItem>('queue.resolve', {
      id: numberOf(id, 'ID'),
      resolution,
    })
    printResult(io, item, () => `Item ${item.id} is resolved: ${item.resolution}`)
    return 0
  },
}

const filterOf = (io: Io, values: Readonly<Record<string, string>>) => ({
  path: io.cwd,
  ...(values['effort'] !== undefined && { effort_id: numberOf(values['effort'], '--effort') }),
  ...(values['kind'] !== undefined && { kind: values['kind'] }),
})

const show = (io: Io, items: readonly QueueItem[]): string =>
  table(
    io,
    items.map(({ id, kind, content, effort_id: effort, resolution, created_at }) => ({
      id,
      kind,
      content,
      effort,
      resolution,
      since: relativeTime(created_at),
    })),
  )
