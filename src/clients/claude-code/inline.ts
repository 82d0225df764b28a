/** A command in the text of a skill: after a space or at the start of a line, or as a block of its own. */
const INLINE = /(?<=^|\s)!`([^`]+)`/gm
const BLOCK = /^\s*```!\s*\n([\s\S]*?)^\s*```/gm

/** The commands that the client runs by itself while it loads a skill, without any event. */
export const loadedCommands = (text: string, { args, folder }: Loading): readonly string[] =>
  [...text.matchAll(INLINE), ...text.matchAll(BLOCK)].map(([, command = '']) =>
    command
      .replaceAll(/\$ARGUMENTS\b(?:\[\d+\])?/g, () => args)
      .replaceAll(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder),
  )

interface Loading {
  readonly args: string
  /** The folder of the skill. */
  readonly folder: string
}
