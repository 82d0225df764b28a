import { oneLine } from '../text/line.ts'
import {
  AFTER_FAIL,
  AFTER_PASS,
  FIX_DELEGATED,
  FIX_SELF,
  FIX_YOURSELF,
  fixBy,
  FRESH_REVIEW,
  LIMIT_HEADER,
  LIMIT_REACHED,
  ORCHESTRATOR,
  ORCHESTRATOR_ACTION,
  overrideRecording,
  PEDANTIC,
  POST_QR_FORBIDDEN,
  POST_QR_PASS,
  POST_QR_ROLE,
  postQrFail,
  postQrPedantic,
  reportAt,
  REPORT_PASSES,
  REPORT_PLACE,
  RESULT_FORM,
  roundText,
  severityText,
  WHEN_CONTINUED,
} from './guidance.ts'
import { forbidden } from './lists.ts'
import { gateResult } from './step.ts'
import type { GateView, QRState, ReviewView, Severity } from './view.ts'
import { type Element, element, flatElement, type Part } from './xml.ts'

/** The loop of reviews: the banner that says where it stands, the gate, and the form of a result. */

export interface Banner {
  readonly checkpoint: string
  /** A text if a template was filled in. */
  readonly iteration: number | string
  readonly mode: string
  readonly explanation?: readonly string[]
}

export const stateBanner = ({ checkpoint, iteration, mode, explanation = [] }: Banner): Element =>
  element('state_banner', explanation, { checkpoint, iteration, mode })

/** Every round is a fresh review: a reviewer who is asked to verify fixes looks at nothing else. */
export const qrBanner = (checkpoint: string, { iteration }: Pick<QRState, 'iteration'>): Element =>
  stateBanner({ checkpoint, iteration, mode: 'fresh_review', explanation: FRESH_REVIEW })

export const orchestratorConstraint = (): Element => element('orchestrator_constraint', ORCHESTRATOR)

export const severityFilter = (blocking: readonly Severity[]): Element =>
  element('severity_filter', severityText(blocking))

/** What an orchestrator does once the reviewer has returned. */
export const postQrRouting = ({ fix, rounds }: Pick<ReviewView, 'fix' | 'rounds'>): Element =>
  element('post_qr_routing', [
    element('role', POST_QR_ROLE),
    element('pedantic_mode', postQrPedantic(rounds)),
    element('routing_table', [POST_QR_PASS, postQrFail(fix)]),
    element('forbidden', POST_QR_FORBIDDEN),
  ])

/** What stands before the actions of a step that reviews, or that fixes what a review found. */
export function reviewParts(review: ReviewView, isDelegated: boolean): readonly Part[] {
  const { name, qr, blocking, report } = review
  const constraint = isDelegated ? [orchestratorConstraint()] : []
  if (!qr.failed) return [qrBanner(name, qr), ...constraint, severityFilter(blocking)]
  const explanation = isDelegated
    ? [FIX_DELEGATED]
    : [FIX_YOURSELF, ...(report === null ? [] : [reportAt(report)])]
  return [
    stateBanner({ checkpoint: name, iteration: qr.iteration, mode: 'fix', explanation }),
    ...constraint,
    severityFilter(blocking),
  ]
}

/** How a gate decided; nothing before the review has ended. */
export function gateResultOf({ qr, rounds }: GateView): readonly Element[] {
  if (qr.status === null) return []
  const message = qr.status === 'pass' ? 'GATE PASSED' : `GATE FAILED (${roundText(qr.iteration, rounds)})`
  return [gateResult(qr.status, message)]
}

/** What a gate says that has decided. */
export function gateActions(gate: GateView): readonly Part[] {
  if (gate.qr.status === null) return []
  if (gate.qr.status === 'pass') return [gate.message, '', forbidden({ actions: AFTER_PASS })]
  return [
    element('pedantic_enforcement', PEDANTIC),
    severityFilter(gate.blocking),
    ...(gate.choices.length === 0 ? nextAction(gate) : limitReached(gate)),
    '',
    forbidden({ actions: AFTER_FAIL }),
  ]
}

const nextAction = ({ fix, report }: GateView): readonly Part[] => [
  '',
  ...(fix === 'self' ? FIX_SELF : fixBy(fix)),
  ...(fix === 'self' || report === null
    ? []
    : [element('qr_report_path_passthrough', [pathLine(report), ...REPORT_PASSES])]),
]

const limitReached = ({ choices, qr }: GateView): readonly Part[] => [
  element('iteration_limit_reached', [
    LIMIT_REACHED,
    `Header: ${LIMIT_HEADER}`,
    ...choices.map(({ label, command }) => element('choice', command, { label })),
  ]),
  element('human_override_recording', overrideRecording(qr.iteration)),
  element('when_user_says_continue', WHEN_CONTINUED),
]

/** The last message of a reviewer, which its orchestrator acts on. */
export const qrFileOutput = (passed: boolean, report = REPORT_PLACE): readonly Part[] =>
  passed
    ? ['RESULT: PASS']
    : ['RESULT: FAIL', pathLine(report), element('orchestrator_action', ORCHESTRATOR_ACTION)]

const pathLine = (report: string): string => `QR_REPORT_PATH: ${oneLine(report)}`

/** Tells a reviewer the form of its last message. */
export const qrOutput = (): Element =>
  flatElement('qr_output', [
    RESULT_FORM,
    flatElement('if_pass', qrFileOutput(true)),
    flatElement('if_fail', qrFileOutput(false)),
  ])
