import type { DiagnosticCode, Place } from '../diagnostic.ts'
import type { Step } from './plan.ts'

/** A problem of a plan with the steps that it concerns. */
export interface Problem {
  readonly code: DiagnosticCode
  readonly place: Place
  readonly message: string
  readonly steps: readonly Step[]
}
