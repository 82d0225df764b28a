import { resolve } from 'node:path'
import type { BodyView, WholeItem } from '../../engine/work/view.ts'
import { counted } from '../../model/text/line.ts'
import { ITEM_STATES, type ItemState } from '../../model/work/item.ts'
import { shapeOf } from '../../model/work/shape.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines, printResult } from '../frame/show.ts'
import { type Added, importPlan } from '../work/import-plan.ts'
import { readPlanFile } from '../work/plan-file.ts'
import { bodyText, itemText } from '../work/screen.ts'

type Values = Readonly<Record<string, string>>

/** The flag that names a body of work. */
export const EFFORT_FLAG = {
  effort: { kind: 'value', summary: 'number of the body of work (default: the only one of the project)' },
} as const

/** The body of work that a command means. */
export const bodyOf = (io: Io, { effort }: Values) => ({
  cwd: resolve(io.cwd),
  ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
})

const NEW_FLAG = {
  new: { kind: 'switch', summary: 'begin another body of work beside those of the project' },
} as const

export const workAdd: Command = {
  name: 'work add',
  summary: 'Add an item to the body of work of this project; begin one if there is none.',
  usage: 'TITLE',
  places: { TITLE: 'what is to be done, in a few words' },
  flags: {
    id: { kind: 'value', summary: 'what it is called (default: the next number)' },
    prompt: { kind: 'value', summary: 'the instructions for its worker (default: the title)' },
    skill: { kind: 'value', summary: 'the skill that its worker calls' },
    after: { kind: 'value', summary: 'items that must be done before, such as 1,2' },
    consumes: { kind: 'value', summary: 'results of other items that it needs, separated by commas' },
    produces: { kind: 'value', summary: 'names of its results, separated by commas' },
    files: { kind: 'value', summary: 'files that it is about, separated by commas' },
    limit: { kind: 'value', summary: 'how often it is tried (default: 2)' },
    model: { kind: 'value', summary: 'the model of its worker' },
    proof: { kind: 'value', summary: 'the command that must pass once its work is merged' },
    ...EFFORT_FLAG,
    ...NEW_FLAG,
  },
  examples: [
    `holdfast work add 'Write the schema' --produces schema`,
    `holdfast work add 'Show the page' --consumes schema --proof 'npm test'`,
  ],
  async run(io, { positionals: [title = ''], values, switches }) {
    const { id: item, prompt, skill, model, proof, limit } = values
    const draft = {
      title,
      ...given({ item, prompt, skill, model, proof }),
      ...given({
        blocked_by: namesIn(values['after']),
        consumes: namesIn(values['consumes']),
        produces: namesIn(values['produces']),
        files: namesIn(values['files']),
      }),
      ...(limit !== undefined && { limit: numberOf(limit, '--limit') }),
    }
    using remote = new Remote(io)
    const added = await remote.call<Added>('work.add', {
      ...bodyOf(io, values),
      items: [draft],
      ...(switches.has('new') && { begin: true }),
    })
    const { effort_id, begun, known } = added
    const [name = ''] = [...added.added, ...known]
    printResult(io, added, () =>
      known.length > 0
        ? `Effort ${effort_id} has an item ${name} already, so nothing changed. See it: holdfast work show ${name} --effort ${effort_id}`
        : `${begun ? `Began effort ${effort_id}, and added` : `Added`} item ${name}${begun ? '' : ` to effort ${effort_id}`}. See all: holdfast work list --effort ${effort_id}`,
    )
    return 0
  },
}

const given = <T>(fields: Readonly<Record<string, T | undefined>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const namesIn = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

export const workImport: Command = {
  name: 'work import',
  summary: 'Add the items of a plan: phases, numbered tasks and check lists in markdown, or lines of JSON.',
  usage: 'FILE',
  places: { FILE: 'a plan in markdown, or a file that ends with .jsonl' },
  flags: {
    dry_run: { kind: 'switch', summary: 'only show the items and what they wait for' },
    ...EFFORT_FLAG,
    ...NEW_FLAG,
  },
  examples: ['holdfast work import PLAN.md --dry-run', 'holdfast work import items.jsonl --effort 3'],
  async run(io, { positionals: [name = ''], values, switches }) {
    const { title, items, parts, ticked } = readPlanFile(io, name)
    const shape = shapeOf(items)
    const left = ticked > 0 ? ` ${counted(ticked, 'entry')} ticked already.` : ''
    if (switches.has('dry_run')) {
      const shown = items.map(({ item, title: what, blockedBy }) => ({
        item,
        title: what,
        blocked_by: blockedBy,
      }))
      printResult(io, { title, shape, ticked, items: shown }, () =>
        [
          `${cell(title)}: ${counted(items.length, 'item')} (${shape}).${left}`,
          ...shown.map(
            (one) =>
              `${one.item}  ${cell(one.title)}${one.blocked_by.length === 0 ? '' : `  (after ${one.blocked_by.join(', ')})`}`,
          ),
        ].join('\n'),
      )
      return 0
    }
    using remote = new Remote(io)
    const begin = switches.has('new') ? { begin: true } : {}
    const all = await importPlan(io, remote, { title, parts }, { ...bodyOf(io, values), ...begin })
    const { effort_id, added, known } = all
    printResult(
      io,
      { ...all, shape, ticked },
      () =>
        `Added ${counted(added.length, 'item')} to effort ${effort_id} (${shape}).${known.length > 0 ? ` ${known.length} were there already.` : ''}${left} See them: holdfast work list --effort ${effort_id}`,
    )
    return 0
  },
}

const stateIn = (word: string): ItemState => {
  const state = ITEM_STATES.find((one) => one === word)
  if (state === undefined)
    throw usage(
      `An item cannot be ${JSON.stringify(word)}; it can be ${ITEM_STATES.join(', ')}.`,
      'holdfast work list',
    )
  return state
}

const listing = async (io: Io, values: Values, states: readonly ItemState[] | undefined): Promise<number> => {
  using remote = new Remote(io)
  const { limit } = values
  const body = await remote.call<BodyView>('work.list', {
    ...bodyOf(io, values),
    ...(states !== undefined && { states }),
    ...(limit !== undefined && { limit: numberOf(limit, '--limit') }),
  })
  printResult(io, body, () => bodyText(io, body))
  return 0
}

const LIST_FLAGS = {
  ...EFFORT_FLAG,
  limit: { kind: 'value', summary: 'maximum number of items (default 100)' },
} as const

export const workList: Command = {
  name: 'work list',
  summary:
    'Show the body of work of this project: its items, how many stand where, and what you must decide.',
  usage: '',
  flags: {
    ...LIST_FLAGS,
    state: { kind: 'value', summary: `only items in these states: ${ITEM_STATES.join(', ')}` },
  },
  examples: ['holdfast work list --state failed,blocked'],
  run: (io, { values }) => listing(io, values, namesIn(values['state'])?.map(stateIn)),
}

export const workReady: Command = {
  name: 'work ready',
  summary: 'Show the items that a worker may take now.',
  usage: '',
  flags: LIST_FLAGS,
  run: (io, { values }) => listing(io, values, ['open']),
}

export const workShow: Command = {
  name: 'work show',
  summary: 'Show an item with its prompt, what it waits for and what waits for it.',
  usage: 'ITEM',
  places: { ITEM: 'what it is called in `holdfast work list`' },
  flags: EFFORT_FLAG,
  async run(io, { positionals: [item = ''], values }) {
    using remote = new Remote(io)
    const one = await remote.call<WholeItem>('work.show', { ...bodyOf(io, values), item })
    printLines(io, one, () => itemText(io, one))
    return 0
  },
}
