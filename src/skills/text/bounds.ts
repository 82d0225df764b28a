/** A text for a context window is far shorter. */
export const LONGEST_TEXT = 512 * 1024
/** Fields for people are far shorter, and parsing YAML is slow. */
export const LONGEST_FRONTMATTER = 64 * 1024
/** A holdfast.yaml, an overlay, or a block of phases in JSON. */
export const LONGEST_PLAN = 128 * 1024
/** The texts of one skill besides its main file. */
export const MOST_FILES = 1000
/** All texts of one skill. */
export const LARGEST_SKILL = 2 * 1024 * 1024
