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
    hint: 'Rename one of them, or call it by its plugin: plugin:name.',
  },
  HF110: {
    severity: 'warning',
    title: 'A code fence is not closed',
    hint: 'Close it with at least as many of the same characters; everything below counts as code until then.',
  },
  HF111: {
    severity: 'info',
    title: 'A field is not part of the standard',
    hint: 'Move engine settings to holdfast.yaml, and notes for people below metadata.',
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
    hint: 'Correct the name. Until then the plan is only a guide: it refuses nothing.',
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
    title: 'A file has several procedures of the same rank',
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
    hint: 'A module may use plain JavaScript and files of its own folder, but no Node APIs.',
  },
  HF207: {
    severity: 'error',
    title: 'A workflow module exports a value of the wrong shape',
    hint: 'Write {name, steps: [{id, title, next: {ok: "id", fail: null}}]}; null ends the plan.',
  },
  HF208: {
    severity: 'info',
    title: 'A workflow module did not run, so the skill has no plan',
    hint: 'Add --run-modules if you trust the code of the skill.',
  },
  HF209: {
    severity: 'warning',
    title: 'A workflow has an unknown field',
    hint: 'Correct its name, or remove it.',
  },
  HF210: {
    severity: 'warning',
    title: 'A skill has several workflow modules',
    hint: 'Keep one: only the first of workflow.ts, .mts, .js and .mjs is read.',
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
    title: 'A step leads to a step that does not exist',
    hint: 'Correct the target, or add the step.',
  },
  HF303: {
    severity: 'error',
    title: 'A step leads nowhere and does not end the plan',
    hint: 'Add a next step, or mark it as the end of the plan.',
  },
  HF304: {
    severity: 'warning',
    title: 'A step cannot be reached',
    hint: 'Lead to it from another step, or remove it.',
  },
  HF305: {
    severity: 'error',
    title: 'The plan never ends',
    hint: 'End the plan with an outcome of at least one step.',
  },
  HF306: {
    severity: 'error',
    title: 'A loop has no limit',
    hint: 'Give one of its steps a limit.',
  },
  HF307: {
    severity: 'error',
    title: 'A step consumes an artifact that no step produces',
    hint: 'Add it to the produces list of a step, or correct its name. user-request always exists.',
  },
  HF308: {
    severity: 'error',
    title: 'Two steps produce the same artifact',
    hint: 'Rename one of the artifacts.',
  },
  HF309: {
    severity: 'error',
    title: 'A step consumes its own product',
    hint: 'Remove it from consumes: the step could never start.',
  },
  HF310: {
    severity: 'warning',
    title: 'The text and the plan have different orders',
    hint: 'Change the text or the plan.',
  },
  HF311: {
    severity: 'error',
    title: 'No phase declares a named proof field',
    hint: 'Declare the field in the proof of a phase, or correct its name.',
  },
  HF312: {
    severity: 'error',
    title: 'A step file names a next file that does not exist',
    hint: 'Correct nextStepFile, or add the file.',
  },
  HF313: {
    severity: 'error',
    title: 'Steps wait for each other',
    hint: 'Break the cycle: remove one artifact from consumes.',
  },
  HF316: {
    severity: 'error',
    title: 'An evidence requirement is not valid',
    hint: 'Write {command: "npm test", covers: ["src/**"]}, and add rank: observed if a run by the agent is enough.',
  },
  HF317: {
    severity: 'error',
    title: 'An evidence requirement names an artifact that no step produces',
    hint: 'Add it to the produces list of a step, or correct its name.',
  },
  HF318: {
    severity: 'error',
    title: 'One name has two evidence requirements',
    hint: 'Use two names: artifacts and proof fields share one set of names.',
  },
  HF319: {
    severity: 'warning',
    title: 'A command covers no files',
    hint: 'List its files in covers, so that it must run again when they change.',
  },
  HF320: {
    severity: 'warning',
    title: 'Evidence is required although reading is enough',
    hint: 'Remove gate: visited, or the evidence requirement.',
  },
  HF321: {
    severity: 'error',
    title: 'A field of a step is not valid',
    hint: 'Write for example next: {ok: build, again: plan}, limit: 3, onLimit: park, writes: [src/**], dispatch: {count: 3, join: any}, when: {confidence: high} or only: full.',
  },
  HF322: {
    severity: 'warning',
    title: 'A plan uses a variable that nothing sets',
    hint: 'Give it a default in variables, or name a proof field that sets it.',
  },
  HF323: {
    severity: 'warning',
    title: 'A step file is not part of the plan',
    hint: 'Add consumes and produces to its frontmatter, or move it out of the folder of steps.',
  },
  HF324: {
    severity: 'warning',
    title: 'A phase or a step file has an unknown field',
    hint: 'Correct its name. In a step file, put notes of your own below metadata.',
  },
  HF325: {
    severity: 'error',
    title: 'A plan has too many steps',
    hint: 'Split the skill, so that each plan has fewer steps; until then, nothing is enforced.',
  },
} as const satisfies Readonly<Record<string, Kind>>

export type DiagnosticCode = keyof typeof DIAGNOSTICS

export function diagnose(code: DiagnosticCode, place: Place, message: string, hint?: string): Diagnostic {
  const kind: Kind = DIAGNOSTICS[code]
  return { code, severity: kind.severity, message, ...place, hint: hint ?? kind.hint }
}
