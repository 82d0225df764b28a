/** A problem in a file that the user wrote: always with its place and what to do about it. */
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

/** Where something stands in a file; from 1. */
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

/** Every kind of problem. Codes are stable: a new kind takes a new number, and an old number is never reused. */
export const DIAGNOSTICS = {
  HF101: {
    severity: 'error',
    title: 'The frontmatter is not valid YAML',
    hint: 'Put the value in quotes, or indent it below its key.',
  },
  HF102: {
    severity: 'warning',
    title: 'There is no frontmatter',
    hint: 'Begin the file with a line ---, the fields name and description, and a line ---.',
  },
  HF103: {
    severity: 'warning',
    title: 'The frontmatter stands in a code fence',
    hint: 'Remove the fence: the file must begin with ---.',
  },
  HF104: {
    severity: 'warning',
    title: 'The name is missing',
    hint: 'Add name: with the name of the folder.',
  },
  HF105: {
    severity: 'warning',
    title: 'The description is missing or empty',
    hint: 'Say in a sentence or two what the skill does and when to use it.',
  },
  HF106: {
    severity: 'warning',
    title: 'The name differs from the folder',
    hint: 'Rename one of them: clients know the skill by its folder, the standard wants both alike.',
  },
  HF107: {
    severity: 'warning',
    title: 'The name is not one that the standard allows',
    hint: 'Use up to 64 lower-case letters, digits and single hyphens.',
  },
  HF108: {
    severity: 'warning',
    title: 'The description is longer than the standard allows',
    hint: 'Shorten it to 1,024 characters; details belong into the body.',
  },
  HF109: {
    severity: 'warning',
    title: 'Two skills have the same name',
    hint: 'Rename one of them, or call it by its plugin: plugin:name.',
  },
  HF110: {
    severity: 'warning',
    title: 'A code fence is not closed',
    hint: 'Close it with the same characters, as many or more; until then everything below counts as code.',
  },
  HF111: {
    severity: 'info',
    title: 'A field is not one of the standard',
    hint: 'Put what is for the engine into holdfast.yaml, and what is for people below metadata.',
  },
  HF112: {
    severity: 'warning',
    title: 'The file is not UTF-8',
    hint: 'Save it as UTF-8.',
  },
  HF113: {
    severity: 'info',
    title: 'The file is not called SKILL.md',
    hint: 'Rename it: some clients look for that spelling only.',
  },
  HF114: {
    severity: 'warning',
    title: 'A field has the wrong type',
    hint: 'Write it as the message says.',
  },
  HF115: {
    severity: 'warning',
    title: 'A skill leads on to one that is not here',
    hint: 'Correct the name, or add the skill.',
  },
  HF116: {
    severity: 'warning',
    title: 'The frontmatter is never closed',
    hint: 'End it with a line ---.',
  },
  HF117: {
    severity: 'error',
    title: 'A file of a skill cannot be read',
    hint: 'Make it readable for yourself, or remove it.',
  },
  HF118: {
    severity: 'warning',
    title: 'holdfast.yaml has a field that the engine does not know',
    hint: 'Correct its name, or remove it.',
  },
  HF201: {
    severity: 'warning',
    title: 'A number stands twice in a series',
    hint: 'Number the steps anew, or put independent procedures under headings of their own.',
  },
  HF202: {
    severity: 'warning',
    title: 'A series leaves a number out',
    hint: 'Number the steps anew, or say where the missing one is.',
  },
  HF203: {
    severity: 'warning',
    title: 'The numbers of a series do not ascend',
    hint: 'The order of the file is the order of execution: number the steps in that order.',
  },
  HF204: {
    severity: 'info',
    title: 'A file has several series of steps',
    hint: 'Only the longest becomes the plan; name the others in a file of their own to have them followed.',
  },
  HF205: {
    severity: 'error',
    title: 'The block of phases is not valid',
    hint: 'Write {"phases": [{"label": "1", "name": "Plan", "proof": ["field"]}]}.',
  },
  HF206: {
    severity: 'error',
    title: 'A workflow module could not be loaded',
    hint: 'A module is data: it has the language and the files of its own folder, and nothing of Node.',
  },
  HF207: {
    severity: 'error',
    title: 'A workflow module exports something of the wrong shape',
    hint: 'Write {name, steps: [{id, title, next: {ok: "id", fail: null}}]}; null ends the plan.',
  },
  HF208: {
    severity: 'info',
    title: 'A workflow module was not run, so the skill has no plan',
    hint: 'Add --run-modules if you trust the skill: a module is code.',
  },
  HF209: {
    severity: 'warning',
    title: 'A workflow has a field that the engine does not know',
    hint: 'Correct its name, or remove it.',
  },
  HF210: {
    severity: 'warning',
    title: 'A skill has several workflow modules',
    hint: 'Keep one of them: only the first of workflow.ts, .mts, .js and .mjs is read.',
  },
  HF211: {
    severity: 'error',
    title: 'A pipeline has a step of the wrong shape',
    hint: 'Write pipeline: [{id: build, skill: implement, verify: "the tests pass", limit: 2, onError: report}].',
  },
  HF301: {
    severity: 'error',
    title: 'Two steps have the same id',
    hint: 'Rename one of them.',
  },
  HF302: {
    severity: 'error',
    title: 'A step leads to one that does not exist',
    hint: 'Correct the name of the target, or add the step.',
  },
  HF303: {
    severity: 'error',
    title: 'A step leads nowhere and does not end the plan',
    hint: 'Give it a next step, or say that the plan ends there.',
  },
  HF304: {
    severity: 'warning',
    title: 'A step cannot be reached',
    hint: 'Lead to it from another step, or remove it.',
  },
  HF305: {
    severity: 'error',
    title: 'The plan never ends',
    hint: 'Let an outcome of at least one step end it.',
  },
  HF306: {
    severity: 'error',
    title: 'A loop has no limit',
    hint: 'Give one of its steps a limit.',
  },
  HF307: {
    severity: 'error',
    title: 'A step consumes what nobody produces',
    hint: 'Let a step produce it, or correct its name; user-request is always there.',
  },
  HF308: {
    severity: 'error',
    title: 'Two steps produce the same artifact',
    hint: 'Rename one of the artifacts.',
  },
  HF309: {
    severity: 'error',
    title: 'A step consumes what it produces itself',
    hint: 'Remove it from consumes: it could never begin.',
  },
  HF310: {
    severity: 'warning',
    title: 'The text tells another order than the plan',
    hint: 'Follow the plan in the text, or change the plan.',
  },
  HF311: {
    severity: 'error',
    title: 'A proof is named that no phase declares',
    hint: 'Declare the field in the proof of a phase, or correct its name.',
  },
  HF312: {
    severity: 'error',
    title: 'A step file points at a next one that does not exist',
    hint: 'Correct nextStepFile, or add the file.',
  },
  HF313: {
    severity: 'error',
    title: 'Steps wait for each other',
    hint: 'Break the circle: one of them must do without what the other produces.',
  },
  HF316: {
    severity: 'error',
    title: 'What is asked for as evidence cannot be read',
    hint: 'Write {command: "npm test", covers: ["src/**"]}, and rank: observed where a run by the agent is enough.',
  },
  HF317: {
    severity: 'error',
    title: 'Evidence is asked for an artifact that no step produces',
    hint: 'Let a step produce it, or correct its name.',
  },
  HF318: {
    severity: 'error',
    title: 'One name asks for two kinds of evidence',
    hint: 'Give the two different names: artifacts and fields of proof share theirs.',
  },
  HF319: {
    severity: 'warning',
    title: 'A command covers no files',
    hint: 'Name the files that it is about in covers, so that it must be run again when they change.',
  },
  HF320: {
    severity: 'warning',
    title: 'Evidence is asked for where reading is enough',
    hint: 'Remove gate: visited, or what artifacts asks for.',
  },
} as const satisfies Readonly<Record<string, Kind>>

export type DiagnosticCode = keyof typeof DIAGNOSTICS

export function diagnose(code: DiagnosticCode, place: Place, message: string, hint?: string): Diagnostic {
  const kind: Kind = DIAGNOSTICS[code]
  return { code, severity: kind.severity, message, ...place, hint: hint ?? kind.hint }
}
