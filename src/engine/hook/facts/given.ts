import { scopeId } from '../../../model/session.ts'
import { delegatingScopesOf, openDelegations, toDelegation } from '../../../store/delegation.ts'
import { openSpansOf } from '../../../store/span.ts'
import type { Loader } from './loader.ts'

/** What the sub-agent of the event was given by its main thread or by another sub-agent. */
export const given: Loader<'given'> = {
  looks: [],
  async load(tx, { looked: { event }, window }) {
    const { subagent } = event
    if (subagent === undefined) return undefined
    const native = window.session.native_id ?? ''
    const spans = await openSpansOf(tx, { session_id: scopeId(native, subagent.id) })
    const scopes = await delegatingScopesOf(tx, { scope_of: native })
    const steps: { skill: string; step: string }[] = []
    for (const session_id of [native, ...scopes.flatMap(({ native_id }) => native_id ?? [])])
      for (const { skill, agent, steps: handed } of (await openDelegations(tx, { session_id })).map(
        toDelegation,
      ))
        // Until its call is answered, nobody knows which sub-agent has it.
        if (agent === undefined || agent === subagent.id)
          steps.push(...handed.map((step) => ({ skill, step })))
    return { skills: spans.map(({ skill }) => skill), steps }
  },
}
