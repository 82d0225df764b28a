import { convention, param, qrOutput, resource, step } from 'holdfast/workflow'

/** What every review is given, and what it returns. */
export const params = {
  plan: param.text({ required: true, description: 'The path of the plan.' }),
  context: param.text({ description: 'The path of the findings about the code.' }),
}
export const state = {
  result: param.choice(['pass', 'fail'], { required: true, description: 'Whether a finding blocks.' }),
  report: param.text({ required: true, description: 'The path of the report.' }),
}

/** The last step of every review. */
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
      'The result is fail if at least one finding blocks, else pass. The command that ends this step takes both: --set result and --set report with the path.',
      qrOutput(),
      'Done when: the file exists, every finding in it has all its parts, and result and findings agree.',
    ],
    next: null,
  })
