import { SHIPPED_MODES } from '../src/model/shipped-modes.ts'
import { DEEDS, SHIPPED_SHORTCUTS } from '../src/model/shipped-shortcuts.ts'
import { type Deed, shortcutKey } from '../src/model/shortcut.ts'

/** What the texts say where nothing is known, and where everything is. */
const AT = { knows: () => false, known: '…', words: "'the words'", isName: true }
const AT_WORK = { ...AT, work: { title: 'effort 2 of ship, "a login page",', id: 2 } }

/** The page about modes and shortcuts, from the lists that the rules use. */
export function modesPage(made: string): string {
  return [`# Modes and shortcuts\n\n${made}`, modesPart(), shortcutsPart(), OWN].join('\n')
}

function modesPart(): string {
  const modes = SHIPPED_MODES.map(
    ({ tag, name, kind, steps, text }) => `| \`#${tag}\` | ${name} | ${kind} | ${steps ?? ''} | ${text} |`,
  )
  return `## Modes

A tag in a prompt sets a mode: the agent gets the text of the mode with the prompt. In the call of a skill (\`/ship a login page #ver\`), the effort keeps the mode until it ends: a recap tells it again, \`holdfast status\` and \`holdfast effort show\` name it, and the tag is no part of what was asked. In any other prompt, the mode applies to the answer to this prompt. Modes are told in the order of their tags. Two contexts contradict each other, so only the last one counts.

A mode with steps also decides which steps are due if its call begins an effort: \`quick\` is the same as \`/ship - a login page\`. An effort that goes on keeps its steps, and the agent is told so.

| tag | mode | kind | steps | what the agent is told |
|---|---|---|---|---|
${modes.join('\n')}

A tag stands alone or after white space, and ends at white space, at the end, or at one of \`?!.,;\`. Anything else stays as it is: unknown tags, \`#123\`, headings, colors, addresses, and tags in code, in quotes and in quoted lines.

\`/exec-opt #pref #ver mend it\` composes modes, and \`/exec-opt /one /two mend it\` skills. If a skill \`exec-opt\` exists, it is the called skill; otherwise the modes and the skills to call are told together.
`
}

function shortcutsPart(): string {
  const shortcuts = SHIPPED_SHORTCUTS.map(
    (one) =>
      `| \`${shortcutKey(one)}${one.form === 'colon' ? ' …' : ''}\` | ${one.name} | ${[one.asks].flat().join(', ')} |`,
  )
  const deeds = (Object.keys(DEEDS) as Deed[]).map((deed) => {
    const [idle, busy] = [DEEDS[deed](AT), DEEDS[deed](AT_WORK)]
    return `| ${deed} | ${busy}${idle === busy ? '' : `<br>Without work: ${idle}`} |`
  })
  return `## Shortcuts

A shortcut is a short form of a prompt. The agent and you both get its text. The shortcuts below are off until the project has a session file (\`agents/session.md\`, \`session.md\`, or the one that the setting \`session_file\` names), or the config says \`shortcuts: on\`. Your own are always on.

| prompt | name | asks for, in order |
|---|---|---|
${shortcuts.join('\n')}

A word without a colon is the whole prompt or its first line. A word with a colon begins a line outside of code, and takes the rest of its paragraph; a prompt may have several.

| part | what the agent is told |
|---|---|
${deeds.join('\n')}

With a session file, \`status\` shows \`holdfast handoff\`, \`execute\` and \`resume\` name its tasks, \`handoff\` is \`holdfast handoff write\`, \`commit\` checks the tasks before (\`holdfast todo check --stage\`), and \`note\` adds one (\`holdfast todo add\`): [handoff](../handoff.md). Where a skill \`handoff\` or \`commit\` exists, the agent is told to call it.
`
}

const OWN = `## Your own

\`config.yaml\` (yours, or \`.holdfast/config.yaml\` of a project, which wins) adds, replaces and removes both:

\`\`\`yaml
modes:
  sec: Look for security holes before anything else.
  slow: {name: slow-and-sure, kind: context, steps: full, text: Take small steps.}
  teach: off
shortcuts:
  wip: Commit everything as work in progress, without tests.
  "b:": Find the cause of this bug first. Change nothing before.
  xc: on
\`\`\`

A tag has 2 to 30 small letters, digits, \`-\` and \`_\`, and is no color. A shortcut is one word of at most 30 characters; a colon at its end says that words follow. A text has at most 2,000 characters. \`off\` removes one, \`on\` brings one of the package back. \`holdfast config set modes off\` switches all modes off, and \`holdfast config set shortcuts off\` all shortcuts. An agent cannot change these files without your consent ([doors](../decisions/0033-doors.md)). At the level \`observe\`, neither is told.
`
