/** The files of a project, by their paths. */
export type Files = Readonly<Record<string, string>>

/** A skill without a plan. */
export const skill = (name: string, more = ''): Files => ({
  [`.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Does it.\n${more}---\n\nDo it.\n`,
  'src/a.ts': 'a',
})
/** A skill with a sidecar. */
export const side = (yaml: string, name = 'flow'): Files => ({
  ...skill(name),
  [`.claude/skills/${name}/holdfast.yaml`]: yaml,
})
/** The text of a step. */
export const step = (fields: string): string =>
  `---\n${fields}\n---\n\n# A step\n\n${'Do this.\n\nThen that.\n\n'.repeat(3)}`
/** The folder of the steps. */
export const S = '.claude/skills/flow/steps'
const STEPS: Files = {
  [`${S}/look.md`]: step('consumes: [user-request]\nproduces: [view]'),
  [`${S}/think.md`]: step('consumes: [view]\nproduces: [idea]'),
  [`${S}/do.md`]: step('consumes: [idea]\nproduces: [result]'),
}
/** A skill of three steps. */
export const flow = (yaml?: string): Files => ({
  ...(yaml === undefined ? skill('flow') : side(yaml)),
  ...STEPS,
})
/** Steps must record what they produce. */
export const PRODUCED = 'gate: produced\n'
/** The first product must be proved. */
export const PROVED = `${PRODUCED}artifacts:\n  view: {command: test -d src, covers: [src/**]}\n`
/** Phases with a claim and a proof. */
export const PHASES = `phases:
  - {label: "1", name: Build, proof: [how]}
  - {label: "2", name: Check, proof: {tests: {command: test -d src, covers: [src/**]}}}
  - {label: "3", name: Ship, optional: true}
  - {label: "4", name: Tell, proof: [whom]}
`
/** Code may change only in the second phase. */
export const WRITES = `phases:
  - {label: "1", name: Red, proof: [failing]}
  - {label: "2", name: Green, writes: [src/**]}
`
/** A pipeline with conditions. */
export const PIPELINE = `pipeline:
  - {id: look, prompt: Look around., verify: it was seen}
  - {id: make, prompt: Make it., verify: {file: out.md}, limit: 1}
  - {id: end, prompt: Stop.}
`

/** A skill with a mode. */
export const MODES: Files = {
  '.claude/skills/flow/SKILL.md':
    '---\nname: flow\ndescription: Does it.\n---\n\n```json\n{"phases": [{"label": "1", "name": "Do"}], "modes": {"tdd": {"label": "TDD"}}}\n```\n',
}
