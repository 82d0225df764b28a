import { startsEffort } from '../model/effort.ts'
import { invocationsOf, saidIn } from '../model/invocation.ts'
import type { HookEvent } from '../model/event.ts'
import type { Window } from './facts.ts'
import { rule } from './rule.ts'
import { anewBy, type Called, isForked } from './spans.ts'
import { type AppliesTo, composedText, modesText } from './told/modes.ts'

/** The skill that composes modes and skills; without it, they are only told together. */
const COMPOSER = 'exec-opt'

/** Tells what a mode asks for; which steps are due follows from the call. */
export const modes = rule({
  name: 'modes',
  summary: 'tells the agent the modes that tags such as `#ver` set, and keeps them with the effort of a call',
  setting: 'modes',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before'],
  wakes: ({ event }) => {
    const said = saidIn(event)
    return said !== undefined && (said.includes('#') || said.startsWith(`/${COMPOSER} `))
  },
  needs: ['moded', 'invoked'],
  judge(event, facts) {
    const { modes: set, text } = facts.moded
    const [call] = facts.invoked
    // The scope of its sub-agent hears of them.
    if (call !== undefined && isForked(event, call.skill, facts)) return undefined
    const keeps = call !== undefined && set.length > 0 && startsEffort(call.skill)
    const changes = keeps
      ? [{ kind: 'modes.set' as const, skill: call.skill.name, modes: set.map(({ tag }) => tag) }]
      : []
    if (isToldLater(event, facts)) return { changes }
    const told = set.length === 0 ? [] : [modesText(set, appliesTo(event, call))]
    return { changes, contexts: [...told, ...composed(text)] }
  },
})

/** A typed call is reported twice, and its prompt comes last. */
const isToldLater = ({ kind }: HookEvent, { session }: Pick<Window, 'session'>): boolean =>
  kind === 'prompt.expanded' && session.scope_of === null

function appliesTo(event: HookEvent, call: Called | undefined): AppliesTo {
  if (call === undefined) return { kind: 'prompt' }
  const { name: skill, effort } = call.skill
  if (!startsEffort(call.skill)) return { kind: 'skill', skill }
  const goesOn = effort !== undefined && anewBy(event, call) === undefined
  return {
    kind: 'effort',
    skill,
    before: goesOn ? { id: effort.id, mode: effort.mode ?? 'full' } : undefined,
  }
}

/** The skills that a composing call names. */
function composed(text: string): readonly string[] {
  const [first] = invocationsOf(text)
  if (first?.name !== COMPOSER) return []
  const asked = invocationsOf(first.args)
  const last = asked.at(-1)
  return last === undefined
    ? []
    : [
        composedText(
          asked.map(({ name }) => name),
          last.args,
        ),
      ]
}
