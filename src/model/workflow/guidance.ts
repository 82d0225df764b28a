import type { Severity } from './view.ts'

/** The fixed texts of what a workflow says, apart from how they are printed. */

export const MANDATE: readonly string[] = [
  'Everything below is the instruction for this step. Read it this way:',
  '1. Do all of current_action, in its order, and nothing else. Do not explore first.',
  '2. Then run the command of invoke_after exactly as it is written; its escaped signs < > & mean the plain ones. If there are several commands, run the one whose condition holds.',
  '3. Only that command prints the next step. Do not skip, merge, repeat or invent steps.',
  '4. Holdfast counts steps and rounds. Do not count them yourself, and do not change a command.',
]

export const RUN_NEXT = 'As soon as current_action is done, run the command of invoke_after.'
export const RUN_ONE = 'As soon as current_action is done, run the one command whose condition holds.'
/** What a step says whose work is a command; it is printed only if that has no result yet. */
export const runLines = (command: string, failed: string | null): readonly string[] => [
  `Holdfast runs the command of this step: ${command}`,
  ...(failed === null
    ? []
    : [
        `It failed: ${failed}`,
        'Do not do its work yourself. Remove the cause of the failure if you can, else tell the user. The command below runs it again.',
      ]),
]
/** What follows the last command; the results of a sub-agent go to the agent that started it. */
export const completeAfter = (condition: string, isChild: boolean): string =>
  `The workflow is complete after ${condition}. Then ${isChild ? RETURN : 'present the results'}.`
export const completeInText = (condition: string, isChild: boolean): string =>
  `WORKFLOW COMPLETE after ${condition}: ${isChild ? RETURN : 'present the results'} then.`
export const THIS_COMMAND = 'this command'
const RETURN = 'return to the agent that started you'
export const STAYS = 'This step cannot be left yet.'
export const USER_DECIDES =
  'Only the user decides how to go on. Ask, then run the command of the choice that the user makes.'
export const whenEnded = (command: string): string =>
  `Do nothing else until then. When they have ended, run: ${command}`
export const toPrintAgain = (command: string): string => `To print it again, run: ${command}`
export const toReport = (child: string, command: string): string =>
  `Once sub-agent ${child} has ended well, run: ${command}`
export const toStartAgain = (child: string, command: string): string =>
  `If sub-agent ${child} stopped before its end, start another one that begins with: ${command}`
export const toGiveUp = (child: string, command: string): string =>
  `Only if sub-agent ${child} cannot do its work, run: ${command}`
export const waitsFor = (children: readonly string[], missing: number): string =>
  `This step has no next command yet, because it waits for sub-agents: ${children.join(', ')}. ${missing} more must succeed.`

export const ORCHESTRATOR: readonly string[] = [
  'You delegate this step and do none of its work.',
  'Do not edit or write any file.',
  'Start each sub-agent with the tool of your client for it, such as Task, and use what it returns.',
]

export const FACTORED: readonly string[] = [
  'Answer each question from its own evidence, without looking at the claim that it checks or at other answers.',
  'Somebody who has the claim in view tends to confirm it. Separate answers show where the claim and the facts differ.',
  'Compare the answers with the claim only when all of them are written down.',
]

export const OPEN_QUESTIONS: readonly string[] = [
  'Ask open questions: what, where, which, how, when. Do not ask questions whose answer is yes or no.',
  'A yes-or-no question suggests its own answer, and agreeing costs nothing. An open one must be answered with a fact.',
  'Example: not "Is the timeout handled?" but "What happens when the call times out?"',
]

export const DEFAULT_MODEL =
  'Use the default model of the sub-agent. Do not carry over a model that was chosen for another step.'
export const chosenModel = (model: string): string => `Use the model ${model}.`

/** How the prompt of a sub-agent with a workflow of its own begins. */
export const startBy = (command: string): string => `Start by invoking: ${command}`
export const HAND_OVER: readonly string[] = [
  'The prompt of the sub-agent must begin with the next line. Add only the context and what is said below; do not sum up or explain its steps.',
]
export const WORKS_FREELY: readonly string[] = [
  'The sub-agent has no command to run. Write its prompt from the task and the context here, and give it all it needs, because it sees nothing of this session.',
]
/** How a prompt without a command tells which step it is for. */
export const namesItsStep = (title: string): string =>
  `Write the title of this step, "${title}", into the prompt, so that Holdfast counts the sub-agent when it has ended.`
export const REPORT_PASSES: readonly string[] = [
  'Give the sub-agent the value of QR_REPORT_PATH in its prompt. Do not open the report and do not say what is in it.',
]
export const returnsValues = (names: readonly string[]): string => `It must return: ${names.join(', ')}.`

export const launchAll = (count: number): string =>
  `Start all ${count} sub-agents in one message, so that they run at the same time. Leave none out.`
export const EACH_ITS_TASK = 'Give each sub-agent its own task.'
export const PARALLEL_START =
  'The prompt of each sub-agent must begin with "Start by invoking: " and its command. Add only the shared context.'
