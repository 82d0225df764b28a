import { dispatch, forbidden, param, resource, step, workflow } from 'holdfast/workflow'
import { lookForSmells } from './explore.ts'

/** Every finding that is kept, from triage to the work items. */
const FINDINGS = '{{task}}/refactor-{{effort}}.md'

export default workflow(
  'refactor',
  [
    step({
      id: 'dispatch',
      title: 'Dispatch',
      phase: 'EXPLORATION',
      actions: [
        'The code to look at: {{scope}}',
        '',
        'Explore sub-agents look for smells at the same time, each for its share of twelve categories. Do not look yourself.',
        'If one stops before its end, start it once more. If it stops again, give it up with its command, after all others have ended.',
        '',
        'Done when: each sub-agent has returned the path of its findings, or is given up.',
      ],
      dispatch: dispatch('explore', {
        workflow: 'look-for-smells',
        count: 'explorers',
        instruction: 'Each knows its categories by its number.',
        model: 'haiku',
        vars: { scope: '{{scope}}', explorers: '{{explorers}}', of: '{{effort}}' },
        returns: ['found'],
      }),
      next: { ok: 'triage', fail: 'triage' },
    }),
    step({
      id: 'triage',
      title: 'Triage',
      phase: 'JUDGMENT',
      actions: [
        'Read every file {{task}}/smells-{{effort}}-*.md, also of a sub-agent that is listed as failed. Open the places of each finding.',
        `Write ${FINDINGS} with a line for each finding: id, places, category, and your verdict:`,
        '- KEEP: the evidence holds, and it has cost something or will at the next change',
        '- MERGE: the same as another one, whose id you name',
        '- DROP: with the fact that refutes it',
        'A category that nobody looked at, because its explorer failed, is listed as NOT LOOKED AT: with n = {{explorers}} explorers, explorer k had the categories k, k+n, k+2n ... up to 12.',
        '',
        'Done when: each finding of each file has a verdict with a path:line that you opened in this step, and all twelve categories are accounted for.',
      ],
      next: 'cluster',
    }),
    step({
      id: 'cluster',
      title: 'Cluster',
      phase: 'JUDGMENT',
      actions: [
        `Group the findings marked KEEP in ${FINDINGS} by cause, not by category or folder: which one decision, had it been made otherwise, would remove all of a group?`,
        'Name each cluster after that decision (C1, C2 ...), with its findings. A finding may stand alone. If two clusters would move the same code in opposite directions, say so.',
        '',
        'Done when: each KEEP is in exactly one cluster, and each cluster of more than one names the decision that they share.',
      ],
      next: 'contextualize',
    }),
    step({
      id: 'contextualize',
      title: 'Contextualize',
      phase: 'JUDGMENT',
      actions: [
        `Add to each cluster in ${FINDINGS} what decides whether it is worth the work:`,
        '- History: how often its files changed in the last year (`git log --since="1 year ago" --oneline -- FILES | wc -l`), and which of these changes it made harder',
        '- Reason: why it is so, from comments, commits or documents; "unknown" if nothing says so',
        '- Safety: which tests would notice a mistake, by name; where there is none, the test to write first',
        '- Reach: callers, public names, formats and stored data that would change',
        'Drop a cluster whose reason still holds, or whose files nobody changes; keep it in the list with that fact.',
        '',
        'Done when: each cluster has all four points with a command, a path:line or the word "unknown", or is dropped with a fact.',
      ],
      next: 'synthesize',
    }),
    step({
      id: 'synthesize',
      title: 'Synthesize',
      phase: 'RESULT',
      actions: [
        `Turn the clusters into work items at the end of ${FINDINGS}, in this form:`,
        resource('work-item', 'The form of a work item'),
        'Order them: first what makes another item safe or small, then by changes made easier for each day of work. Note what must come before what.',
        'Tell the user in at most fifteen lines: each item with its title, gain, size and risk; the categories that nobody looked at; what you dropped and would be asked about; and the path of the file.',
        forbidden(
          'Changing a file of the project',
          'An item without a finding',
          'An item that is only taste',
        ),
        'Done when: each cluster that was kept is in one item or is listed as not worth it, and each item has every field of the form.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Finds what is worth refactoring: smells by sub-agents, causes, and work items in order.',
    activate: 'first',
    format: 'text',
    params: {
      scope: param.text({
        required: true,
        description: 'The code to look at: folders, a module, or all of it.',
      }),
      explorers: param.number({ default: 4, min: 1, max: 6, description: 'How many sub-agents look.' }),
    },
    state: { found: param.text({ description: 'The path of the findings of a sub-agent.' }) },
    workflows: { 'look-for-smells': lookForSmells },
  },
)
