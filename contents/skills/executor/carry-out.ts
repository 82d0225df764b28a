import { convention, forbidden, param, step, workflow } from 'holdfast/workflow'
import { ofLine } from './about.ts'

/** What a developer sub-agent does with its milestones, or with the findings of a review. */
export const carryOut = workflow(
  'carry-out',
  [
    step({
      id: 'read',
      title: 'Read your work',
      actions: [
        'The plan: {{plan}}',
        'If your prompt names a QR_REPORT_PATH, read that report. Then your work is its blocking findings, and only these. If several developers were given it, each takes the findings in the files of its own line, and sub-agent 1 also those in no line.',
        'You are sub-agent {{child}}. Without a report, your work is line {{child}} of {{wave}}; other developers have the other lines at the same time.',
        'Read the decision log, the assumptions and the testing strategy of the plan, then your milestones with their diffs. Open every file that you will change.',
        'Write down each acceptance criterion, or each "Fixed when" of the report, with the command or observation that shows it.',
        '',
        'Done when: each milestone or finding has such a line, and you opened all its files in this step.',
      ],
      next: 'build',
    }),
    step({
      id: 'build',
      title: 'Build',
      actions: [
        'Work criterion by criterion: first the test, which you see fail, then the code that makes it pass.',
        'Take over the diffs of the plan. Where the context lines of one are not in the file any more, do what the diff is for, and note the departure. If its decision itself does not work, stop at that criterion and note why; do not decide anew.',
        convention('structural'),
        forbidden(
          'Changing a file that your line or your findings do not need',
          'Weakening or skipping a test',
          'Committing, stashing, or undoing changes that are not yours',
        ),
        'Done when: each criterion was shown once by its command or observation, or is noted with the reason why not.',
      ],
      next: 'verify',
    }),
    step({
      id: 'verify',
      title: 'Verify',
      actions: [
        'Run the tests and the checks that cover your files, after your last change. If one fails in a file of another line, note it and leave it.',
        'Read your own diff (`git diff` and new files) as a stranger: remove what no criterion needs.',
        '',
        'Done when: the output of one run after your last change shows each criterion, and you read every changed line.',
      ],
      next: 'hand-over',
    }),
    step({
      id: 'hand-over',
      title: 'Hand over',
      actions: [
        'Write a new file {{task}}/built-{{effort}}.md: for each milestone or finding the files, each criterion with the command and its decisive lines, the departures from the plan with reasons, and what you noticed and left alone.',
        'The command that ends this step takes its path (--set built). Your last message is that path, and one line for each criterion that does not hold.',
        '',
        'Done when: each criterion of the first step is in the file, with an output or with the reason why it does not hold.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Carries out milestones of a plan, or fixes what a review found.',
    format: 'text',
    params: ofLine,
    state: { built: param.text({ required: true, description: 'The path of what was built.' }) },
  },
)
