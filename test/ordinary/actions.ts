import type { Random } from '../torture/random.ts'
import { isStrict } from '../../src/model/level.ts'
import { COMMANDS } from './commands.ts'
import { type Place, SKILLS, type SkillName, stepFile, type StepName, STEPS } from './places.ts'

/** What a session has open and has read, as far as it decides what is ordinary. */
export interface Standing {
  /** The skills that were called, or whose SKILL.md was read, with the steps that were read. */
  readonly open: Map<SkillName, Set<StepName>>
  readonly place: Place
}

/** One event of a client before it happens; `shows` is the file whose text it shows. */
export interface Action {
  readonly event: 'PreToolUse' | 'UserPromptSubmit'
  readonly payload: Readonly<Record<string, unknown>>
  readonly shows?: string
}

type Make = (random: Random, at: Standing) => Action | undefined

const tool = (tool_name: string, tool_input: object, shows?: string): Action => ({
  event: 'PreToolUse',
  payload: { tool_name, tool_input },
  ...(shows !== undefined && { shows }),
})
const bash = (command: string): Action => tool('Bash', { command })
const prompt = (text: string): Action => ({ event: 'UserPromptSubmit', payload: { prompt: text } })
const read = (path: string): Action => tool('Read', { file_path: path }, path)

const anyStep = (random: Random) => random.pick(STEPS) ?? 'look'
const gated = (random: Random): SkillName => (random.chance(0.5) ? 'flow' : 'ship')
const inSub = (action: Action): Action => ({
  ...action,
  payload: { ...action.payload, agent_id: 'sub', agent_type: 'Explore' },
})

/** The text of a step may be shown if it is due, was read, or if nobody works with its skill. */
function mayShow({ open, place }: Standing, skill: SkillName, step: StepName): boolean {
  const done = open.get(skill)
  if (done === undefined && place.level === 'enforce') return true
  const before = STEPS[STEPS.indexOf(step) - 1]
  return before === undefined || done?.has(step) === true || done?.has(before) === true
}

/** Any step, for actions that name it and show nothing of it. */
const named = (random: Random): string => stepFile(gated(random), anyStep(random))

/** A command that agents are told; at locked it has the path of the launcher. */
const TOLD = /^holdfast(?= (?:status|step|recap)$)/

const commandOf =
  (texts: readonly string[]): Make =>
  (random, { place }) =>
    bash(
      (random.pick(texts) ?? '')
        .replaceAll('ROOT', place.root)
        .replaceAll('OTHER', place.neighbor)
        .replaceAll('STEP', named(random))
        .replaceAll('SKILL', `.claude/skills/${gated(random)}`)
        .replace(TOLD, place.level === 'locked' ? '/home/u/state/bin/holdfast' : 'holdfast'),
    )

