import { param } from 'holdfast/workflow'

const plan = param.text({ required: true, description: 'The path of the plan.' })

/** What everybody is given who works on one line of a wave. */
export const ofLine = {
  plan,
  wave: param.text({ required: true, description: 'The path of the lines, one for each sub-agent.' }),
  child: param.number({ required: true, min: 1, description: 'The line of this sub-agent.' }),
}

/** What everybody is given who works on the whole change. */
export const about = {
  plan,
  progress: param.text({
    required: true,
    description: 'The path of the first commit, the commands and the verdicts.',
  }),
}
