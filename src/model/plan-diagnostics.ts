/** The kinds of problems of plans; part of the table in `diagnostic.ts`. */
export const PLAN_DIAGNOSTICS = {
  HF301: {
    severity: 'error',
    title: 'Two steps have the same id',
    hint: 'Rename one of them.',
  },
  HF302: {
    severity: 'error',
    title: 'A step leads to a step that does not exist',
    hint: 'Correct the target, or add the step.',
  },
  HF303: {
    severity: 'error',
    title: 'A step leads nowhere and does not end the plan',
    hint: 'Add a next step, or mark it as the end of the plan.',
  },
  HF304: {
    severity: 'warning',
    title: 'A step cannot be reached',
    hint: 'Lead to it from another step, or remove it.',
  },
  HF305: {
    severity: 'error',
    title: 'The plan never ends',
    hint: 'End the plan with an outcome of at least one step.',
  },
  HF306: {
    severity: 'error',
    title: 'A loop has no limit',
    hint: 'Give one of its steps a limit.',
  },
  HF307: {
    severity: 'error',
    title: 'A step consumes an artifact that no step produces',
    hint: 'Add it to the produces list of a step, or correct its name. user-request always exists.',
  },
  HF308: {
    severity: 'error',
    title: 'Two steps produce the same artifact',
    hint: 'Rename one of the artifacts.',
  },
  HF309: {
    severity: 'error',
    title: 'A step consumes its own product',
    hint: 'Remove it from consumes: the step could never start.',
  },
  HF310: {
    severity: 'warning',
    title: 'The text and the plan have different orders',
    hint: 'Change the text or the plan.',
  },
  HF311: {
    severity: 'error',
    title: 'No phase declares a named proof field',
    hint: 'Declare the field in the proof of a phase, or correct its name.',
  },
  HF312: {
    severity: 'error',
    title: 'A step file names a next file that does not exist',
    hint: 'Correct nextStepFile, or add the file.',
  },
  HF313: {
    severity: 'error',
    title: 'Steps wait for each other',
    hint: 'Break the cycle: remove one artifact from consumes.',
  },
  HF316: {
    severity: 'error',
    title: 'An evidence requirement is not valid',
    hint: 'Write {command: "npm test", covers: ["src/**"]}, and add rank: observed if a run by the agent is enough.',
  },
  HF317: {
    severity: 'error',
    title: 'An evidence requirement names an artifact that no step produces',
    hint: 'Add it to the produces list of a step, or correct its name.',
  },
  HF318: {
    severity: 'error',
    title: 'One name has two evidence requirements',
    hint: 'Use two names: artifacts and proof fields share one set of names.',
  },
  HF319: {
    severity: 'warning',
    title: 'A command covers no files',
    hint: 'List its files in covers, so that it must run again when they change.',
  },
  HF320: {
    severity: 'warning',
    title: 'Evidence is required although reading is enough',
    hint: 'Remove gate: visited, or the evidence requirement.',
  },
  HF321: {
    severity: 'error',
    title: 'A field of a step is not valid',
    hint: 'Write for example next: {ok: build, again: plan}, limit: 3, onLimit: park, writes: [src/**], dispatch: {count: 3, join: any}, when: {confidence: high} or only: full.',
  },
  HF322: {
    severity: 'warning',
    title: 'A plan uses a variable that nothing sets',
    hint: 'Give it a default in variables, or name a proof field that sets it.',
  },
  HF323: {
    severity: 'warning',
    title: 'A step file is not part of the plan',
    hint: 'Add consumes and produces to its frontmatter, or move it out of the folder of steps.',
  },
  HF324: {
    severity: 'warning',
    title: 'A phase or a step file has an unknown field',
    hint: 'Correct its name. In a step file, put notes of your own below metadata.',
  },
  HF325: {
    severity: 'error',
    title: 'A plan has too many steps',
    hint: 'Split the skill, so that each plan has fewer steps; until then, nothing is enforced.',
  },
  HF326: {
    severity: 'error',
    title: 'A workflow uses a value that it does not declare',
    hint: 'Add it to params or state, or correct its name. Templates are {{name}} or {{state.name}}.',
  },
  HF327: {
    severity: 'error',
    title: 'A workflow compares a value with one that it never has',
    hint: 'Correct one of them: the value in when, or the type and choices of the field.',
  },
  HF328: {
    severity: 'error',
    title: 'A step decides an outcome that leads nowhere',
    hint: 'Map the outcome, such as next: {pass: "ship", fail: "build"}, and put the decision without when last.',
  },
  HF329: {
    severity: 'error',
    title: 'A dispatch does not fit the workflow that its sub-agents run',
    hint: 'Name a workflow of workflows, tell the params that it requires in vars, and declare in the state of both what it returns.',
  },
  HF330: {
    severity: 'error',
    title: 'A gate does not fit its review',
    hint: 'Write ...gate({id: "qr", name: "Plan", work: "plan", pass: "build", review: dispatch("quality-reviewer")}), and lead from the work to the review.',
  },
  HF331: {
    severity: 'error',
    title: 'A workflow names a convention or a resource that does not exist',
    hint: 'Add conventions/NAME.md or resources/NAME.md to the folder of the skill, or to .holdfast in the project.',
  },
} as const
