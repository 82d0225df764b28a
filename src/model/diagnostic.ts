import { PLAN_DIAGNOSTICS } from './plan-diagnostics.ts'
import { RUNBOOK_DIAGNOSTICS } from './runbook-diagnostics.ts'

/** A problem in a file of the user, with its place and a fix. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly hint: string
}

export type Severity = 'error' | 'warning' | 'info'

/** A position in a file, from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

interface Kind {
  readonly severity: Severity
  readonly title: string
  readonly hint: string
}

/** How the user has a skill held to its workflow. */
export const trustHint = (skill: string): string =>
  `See its plan and trust its code: holdfast skill trust ${skill}`

/** Every kind of problem. Codes are stable: numbers are never reused. */
export const DIAGNOSTICS = {
  HF101: {
    severity: 'error',
    title: 'The frontmatter is not valid YAML',
    hint: 'Quote the value, or indent it below its key.',
  },
  HF102: {
    severity: 'warning',
    title: 'The frontmatter is missing',
    hint: 'Start the file with a --- line, the fields name and description, and another --- line.',
  },
  HF103: {
    severity: 'warning',
    title: 'The frontmatter is inside a code fence',
    hint: 'Remove the fence: the file must start with ---.',
  },
  HF104: {
    severity: 'warning',
    title: 'The name is missing',
    hint: 'Add a name field with the name of the folder.',
  },
  HF105: {
    severity: 'warning',
    title: 'The description is missing or empty',
    hint: 'Describe in a sentence or two what the skill does and when to use it.',
  },
  HF106: {
    severity: 'warning',
    title: 'The name differs from the folder',
    hint: 'Rename one of them: clients use the folder name, and the standard requires both to match.',
  },
  HF107: {
    severity: 'warning',
    title: 'The standard does not allow the name',
    hint: 'Use at most 64 lowercase letters, digits and single hyphens.',
  },
  HF108: {
    severity: 'warning',
    title: 'The description is longer than the standard allows',
    hint: 'Shorten it to 1,024 characters and move details to the body.',
  },
  HF109: {
    severity: 'warning',
    title: 'Two skills have the same name',
    hint: 'Rename one of them: a client can run only one.',
  },
  HF110: {
    severity: 'warning',
    title: 'A code fence is not closed',
    hint: 'Close it with at least as many of the same characters; everything below counts as code until then.',
  },
  HF111: {
    severity: 'warning',
    title: 'Clients read a field under another name',
    hint: 'Rename it, or let holdfast skill check --fix do it.',
  },
  HF112: {
    severity: 'warning',
    title: 'The file is not UTF-8',
    hint: 'Save it as UTF-8.',
  },
  HF113: {
    severity: 'info',
    title: 'The file name is not SKILL.md',
    hint: 'Rename it: some clients accept only that spelling.',
  },
  HF114: {
    severity: 'warning',
    title: 'A field has the wrong type',
    hint: 'Use the type that the message names.',
  },
  HF115: {
    severity: 'warning',
    title: 'A skill names a next skill that does not exist',
    hint: 'Correct the name, or add the skill.',
  },
  HF116: {
    severity: 'warning',
    title: 'The frontmatter is never closed',
    hint: 'End it with a --- line.',
  },
  HF117: {
    severity: 'error',
    title: 'A skill file cannot be read',
    hint: 'Make it readable for your user, or remove it.',
  },
  HF118: {
    severity: 'warning',
    title: 'holdfast.yaml has an unknown field',
    hint: 'Correct its name, or remove it.',
  },
  HF119: {
    severity: 'error',
    title: 'holdfast.yaml is too large',
    hint: 'Shorten it, or split the skill.',
  },
  HF120: {
    severity: 'warning',
    title: 'A plan names a heading or a file that the skill does not have',
    hint: 'Correct the name, or propose the plan again: holdfast skill adopt NAME --replace. Until then it is only a guide.',
  },
  HF121: {
    severity: 'warning',
    title: 'The text names a file that does not exist',
    hint: 'Add the file, or correct its path.',
  },
  HF122: {
    severity: 'warning',
    title: 'A link to a skill is dead',
    hint: 'Correct the link, or add the skill.',
  },
  HF123: {
    severity: 'warning',
    title: 'The body begins with a second frontmatter',
    hint: 'Merge both: clients read only the first, and the second is text for the agent.',
  },
  HF124: {
    severity: 'error',
    title: 'The frontmatter is too large',
    hint: 'Shorten it to 64 KB and move the rest to the body.',
  },
  HF125: {
    severity: 'error',
    title: 'A skill is too large',
    hint: 'Shorten it, or split the skill.',
  },
  HF126: {
    severity: 'info',
    title: 'A skill has more problems than are listed',
    hint: 'Correct these, and check again.',
  },
  HF127: {
    severity: 'error',
    title: 'The schema of a result cannot be checked',
    hint: 'Write result: {type: object, required: [url], properties: {url: {type: string}}}. Until then, no result is required or checked.',
  },
  HF201: {
    severity: 'warning',
    title: 'A series repeats a number',
    hint: 'Renumber the steps, or put independent procedures under separate headings.',
  },
  HF202: {
    severity: 'warning',
    title: 'A series skips a number',
    hint: 'Renumber the steps, or add the missing one.',
  },
  HF203: {
    severity: 'warning',
    title: 'The numbers of a series are out of order',
    hint: 'Number the steps in the order of the file, which is the order of execution.',
  },
  HF204: {
    severity: 'info',
    title: 'A file has several procedures of equal standing',
    hint: 'Put the main one below a heading "Workflow", or give each its own skill.',
  },
  HF205: {
    severity: 'error',
    title: 'The phases block is not valid',
    hint: 'Write {"phases": [{"label": "1", "name": "Plan", "proof": ["field"]}]}.',
  },
  HF206: {
    severity: 'error',
    title: 'A workflow module could not be loaded',
    hint: 'A module may import holdfast/workflow and files of its own folder, but no Node APIs.',
  },
  HF207: {
    severity: 'error',
    title: 'A workflow module exports a value of the wrong shape',
    hint: 'Write {name, steps: [{id, title, next: {ok: "id", fail: null}}]}; null ends the plan.',
  },
  HF208: {
    severity: 'info',
    title: 'The code of a workflow module is not trusted, so the skill has no plan',
    hint: trustHint('NAME'),
  },
  HF209: {
    severity: 'warning',
    title: 'A workflow has an unknown field',
    hint: 'Correct its name, or remove it.',
  },
  HF210: {
    severity: 'warning',
    title: 'A skill has a plan that is not read',
    hint: 'Keep one: only the first of workflow.ts, .mts, .js and .mjs is read.',
  },
  HF211: {
    severity: 'error',
    title: 'A pipeline has a step of the wrong shape',
    hint: 'Write pipeline: [{id: build, skill: implement, verify: "the tests pass", limit: 2, onError: report}].',
  },
  ...PLAN_DIAGNOSTICS,
  ...RUNBOOK_DIAGNOSTICS,
} as const satisfies Readonly<Record<string, Kind>>

export type DiagnosticCode = keyof typeof DIAGNOSTICS

export function diagnose(code: DiagnosticCode, place: Place, message: string, hint?: string): Diagnostic {
  const kind: Kind = DIAGNOSTICS[code]
  return { code, severity: kind.severity, message, ...place, hint: hint ?? kind.hint }
}