export const PARALLEL_FREE =
  'Write the prompt of each sub-agent from its task and the shared context, because it sees nothing of this session.'
export const WAIT_FOR_ALL = 'Wait for all sub-agents before you go on.'
export const WAIT_FOR_ONE = 'Wait for the sub-agent before you go on.'

export const FRESH_REVIEW: readonly string[] = [
  'Review the work as if for the first time. Do not look for what was fixed, and do not assume that anything was right before.',
]
export const FIX_YOURSELF = 'The review failed. Fix what its report lists, and change nothing else.'
export const FIX_DELEGATED =
  'The review failed. A sub-agent fixes what its report lists, and changes nothing else.'

export const reportAt = (path: string): string =>
  `The report is at ${path}. Read it before you change anything.`

/** What counts in a round, and what is only noted. */
export function severityText(blocking: readonly Severity[]): readonly string[] {
  const all: readonly Severity[] = ['MUST', 'SHOULD', 'COULD']
  const noted = all.filter((severity) => !blocking.includes(severity))
  return [
    `Findings of these severities block in this round: ${blocking.join(', ')}.`,
    noted.length === 0
      ? 'No finding is too small: each of them must be fixed.'
      : `Findings of these severities are noted and do not block: ${noted.join(', ')}.`,
  ]
}

export const PEDANTIC: readonly string[] = [
  'Every blocking finding must be fixed. Whether it seems small, unlikely or a matter of taste does not count.',
  'Do not judge the review and do not decide that the work is good enough. Only a review that passes ends the loop.',
]

/** How far a loop of reviews has come; the user can allow more rounds than its limit. */
export function roundText(iteration: number, rounds: number | null): string {
  if (rounds === null) return `iteration ${iteration}`
  return iteration > rounds
    ? `iteration ${iteration}, limit ${rounds}`
    : `iteration ${iteration} of ${rounds}`
}

export const LIMIT_REACHED =
  'The review has failed as often as it may. Ask the user how to go on, with AskUserQuestion if your client has it:'
export const LIMIT_HEADER = 'QR Loop'
export const overrideRecording = (iteration: number): readonly string[] => [
  'If the user accepts open findings, write each of them down in the Decision Log of the plan before you go on:',
  '| Issue | Rationale | Iteration |',
  '| --- | --- | --- |',
  `| the finding in one line | the reason that the user gave | ${iteration} |`,
]
export const WHEN_CONTINUED: readonly string[] = [
  'If the user wants another round, run its command and go through the whole loop: the fix, then a fresh review.',
  'Do not fix anything outside of the loop, and do not take the answer as a pass.',
]

export const FIX_SELF: readonly string[] = [
  'NEXT ACTION: run the command below. Its step says how you fix the findings yourself.',
  'Do not fix anything before that step is printed.',
]
export const fixBy = (agent: string): readonly string[] => [
  `NEXT ACTION: run the command below. Its step has you start a ${agent} sub-agent, which fixes the findings.`,
  'Do not fix anything yourself.',
]

export const AFTER_PASS: readonly string[] = [
  'Do not ask the user whether to go on.',
  'Do not review or change the work that has passed.',
  'Do not run any command but the one below.',
]
export const AFTER_FAIL: readonly string[] = [
  'Do not go on to a later step.',
  'Do not fix anything before the step of the fix is printed.',
  'Do not open the report of the review here.',
  'Do not argue with the findings, and do not leave any out.',
  'Do not skip the review after the fix.',
]

export const POST_QR_ROLE: readonly string[] = [
  'When the reviewer has returned, you only route. You do not fix, judge or open its report.',
]
export function postQrPedantic(rounds: number | null): readonly string[] {
  const most = rounds === null ? '' : ` There ${rounds === 1 ? 'is 1 round' : `are up to ${rounds} rounds`}.`
  return [
    `A review that did not pass has failed, however few its findings are.${most} Every round is a fresh review.`,
  ]
}
export const POST_QR_PASS = 'PASS -> Run the command below. Its gate goes on to the next step.'
export const postQrFail = (fix: string): string =>
  `Anything else -> Run the command below. Its gate leads to the step in which ${
    fix === 'self' ? 'you fix the findings' : `a ${fix} sub-agent fixes the findings`
  }.`
export const POST_QR_FORBIDDEN: readonly string[] = [
  'Do not fix a finding before the gate has been printed.',
  'Do not open the report.',
  'Do not start the reviewer again by yourself.',
  'Do not go on as if the review had passed.',
]

export const RESULT_FORM =
  'Your last message is one of these two forms and nothing else. Write the findings into a report file before it.'
export const REPORT_PLACE = 'THE_PATH_OF_YOUR_REPORT'
/** Stands in the message of the reviewer, because an orchestrator acts on that and forgets what was printed before. */
export const ORCHESTRATOR_ACTION: readonly string[] = [
  'For the agent that started this review: run the gate now, with the command that your step told you to run next.',
  'Fix nothing before that, and do not open the report. Pass on its path.',
]
