import { nextOf } from '../../../model/chain/stored.ts'
import type { NeededFacts } from '../../../rules/facts.ts'
import { lastPromptTo } from '../../../store/message.ts'
import { chainOf } from '../../effort/frames.ts'
import { workOf } from '../../effort/skill-facts.ts'
import { skillCalled } from '../../skill/called.ts'
import type { Loader } from './loader.ts'

/** The chain of the session; a sub-agent has none. */
export const chain: Loader<'chain'> = {
  looks: ['place', 'records'],
  async load(tx, { window: { session, watch }, project, looked: { event, digests, unwritten } }) {
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
    const { workplace_id } = project
    const isKnown = async (name: string) => (await skillCalled(tx, { workplace_id, name })) !== undefined
    return {
      frames,
      running,
      isNextKnown: !isStop || next === undefined || (await isKnown(next.skill)),
      isAsked:
        isStop &&
        next?.asked_at != null &&
        next.asked_at > ((await lastPromptTo(tx, { native_id }))?.timestamp ?? ''),
    }
  },
}
