import type { BodyView, WholeItem } from '../../engine/work/view.ts'
import { counted } from '../../model/text/line.ts'
import type { ItemOutcome } from '../../model/work/item.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import { usage } from '../frame/io.ts'
import { printLines, printResult } from '../frame/show.ts'
import { bodyText, claimedText } from '../work/screen.ts'
import { bodyOf, EFFORT_FLAG } from './work.ts'

const ITEM = { ITEM: 'what it is called in `holdfast work list`' }
const LEASE_FLAG = {
  lease: { kind: 'value', summary: 'seconds until others may take it, unless you renew (default: 300)' },
} as const

interface Claimed {
  readonly effort_id: number
  readonly item: WholeItem | null
  readonly resumed: boolean
  readonly over: boolean
}

export const workClaim: Command = {
  name: 'work claim',
  summary: 'Take the next open item, or again the one that you have; prints what to do and how to end it.',
  usage: '[ITEM]',
  places: { '[ITEM]': 'the item that you mean (default: the first open one)' },
  flags: {
    worker: { kind: 'value', summary: 'who takes it (default: the agent or the session that calls)' },
    ...LEASE_FLAG,
    ...EFFORT_FLAG,
    ...CALLER_FLAGS,
  },
  async run(io, { positionals: [item], values }) {
    const { worker, lease } = values
    using remote = new Remote(io)
    const claimed = await remote.call<Claimed>('work.claim', {
      ...bodyOf(io, values),
      ...identityOf(io, values),
      ...(item !== undefined && { item }),
      ...(worker !== undefined && { worker }),
      ...(lease !== undefined && { lease_seconds: numberOf(lease, '--lease') }),
    })
    const { effort_id, over } = claimed
    printLines(io, claimed, () =>
      claimed.item !== null
        ? claimedText(claimed.item, claimed.resumed)
        : over
          ? `Effort ${effort_id} has nothing left that can go on. See the report: holdfast work list --effort ${effort_id}`
          : `No item of effort ${effort_id} is open now; others are in work. See them: holdfast work list --effort ${effort_id}`,
    )
    return 0
  },
}

export const workRenew: Command = {
  name: 'work renew',
  summary: 'Hold on to an item that you still work on.',
  usage: 'ITEM',
  places: ITEM,
  flags: {
    fence: { kind: 'value', summary: 'the number that the claim printed' },
    ...LEASE_FLAG,
    ...EFFORT_FLAG,
  },
  async run(io, { positionals: [item = ''], values }) {
    using remote = new Remote(io)
    const { lease } = values
    const lent = await remote.call<{ readonly lease_until: string }>('work.renew', {
      ...bodyOf(io, values),
      item,
      fence: fenceIn(values, `renew ${item}`),
      ...(lease !== undefined && { lease_seconds: numberOf(lease, '--lease') }),
    })
    printResult(io, lent, () => `Item ${item} is yours until ${lent.lease_until}.`)
    return 0
  },
}

const fenceIn = ({ fence }: Readonly<Record<string, string>>, call: string): number => {
  if (fence === undefined)
    throw usage('Say which claim this is about, with --fence.', `holdfast work ${call} --fence NUMBER`)
  return numberOf(fence, '--fence')
}

interface Reported extends WholeItem {
  readonly moved: boolean
  readonly over: boolean
}

/** The commands that end the try of an item differ only in its outcome. */
const ending = (
  word: string,
  outcome: ItemOutcome,
  { summary, reason, isDue }: { readonly summary: string; readonly reason: string; readonly isDue: boolean },
): Command => ({
  name: `work ${word}`,
  summary,
  usage: 'ITEM',
  places: ITEM,
  flags: {
    fence: { kind: 'value', summary: 'the number that the claim printed' },
    reason: { kind: 'value', summary: reason },
    ...EFFORT_FLAG,
  },
  examples: [`holdfast work ${word} 3 --fence 1${isDue ? ' --reason "two tests fail"' : ''}`],
  async run(io, { positionals: [item = ''], values }) {
    const { reason: why } = values
    const fence = fenceIn(values, `${word} ${item}`)
    if (isDue && why === undefined)
      throw usage(`Say why, with --reason.`, `holdfast work ${word} ${item} --fence ${fence} --reason WHY`)
    using remote = new Remote(io)
    const told = await remote.call<Reported>('work.report', {
      ...bodyOf(io, values),
      item,
      fence,
      outcome,
      ...(why !== undefined && { reason: why }),
    })
    printResult(io, told, () => endedText(told))
    return 0
  },
})

const endedText = ({ item, state, moved, over, attempts, limit, effort_id }: Reported): string => {
  const now = state === 'open' ? `open again (try ${attempts} of ${limit} has ended)` : state
  const next = over
    ? `Nothing is left that can go on. See the report: holdfast work list --effort ${effort_id}`
    : `Take the next one: holdfast work claim --effort ${effort_id}`
  return `Item ${item} is ${now}${moved ? '' : ', as it was'}. ${next}`
}

export const workDone = ending('done', 'done', {
  summary: 'Say that an item is done; what waited for it may start.',
  reason: 'what was done',
  isDue: false,
})

export const workFail = ending('fail', 'failed', {
  summary: 'Say that an item failed; it is offered again within its limit.',
  reason: 'what stopped it; the same words twice are final',
  isDue: true,
})

export const workBlock = ending('block', 'blocked', {
  summary: 'Say that an item needs the user; what waits for it is blocked.',
  reason: 'the question, or what only the user can do',
  isDue: true,
})

export const workRelease = ending('release', 'released', {
  summary: 'Give an item back without a try.',
  reason: 'why',
  isDue: false,
})

export const workRetry: Command = {
  name: 'work retry',
  summary: 'Let an item that failed for good, or needs you, be tried once more.',
  usage: 'ITEM',
  places: ITEM,
  flags: {
    reason: { kind: 'value', summary: 'why it may work now; recorded' },
    ...EFFORT_FLAG,
  },
  examples: ['holdfast work retry 3 --reason "the server is up again"'],
  async run(io, { positionals: [item = ''], values }) {
    const { reason } = values
    if (reason === undefined)
      throw usage('Say why, with --reason.', `holdfast work retry ${item} --reason WHY`)
    using remote = new Remote(io)
    const body = await remote.call<BodyView>('work.allow', { ...bodyOf(io, values), item, reason })
    printResult(io, body, () => bodyText(io, body))
    return 0
  },
}

export const workRecover: Command = {
  name: 'work recover',
  summary: 'Take items back from silent workers, and compute where every item stands.',
  usage: '',
  flags: EFFORT_FLAG,
  async run(io, { values }) {
    using remote = new Remote(io)
    const found = await remote.call<{
      readonly effort_id: number
      readonly expired: readonly string[]
      readonly changed: readonly string[]
    }>('scheduler.recover', bodyOf(io, values))
    const { expired, changed, effort_id } = found
    printResult(
      io,
      found,
      () =>
        `Effort ${effort_id}: ${counted(expired.length, 'item')} taken back from silent workers, ${counted(changed.length, 'item')} stored anew.`,
    )
    return 0
  },
}
