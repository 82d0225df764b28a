import type { Mode } from './mode.ts'

/** The modes of the package; a user and a project can add, replace and remove some in `config.yaml`. */
export const SHIPPED_MODES: readonly Mode[] = [
  {
    tag: 'pref',
    name: 'preflight',
    kind: 'action',
    text: 'Before the first change, list what this work depends on (files, tools, versions, rights, decisions), check each item, and report what is missing. Begin only when nothing is missing, or when the user says so.',
  },
  {
    tag: 'ver',
    name: 'verify',
    kind: 'action',
    text: 'Support each statement with a check that you ran or a line that you read in this session, and name it. Mark what you could not check as unverified. At the end, compare the result with the request once more.',
  },
  {
    tag: 'clar',
    name: 'clarify',
    kind: 'action',
    text: 'First say in one sentence what you understood. Then ask the user at most four questions whose answers would change the work, each with the answer that you suggest. Change nothing before the answers.',
  },
  {
    tag: 'comp',
    name: 'compare',
    kind: 'action',
    text: 'Work out at least two ways that differ in kind. Compare them by the same criteria in a table, with the cost of each, and recommend one. Carry out none before the user chooses.',
  },
  {
    tag: 'teach',
    name: 'teach-me',
    kind: 'action',
    text: 'Explain the work to somebody who is new to it: why each step is needed, which idea is behind it, and how to notice that it went wrong. End with one thing that the user can try alone.',
  },
  {
    tag: 'research',
    name: 'research',
    kind: 'action',
    text: 'Look things up before you answer: the code, its documentation, primary sources. Give the source of each fact, keep what you infer apart from what you read, and say what you looked for and did not find.',
  },
  {
    tag: 'qlight',
    name: 'question-light',
    kind: 'context',
    text: 'Keep it small: read only what the request needs, take the plainest way, and answer in a few sentences.',
    steps: 'quick',
  },
  {
    tag: 'qheavy',
    name: 'question-heavy',
    kind: 'context',
    text: 'Treat the request as hard: read everything that bears on it, look for what speaks against your first answer, and say how sure you are and why.',
    steps: 'full',
  },
]
