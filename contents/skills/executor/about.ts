import { param } from 'holdfast/workflow'

/** What everybody is given who works on the whole change. */
export const about = {
  plan: param.text({ required: true, description: 'The path of the plan.' }),
  progress: param.text({
    required: true,
    description: 'The path of the first commit, the commands and the verdicts.',
  }),
}
