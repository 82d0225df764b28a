/** The kinds of problems of runbooks; part of the table in `diagnostic.ts`. */
export const RUNBOOK_DIAGNOSTICS = {
  HF401: {
    severity: 'error',
    title: 'A header of a runbook is not read',
    hint: 'Write the number in digits and a space after the hashes, at level 2 to 4: ## Step 1: title, ## Cycle 1.1: title or ### Phase 1: title.',
  },
  HF402: {
    severity: 'error',
    title: 'Two steps of a runbook have the same number',
    hint: 'Renumber one of them: the number names its file.',
  },
  HF403: {
    severity: 'error',
    title: 'A cycle has a number that cycles cannot have',
    hint: 'Number cycles X.Y: the first of each X is X.1, and X begins with 0 (spikes) or 1.',
  },
  HF405: {
    severity: 'error',
    title: 'A cycle lacks a section',
    hint: 'Add the headings ### RED Phase, ### GREEN Phase and ### Stop Conditions.',
  },
  HF406: {
    severity: 'warning',
    title: 'A cycle does not say what it depends on',
    hint: 'Add a line **Dependencies**: with the cycles that must come before, or none.',
  },
  HF407: {
    severity: 'error',
    title: 'A step has no model',
    hint: 'Write **Execution Model**: haiku in the step, model: haiku in the header of its phase, or model: haiku in the frontmatter.',
  },
  HF408: {
    severity: 'warning',
    title: 'A field of a runbook has a value that is not known',
    hint: 'Correct the value.',
  },
  HF409: {
    severity: 'error',
    title: 'The phases of a runbook are out of order',
    hint: 'Move or renumber the phase: the numbers must not decrease, because the work follows the document.',
  },
  HF410: {
    severity: 'warning',
    title: 'A phase of a runbook has no steps',
    hint: 'Add steps below its header, mark it (type: inline) if the orchestrator does it, or use another word than Phase.',
  },
  HF411: {
    severity: 'warning',
    title: 'A number does not fit its phase',
    hint: 'Number the steps of phase 2 with 2.1, 2.2 and so on, below one header.',
  },
  HF412: {
    severity: 'error',
    title: 'A runbook has no steps',
    hint: 'Write a heading for each: ## Step 1: title, or ## Cycle 1.1: title for test-driven work.',
  },
  HF413: {
    severity: 'error',
    title: 'The file of a phase has no steps',
    hint: 'Write its steps, mark its header (type: inline), or remove the file.',
  },
  HF414: {
    severity: 'error',
    title: 'The file of a phase is missing',
    hint: 'Number the files without a gap, from 0 or 1: runbook-phase-1.md, runbook-phase-2.md.',
  },
  HF415: {
    severity: 'warning',
    title: 'A runbook names a file that does not exist',
    hint: 'Correct the path, or write Create before it if the step makes the file.',
  },
  HF416: {
    severity: 'error',
    title: 'The type of a runbook contradicts its steps',
    hint: 'Correct the type, or remove the line: the headings decide.',
  },
  HF417: {
    severity: 'error',
    title: 'An inline phase has steps',
    hint: 'Remove (type: inline) from the header, or write the steps as text.',
  },
  HF418: {
    severity: 'info',
    title: 'A section of a runbook belongs to no step',
    hint: 'Move it into a step, below ## Common Context, or above the first step if it is only for people.',
  },
  HF419: {
    severity: 'error',
    title: 'The folder of a runbook cannot name its agents',
    hint: 'Rename the folder: letters, digits, hyphens, dots and underscores, at most 48.',
  },
  HF420: {
    severity: 'error',
    title: 'A report path leads out of the project, or into a hidden folder',
    hint: 'Write a path from the root of the project: **Report Path**: `plans/NAME/reports/step-1.md`.',
  },
  HF421: {
    severity: 'error',
    title: 'A step stands above the first phase header',
    hint: 'Move it below a header, or write one above it: ### Phase 1: title.',
  },
  HF422: {
    severity: 'warning',
    title: 'The phase files of a runbook are not read',
    hint: 'Keep one form: remove the steps from runbook.md, or the phase files.',
  },
} as const

export type RunbookDiagnosticCode = keyof typeof RUNBOOK_DIAGNOSTICS
