import { FACTORED, OPEN_QUESTIONS } from './guidance.ts'
import { type Element, element, flatElement } from './xml.ts'

/** What is said in lists: what is forbidden, expected and asked, where results lead, and texts by name. */

type Texts = Readonly<Record<string, string>>

export interface Expected {
  readonly if_pass: string
  /** The form of an answer with issues, not where it leads. */
  readonly when_issues?: string
  readonly categories?: readonly string[]
}

export const expectedOutput = ({ if_pass, when_issues, categories = [] }: Expected): Element =>
  element('expected_output', [
    element('if_pass', if_pass),
    ...(when_issues === undefined ? [] : [element('when_issues', when_issues)]),
    ...(categories.length === 0
      ? []
      : [
          element(
            'categories',
            categories.map((name) => element('category', name)),
          ),
        ]),
  ])

export const forbidden = ({ actions }: { readonly actions: readonly string[] }): Element =>
  element(
    'forbidden',
    actions.map((action) => element('action', action)),
  )

export const routing = ({ cases }: { readonly cases: Texts }): Element =>
  element(
    'routing',
    Object.entries(cases).map(([result, text]) => element('case', text, { result })),
  )

export interface Resource {
  readonly name: string
  readonly purpose: string
  readonly text: string
}

/** A text keeps its lines as they are, because it may be code. */
export const resource = ({ name, purpose, text }: Resource): Element =>
  flatElement('resource', [text], { name, purpose })

export interface Detection {
  readonly category: string
  readonly questions: readonly { readonly id: string; readonly text: string }[]
}

export const detectionQuestions = ({ category, questions }: Detection): Element =>
  element(
    'detection_questions',
    questions.map(({ id, text }) => element('question', text, { id })),
    { category },
  )

export interface Checklist {
  readonly name: string
  readonly checks: readonly {
    readonly element: string
    readonly criterion: string
    readonly if_missing: string
  }[]
}

export const verificationChecklist = ({ name, checks }: Checklist): Element =>
  element(
    'verification_checklist',
    checks.map(({ element: part, criterion, if_missing }) =>
      element('check', '', { element: part, criterion, if_missing }),
    ),
    { name },
  )

export interface Incorrect {
  readonly description: string
  readonly consequence: string
}

export const incorrectBehavior = ({ description, consequence }: Incorrect): Element =>
  element('incorrect_behavior', [element('example', description), element('consequence', consequence)])

export const factoredVerification = (): Element =>
  element('factored_verification', FACTORED, { rationale: 'true' })

export const openQuestionGuidance = (): Element => element('verification_principle', OPEN_QUESTIONS)
