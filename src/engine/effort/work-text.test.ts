import { expect, test } from 'vitest'
import { effort } from '../../rules/case.contract.ts'
import { toldText } from './work-text.ts'

test('files of one heading stand together below it, whatever is told between them', () => {
  const view = {
    effort: effort(),
    phases: [],
    next_phases: [],
    proof_to_leave: [],
    standing: [],
    artifacts: ['/t/1_FLOW_LOG.md', '/t/2_REVIEW_LOG.md'],
    next_skills: [],
  }
  const told = [
    { name: 'files', title: 'Files of this effort:', lines: ['- log: /t/1_FLOW_LOG.md'] },
    { name: 'others', title: 'Other agents:', lines: ['- effort 9 [flow]'] },
  ]
  const [, files = '', others = ''] = toldText(view, { title: 'Effort', told }).split(/^## SRC_/m)
  expect(files).toMatch(/^SESSION_ARTIFACTS\n.*- log: \/t\/1_FLOW_LOG\.md\n+- \/t\/2_REVIEW_LOG\.md\n/s)
  expect(others.trim()).toBe('OTHER_AGENTS\nOther agents:\n- effort 9 [flow]')
})
