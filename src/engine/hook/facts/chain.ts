import { currentOf, nextOf, type SkillCall } from '../../../model/chain/stored.ts'
import { callInModes, invocationsOf } from '../../../model/invocation.ts'
import type { Mode } from '../../../model/mode.ts'
import { modesOf } from '../../../model/own-words.ts'
import type { NeededFacts } from '../../../rules/facts.ts'
import { lastPromptTo } from '../../../store/message.ts'
import { knowsNext } from '../../effort/chain-meant.ts'
import { chainOf, exitsOf } from '../../effort/frames.ts'
import { workOf } from '../../effort/skill-facts.ts'
import type { Loader } from './loader.ts'

/** The chain of the session; a sub-agent has none. */
export const chain: Loader<'chain'> = {
  looks: ['place', 'records'],
  async load(tx, { window: { session, watch }, project, context, looked }) {
    const { event, digests, unwritten } = looked
    const { native_id, scope_of } = session
    if (native_id === null || scope_of !== null || watch.hasChain !== true) return undefined
    const frames = await chainOf(tx, native_id)
    if (frames.length === 0) return undefined
    const running = new Map<number, NonNullable<NeededFacts['work']>>()
    for (const { id, status, effort_id } of frames) {
      if (status !== 'running' || effort_id === null) continue
      const work = await workOf(tx, { session: { effort_id }, project, digests, unwritten })
      if (work !== undefined) running.set(id, work)
    }
    const next = nextOf(frames)
    const isStop = event.kind === 'turn.stopped'
    const last = isStop && next === undefined ? currentOf(frames) : undefined
    const { workplace_id } = project
    const endsNow = last !== undefined && workplace_id !== undefined && !running.has(last.id)
    return {
      frames,
      running,
      isNextKnown: !isStop || (await knowsNext(tx, frames, workplace_id)),
      exits: endsNow ? await exitsOf(tx, { skill: last.skill, workplace_id }, frames) : [],
      isNextQuick: next !== undefined && isQuick(next, modesOf(context.config(project.root))),
      isAsked:
        isStop &&
        next?.asked_at != null &&
        next.asked_at > ((await lastPromptTo(tx, { native_id }))?.timestamp ?? ''),
    }
  },
}

function isQuick({ skill, args }: SkillCall, modes: readonly Mode[]): boolean {
  const [call] = invocationsOf(`/${skill} ${args}`)
  return call !== undefined && callInModes(call, modes).quick
}
