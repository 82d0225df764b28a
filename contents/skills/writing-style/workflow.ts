import { param, workflow } from 'holdfast/workflow'
import { checking } from './checking.ts'
import { learning } from './learning.ts'
import { writing } from './writing.ts'

export default workflow('writing-style', [...learning, ...writing, ...checking], {
  description: "Learns an author's style from samples, then writes or revises a text by it.",
  activate: 'first',
  format: 'text',
  params: {
    author: param.text({ required: true, description: 'The name of the author, in kebab-case.' }),
    samples: param.text({ required: true, description: 'The paths of the samples.' }),
    text: param.text({ required: true, description: 'What to write, or the path of what to revise.' }),
  },
  state: {
    sheet: param.choice(['current', 'enough', 'thin'], { description: 'What there is to learn from.' }),
    facts: param.choice(['known', 'open'], { description: 'Whether a fact or aim is missing.' }),
    changes: param.choice(['needed', 'none'], { description: 'Whether the checks ask for changes.' }),
    quality: param.choice(['passed', 'failed'], { description: 'How the last check ended.' }),
  },
})
