/** The skill of an effort that a sub-agent of a step runs: a workflow of the skill above it. */
export const childSkill = (skill: string, workflow: string): string => `${skill}/${workflow}`

/** True for the effort of a sub-agent, which is part of another one; no skill has a slash in its name. */
export const isChild = ({ skill }: { readonly skill: string }): boolean => skill.includes('/')

/** The skill itself, without the workflows below it. */
export const rootSkill = (skill: string): string => skill.split('/', 1)[0] ?? skill
