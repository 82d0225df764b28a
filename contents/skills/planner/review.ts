import { param } from 'holdfast/workflow'

/** What every review is given. */
export const params = {
  plan: param.text({ required: true, description: 'The path of the plan.' }),
  context: param.text({ description: 'The path of the findings about the code.' }),
}
