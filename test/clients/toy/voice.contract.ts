import type { Voice } from '../../../src/clients/subject.contract.ts'

/** The form of the toy forbids no replies: `heard` reads all of them. */
export const voice: Voice = {
  origin: (session, cwd) => ({ talk: session, dir: cwd }),
  started: {},
  prompt: (text) => ({ text }),
  read: (file) => ({ file }),
  plainRead: (file) => ({ name: 'tool', input: { file } }),
  call: (id) => ({ call: id }),
  done: {},
  environment: (session) => ({ TOY_TALK: session }),
  settings:
    '{\n  "theme": "dark",\n  "hooks": [\n    {\n      "on": "after",\n      "run": "true"\n    }\n  ]\n}\n',
  misread: ['{"stop": 7}', '{"tell": "a", "more": "b"}'],
  skills: ['release-checklist'],
  isOther: () => false,
  faults: () => ({}),
}
