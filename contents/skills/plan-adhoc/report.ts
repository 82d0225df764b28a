import { convention, param, qrOutput, resource, step } from 'holdfast/workflow'

/** What each review returns. */
export const state = {
  result: param.choice(['pass', 'fail'], { required: true, description: 'Whether a finding blocks.' }),
  report: param.text({ required: true, description: 'The path of the report.' }),
}

/** The last step of each review. */
export const report = (name: string) =>
  step({
    id: 'report',
    title: 'Write the report',
    actions: [
      'Give each candidate its category, and by it its severity. Drop what has no quotation or no consequence.',
      convention('severity'),
      'Your prompt names the severities that block in this round (QR_BLOCKING_SEVERITIES). If it does not, all three block.',
      `Write the report to a new file {{task}}/${name}-{{effort}}.md. Do not open the reports beside it. Its form:`,
      resource('review-format', 'The form of the report'),
      'The command that ends this step takes the result (fail if at least one finding blocks, else pass) and the path of the report.',
      qrOutput(),
      'Done when: the file exists, every finding in it has all its parts, and result and findings agree.',
    ],
    next: null,
  })