/** Ordinary work: nothing here shows the text of a step before it is due to somebody who works with its skill. */
export const ACTIONS: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(Object.entries(COMMANDS).map(([kind, texts]) => [kind, commandOf(texts)])),
  edit: (random, { place: { root } }) =>
    tool(random.pick(['Write', 'Edit', 'MultiEdit']) ?? 'Edit', {
      file_path: `${root}/${random.pick(['src/a.ts', 'src/steps/do.ts', 'docs/steps/do.md', 'README.md'])}`,
    }),
  'read own files': (random, { place: { root } }) =>
    read(`${root}/${random.pick(['README.md', 'src/a.ts', 'docs/steps/do.md', 'steps/do.md'])}`),
  grep: (random, { place: { root } }) =>
    tool('Grep', {
      pattern: random.pick(['TODO', 'step', 'steps/do.md']),
      ...random.pick([
        { output_mode: 'content' },
        { output_mode: 'content', path: root },
        { output_mode: 'content', path: 'src' },
        { output_mode: 'content', path: `${root}/steps` },
        { output_mode: 'files_with_matches', path: `${root}/.claude/skills` },
        { output_mode: 'count', path: `${root}/.claude` },
        { output_mode: 'content', path: `${root}/.claude`, glob: '*.json' },
        { output_mode: 'content', path: `${root}/.claude/skills`, glob: '*.ts' },
        { output_mode: 'content', path: `${root}/.claude/skills`, type: 'py' },
        { output_mode: 'content', path: `${root}/.claude/skills/plain` },
        {},
      ]),
    }),
  glob: (random, { place: { root } }) =>
    tool('Glob', {
      pattern: random.pick(['**/*.md', '.claude/skills/*/steps/*.md', 'steps/**']),
      path: root,
    }),
  'back up a skill': (random, at) => {
    const skill = gated(random)
    // A copy of a skill that is at work counts as a reading of its steps.
    if (!STEPS.every((step) => mayShow(at, skill, step))) return undefined
    return bash(`cp -r .claude/skills/${skill} /tmp/backup && cp .claude/skills/${skill}/steps/do.md /tmp/`)
  },
  'read SKILL.md': (random, at) => {
    const skill = random.pick(SKILLS) ?? 'plain'
    if (!at.open.has(skill)) at.open.set(skill, new Set())
    return read(`${at.place.root}/.claude/skills/${skill}/SKILL.md`)
  },
  'read notes of a skill': (_, { place: { root } }) => read(`${root}/.claude/skills/plain/notes.md`),
  'read a step that may be read': (random, at) => {
    const [skill, step] = [gated(random), anyStep(random)]
    if (!mayShow(at, skill, step)) return undefined
    // A strict project puts the skill of a step in charge.
    if (isStrict(at.place.level) && !at.open.has(skill)) at.open.set(skill, new Set())
    at.open.get(skill)?.add(step)
    return read(`${at.place.root}/${stepFile(skill, step)}`)
  },
  "read a neighbor's step": (random, { place: { neighbor } }) => read(`${neighbor}/${named(random)}`),
  'search a neighbor': (_, { place: { neighbor } }) =>
    tool('Grep', { pattern: 'step', path: `${neighbor}/.claude/skills`, output_mode: 'content' }),
  'send a sub-agent': (random) =>
    tool('Agent', {
      description: 'Explore',
      subagent_type: 'Explore',
      prompt: random.pick([
        'Find out how the steps of the product are loaded.',
        'Explore the repository and report. See README.md and docs/steps/do.md.',
        'Read test/steps/do.md and src/steps/do.ts and explain them.',
        'Which skills have a do.md?',
        'List the folders below .claude/skills.',
      ]),
    }),
  'explore in a sub-agent': (random, at) => {
    const { root, level } = at.place
    const [skill, step] = [gated(random), anyStep(random)]
    const file = stepFile(skill, step)
    const ways = [
      read(`${root}/src/a.ts`),
      bash(`wc -l ${named(random)}`),
      bash('grep -rn step src docs'),
      // A strict project holds sub-agents back from what is not due.
      ...(level === 'enforce' || mayShow(at, skill, step)
        ? [read(`${root}/${file}`), bash(`cat ${file}`), bash(`python3 show.py ${file}`)]
        : []),
      ...(level === 'enforce'
        ? [
            tool('Grep', { pattern: 'step', path: `${root}/.claude`, output_mode: 'content' }),
            bash('cat .claude/skills/*/steps/*.md'),
          ]
        : []),
    ]
    return inSub(random.pick(ways) ?? read(root))
  },
  'mention a step': (random, { place: { root } }) =>
    prompt(
      random.pick([
        `What does ${named(random)} do?`,
        `Please fix the typo in ${root}/${named(random)}.`,
        `Explain @${named(random)}`,
        'Go on with step do.',
        'Why was steps/do.md refused?',
        'do',
      ]) ?? '',
    ),
  'write a step as its author': (random, { place: { root } }) =>
    tool(random.pick(['Write', 'Edit', 'MultiEdit']) ?? 'Edit', { file_path: `${root}/${named(random)}` }),
  'use other tools': (random, { place: { root } }) =>
    random.pick([
      tool('LS', { path: `${root}/.claude/skills/flow/steps` }),
      tool('mcp__filesystem__list_directory', { path: `${root}/.claude/skills/flow/steps` }),
      tool('mcp__filesystem__write_file', { path: `${root}/${named(random)}`, content: 'x' }),
      tool('mcp__filesystem__get_file_info', { path: `${root}/${named(random)}` }),
      tool('mcp__filesystem__search_files', { path: root, pattern: 'do.md' }),
      tool('mcp__memory__search', { query: named(random) }),
      tool('mcp__github__create_issue', { title: named(random), body: `See ${root}/${named(random)}` }),
      tool('WebFetch', { url: `https://example.com/${named(random)}`, prompt: 'What is it?' }),
      tool('WebSearch', { query: named(random) }),
      tool('TodoWrite', { todos: [{ content: `Do ${named(random)}`, status: 'pending' }] }),
      tool('TaskCreate', { subject: `Read ${root}/${named(random)}` }),
      tool('NotebookEdit', { notebook_path: `${root}/a.ipynb`, new_source: named(random) }),
      tool('AskUserQuestion', { questions: [{ question: `Shall I do ${named(random)}?` }] }),
    ]),
}
