/** The ways in which a session file or the learnings can be wrong. */
export const HANDOFF_PROBLEMS = [
  'fence-open',
  'section-twice',
  'task-blank',
  'task-state',
  'task-name',
  'task-slug',
  'task-command',
  'task-token',
  'name-twice',
  'name-learning',
  'name-used',
  'token-twice',
  'token-outside',
  'learning-title',
  'learning-twice',
] as const

/** Something wrong in a file that a person may have written, and how to put it right. */
export interface Problem {
  readonly code: (typeof HANDOFF_PROBLEMS)[number]
  /** From 1. */
  readonly line: number
  readonly message: string
  readonly hint: string
}

/** What is wrong with a part of what a caller wants to write. */
export interface FieldFault {
  readonly field: string
  readonly message: string
}

/** A problem in one of the two files. */
export type FoundIn = Problem & { readonly file: 'session' | 'learnings' }

/** What makes two names the same: case, blanks and the form of letters do not count. */
export const nameKey = (name: string): string =>
  name.normalize('NFC').toLowerCase().split(/\s+/).filter(Boolean).join(' ')
