import { param, workflow } from 'holdfast/workflow'
import { application } from './application.ts'
import { deepDive } from './deep-dive.ts'
import { detection } from './detection.ts'
import { explore } from './explore.ts'
import { reconcile } from './reconcile.ts'
import { resolution } from './resolution.ts'

export default workflow('incoherence', [...detection, ...resolution, ...application], {
  description:
    'Finds contradictions between documents, code and specifications, and applies what the user decides.',
  activate: 'first',
  format: 'text',
  params: {
    scope: param.text({
      required: true,
      description: 'What to compare: folders, documents, or the whole project.',
    }),
  },
  state: {
    findings: param.text({ description: 'The path of the first findings.' }),
    candidates: param.choice(['none', 'some'], { description: 'Whether a candidate is left.' }),
    verdicts: param.text({ description: 'The path of the first verdicts.' }),
    issues: param.choice(['none', 'some'], { description: 'Whether an issue is left.' }),
    batches: param.choice(['none-left', 'next'], { description: 'Whether a batch is left.' }),
    changes: param.choice(['none', 'some'], { description: 'Whether a decision asks for a change.' }),
    applied: param.text({ description: 'The path of the first result.' }),
  },
  workflows: { explore, 'deep-dive': deepDive, reconcile },
})
