import {
  chosenModel,
  DEFAULT_MODEL,
  EACH_ITS_TASK,
  HAND_OVER,
  launchAll,
  namesItsStep,
  PARALLEL_FREE,
  PARALLEL_START,
  REPORT_PASSES,
  returnsValues,
  startBy,
  WAIT_FOR_ALL,
  WAIT_FOR_ONE,
  WORKS_FREELY,
} from './guidance.ts'
import type { ChildView, DispatchView } from './view.ts'
import { type Element, element, type Part } from './xml.ts'

/** How work is given to sub-agents. */

type Texts = Readonly<Record<string, string>>

export interface Subagent {
  readonly agent: string
  /** What it must be told, by name. */
  readonly vars?: Texts
  /** Without it, the sub-agent works freely. */
  readonly command: string | null
  /** What is said to it besides: instruction, task. */
  readonly lines?: readonly string[]
  /** Where the report of the review is whose findings it fixes. */
  readonly report?: string | null
}

export function subagentDispatch({
  agent,
  vars = {},
  command,
  lines = [],
  report = null,
}: Subagent): Element {
  const context = contextOf(report === null ? vars : { ...vars, QR_REPORT_PATH: report })
  const passes = report === null ? [] : [element('qr_report_passthrough', REPORT_PASSES)]
  const how =
    command === null
      ? [element('free_form_instruction', [...WORKS_FREELY, ...lines])]
      : [
          element('invoke', command),
          element('handoff_instruction', [...HAND_OVER, startBy(command), ...lines]),
        ]
  const mode = command === null ? 'free-form' : 'script'
  return element('subagent_dispatch', [...context, ...passes, ...how], { agent, mode })
}

const contextOf = (vars: Texts): readonly Element[] => {
  const named = Object.entries(vars).map(([name, text]) => element('var', text, { name }))
  return named.length === 0 ? [] : [element('context', named)]
}

export interface Model {
  /** Undefined for the default of the sub-agent. */
  readonly model?: string | undefined
  readonly rationale?: string | undefined
  readonly per_agent?: Texts | undefined
}

/** Says the default too: a model left out would carry over from an earlier choice. */
export function modelSelection({ model, rationale, per_agent = {} }: Model): Element {
  const overrides = Object.entries(per_agent).map(([id, other]) => `- ${other}: ${id}`)
  return element('model_selection', [
    model === undefined ? DEFAULT_MODEL : chosenModel(model),
    ...(rationale === undefined ? [] : [rationale]),
    ...(overrides.length === 0 ? [] : ['Per-agent overrides:', ...overrides]),
  ])
}

export interface Parallel {
  readonly agent: string
  readonly instruction: string
  /** What the prompt of each sub-agent is made from. */
  readonly template?: readonly string[]
  /** The command that each of them begins with. */
  readonly command?: string | null
  readonly model?: Model
  readonly agents?: readonly {
    readonly id: string
    readonly title: string
    readonly task: string
    /** Its own command, if not all begin with the same one. */
    readonly command?: string | null
  }[]
  readonly categories?: readonly { readonly ref: string; readonly name: string }[]
  readonly shared?: Texts
  /** How many must be started. */
  readonly mandatory?: number
  readonly wait?: string
}

/** Ends with what to wait for, which stands behind the element. */
export function parallelDispatch(given: Parallel): readonly Part[] {
  const { agent, instruction, model = {}, agents = [], categories = [], shared = {}, mandatory } = given
  const { template = [], command = null, wait = WAIT_FOR_ALL } = given
  const told = Object.entries(shared).map(([name, text]) => `${name}: ${text}`)
  const prompt = [...template, ...(command === null ? [] : [`Start: ${command}`])]
  const count = agents.length > 0 ? agents.length : categories.length
  return [
    element(
      'parallel_dispatch',
      [
        ...(mandatory === undefined ? [] : [element('mandatory', launchAll(mandatory))]),
        element('instruction', instruction),
        modelSelection(model),
        ...(told.length === 0 ? [] : [element('shared_context', told)]),
        ...(agents.length === 0 ? [] : [element('agents_to_launch', agents.map(agentToLaunch))]),
        ...(categories.length === 0
          ? []
          : [
              element(
                'categories',
                categories.map(({ ref, name }) => element('category', name, { ref })),
              ),
            ]),
        ...(prompt.length === 0 ? [] : [element('template', prompt)]),
      ],
      { agent, count: count === 0 ? null : count },
    ),
    '',
    wait,
  ]
}

function agentToLaunch({
  id,
  title,
  task,
  command = null,
}: NonNullable<Parallel['agents']>[number]): Element {
  const text = [title, task].filter((part) => part !== '').join(': ')
  return element('agent', command === null ? text : [text, element('invoke', command)], { id })
}

export const conditionalDispatch = ({
  condition,
  if_true,
  if_false,
}: {
  readonly condition: string
  readonly if_true: string
  readonly if_false: string
}): Element =>
  element('conditional_dispatch', [element('if_true', [if_true]), element('if_false', [if_false])], {
    condition,
  })

interface Titled extends DispatchView {
  /** Of the step, as a prompt without a command must name it. */
  readonly title: string
}

/** A sub-agent that has neither a command nor values to report is known by the title of its step. */
const titleLines = ({ title, returns = [] }: Titled, command: string | null): readonly string[] =>
  command === null && returns.length === 0 && title !== '' ? [namesItsStep(title)] : []

/** The sub-agents of a step that have not been started yet; with a report, they fix what it lists. */
export function dispatchParts(dispatch: Titled, report: string | null): readonly Part[] {
  const waiting = dispatch.children.filter(({ state }) => state === 'waiting')
  const [first] = waiting
  if (first === undefined) return []
  return dispatch.children.length === 1 ? single(dispatch, first, report) : several(dispatch, waiting, report)
}

const ANY_AGENT = 'general-purpose'

function single(dispatch: Titled, child: ChildView, report: string | null): readonly Part[] {
  const { agent = ANY_AGENT, vars = {}, model, instruction, returns = [] } = dispatch
  const task = [child.title, child.task].filter((part) => part !== null).join(': ')
  return [
    subagentDispatch({
      agent,
      vars,
      command: child.command,
      report,
      lines: [
        ...titleLines(dispatch, child.command),
        instruction ?? '',
        task,
        returns.length === 0 ? '' : returnsValues(returns),
      ].filter((one) => one !== ''),
    }),
    modelSelection({ model }),
    WAIT_FOR_ONE,
  ]
}

function several(dispatch: Titled, waiting: readonly ChildView[], report: string | null): readonly Part[] {
  const { agent = ANY_AGENT, vars = {}, model, instruction = EACH_ITS_TASK, returns = [] } = dispatch
  const commands = [...new Set(waiting.map(({ command }) => command))]
  const [same = null] = commands
  const isSame = commands.length === 1
  return parallelDispatch({
    agent,
    instruction,
    model: { model },
    ...(waiting.length > 1 && { mandatory: waiting.length }),
    shared: report === null ? vars : { ...vars, QR_REPORT_PATH: report },
    agents: waiting.map(({ child, title, task, command }) => ({
      id: String(child),
      title: title ?? '',
      task: task ?? '',
      command: isSame ? null : command,
    })),
    template: [
      isSame && same === null ? PARALLEL_FREE : PARALLEL_START,
      ...titleLines(dispatch, isSame ? same : ''),
      ...(report === null ? [] : REPORT_PASSES),
      ...(returns.length === 0 ? [] : [returnsValues(returns)]),
    ],
    command: isSame ? same : null,
  })
}
