import * as fc from 'fast-check'
import { anyString } from '../../../test/any-string.ts'

/** Parts of session files, whole and broken, with every kind of line end. */
const PARTS = [
  '# Session Handoff: 2026-03-01',
  '**Status:** Half way',
  '## Completed This Session',
  '## In-tree Tasks',
  '## Pending Tasks ##',
  '## Worktree Tasks',
  '## Blockers / Gotchas',
  '## Reference Files',
  '## Next Steps',
  '## Notes of mine',
  '### Detail',
  '- [ ] **Mend the login** #AB12CD — `/design login` | opus | restart | 1',
  '- [>] **Write tests** → `login-tests` — `/tdd "a | b"` | haiku',
  '- [x] **Done** — nothing',
  '- [–] **Given up**',
  '- [†] **Failed** #PNDNG — `x`',
  '- [?] **Unknown**',
  '- [ ] Plain name — `y`',
  '- [ ] **Open name',
  '-[ ] **No blank** #pndng',
  '  - Plan: login | Status: designed',
  '- text',
  '```',
  '~~~md',
  'words',
  '',
  ' ',
]

/** Any session file that a person could leave behind. */
export const anyFile = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(
      fc.tuple(
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...PARTS) }, { weight: 1, arbitrary: anyString() }),
        fc.constantFrom('\n', '\n', '\r\n', '\n\n'),
      ),
    ),
    fc.constantFrom('', '## Next Steps', '- [ ] **Last**'),
  )
  .map(([mark, lines, end]) => mark + lines.map(([text, br]) => text + br).join('') + end)
