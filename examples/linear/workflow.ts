import { convention, param, step, workflow } from 'holdfast/workflow'

/** Steps in a row: each leads to the next one, whatever happens. */
export default workflow(
  'linear',
  [
    step({
      id: 'collect',
      title: 'Collect the changes',
      actions: [
        'List the commits since the last tag. Keep those that a user of version {{version}} will notice.',
        'Done when: each has its commit.',
      ],
      next: 'write',
    }),
    step({
      id: 'write',
      title: 'Write the entry',
      actions: ['Write one line per change into CHANGELOG.md: what a user can do, or what no longer fails.'],
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check the entry',
      actions: [
        'A changelog may speak of changes; everything else in the file follows:',
        convention('temporal'),
      ],
      next: null,
    }),
  ],
  { format: 'text', params: { version: param.text({ required: true }) } },
)
