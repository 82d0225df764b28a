const MEGABYTE = 1024 * 1024
const HEAD = '---\nname: x\ndescription: Does things.\n---\n\n'

const filled = (unit: string, size = MEGABYTE): string => unit.repeat(Math.ceil(size / unit.length))
const fields = (text: string): Files => ({ 'SKILL.md': `---\nname: x\n${text}\n---\n\n# X\n` })
const body = (text: string): Files => ({ 'SKILL.md': HEAD + text })
const beside = (name: string, text: string): Files => ({ 'SKILL.md': HEAD, [name]: text })
const phases = (count: number) =>
  Array.from({ length: count }, (_, n) => `{"label": "${n + 1}", "name": "Do it"}`).join(',')

/** The files of a skill, by their path in its folder. */
export type Files = Readonly<Record<string, string>>

/** An ordinary skill with a long text and step files. */
export const ORDINARY: Files = {
  'SKILL.md':
    HEAD + filled('## Words\n\nSome words about `it`, see [this](that.md).\n\n- a\n- b\n\n', 20_000),
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`steps/step-${n + 1}.md`, filled(`# Step\n\nDo it.\n\n`, 1000)]),
  ),
}

/** Skills that somebody wrote to hold up a reader, one for each way that was found. */
export const HOSTILE: Readonly<Record<string, Files>> = {
  'a megabyte of fields': fields(filled('a: b\n')),
  'a megabyte of different fields that are not valid': fields(
    Array.from({ length: 90_000 }, (_, n) => `k${n}: [b`).join('\n'),
  ),
  'as much frontmatter as is read, all brackets': fields(filled(']', 63 * 1024)),
  'frontmatter of nested lists': fields(`a: ${filled('[', 60 * 1024)}`),
  'a holdfast.yaml of brackets': beside('holdfast.yaml', filled(']', 127 * 1024)),
  'a holdfast.yaml of one repeated field': beside('holdfast.yaml', filled('a: b\n', 127 * 1024)),
  'a holdfast.yaml of a megabyte': beside('holdfast.yaml', filled('a: b\n')),
  'a megabyte of phases': body(`\`\`\`json\n{"phases": [${phases(30_000)}]}\n\`\`\`\n`),
  'a megabyte of the word phases': body(`\`\`\`json\n${filled('"phases":')}\n\`\`\`\n`),
  'a long list': body(filled('1. a\n', 2 * MEGABYTE)),
  'many headings': body(filled('# a\n', 2 * MEGABYTE)),
  'many fences': body(filled('```\n', 2 * MEGABYTE)),
  'quotes in quotes': body(filled('> ', 2 * MEGABYTE)),
  'thousands of step files': {
    'SKILL.md': HEAD,
    ...Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`steps/step-${n}.md`, '# Step\n'])),
  },
  'large step files': {
    'SKILL.md': HEAD,
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`steps/step-${n}.md`, filled('- a\n')])),
  },
}
