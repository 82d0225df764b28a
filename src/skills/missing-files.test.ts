import { describe, expect, test } from 'vitest'
import { HEAD } from '../model/diagnostic-examples.ts'
import { readAll } from './read-all.ts'

/** What is said to be missing of a skill with this body; the other files exist. */
function missing(
  body: string,
  { at = 'skills/x/SKILL.md', files = [] as readonly string[], above = 0 } = {},
) {
  const there = new Set([at, ...files])
  const disk = { exists: (path: string) => there.has(path), isUtf8: () => true, textFolders: [], above }
  const [parsed] = readAll([at], { textOf: () => `${HEAD}\n${body}\n`, disk })
  return (parsed?.diagnostics ?? [])
    .filter(({ code }) => code === 'HF121' || code === 'HF122')
    .map(({ message }) => message.split(' ')[0])
}

describe('a missing file is found', () => {
  test.each([
    ['in a link', 'See [the rules](references/rules.md).', 'references/rules.md'],
    ['in a link beside the skill', 'See [RULES.md](RULES.md).', 'RULES.md'],
    ['in a link with an anchor', '[a](references/rules.md#part)', 'references/rules.md'],
    ['in a link with a title', '[a](references/rules.md "Rules")', 'references/rules.md'],
    ['in a link with angle brackets', '[a](<references/the rules.md>)', 'references/the'],
    ['in a link with an escaped space', '[a](references/the%20rules.md)', 'references/the%20rules.md'],
    ['in a link definition', '[rules]: ./references/rules.md', './references/rules.md'],
    ['in a link whose text is code', 'See [`rules`](rules.md).', 'rules.md'],
    ['in a table', '| rules | `references/rules.md` |', 'references/rules.md'],
    ['in a table whose other cell has a verb', '| writing | `references/w.md` |', 'references/w.md'],
    ['after @', '@./references/rules.md', './references/rules.md'],
    ['in code', 'Read `references/rules.md` first.', 'references/rules.md'],
    ['in plain text', 'Follow references/rules.md.', 'references/rules.md'],
    ['between letters of another script', '手順はreferences/rules.mdを参照', 'references/rules.md'],
    ['beside the skill', 'Validate against `./checklist.md`.', './checklist.md'],
    ['in a command of the text', 'Run `python scripts/x.py --all`.', 'scripts/x.py'],
    ['in a command of a fence', '```bash\npython3 scripts/x.py --all\n```', 'scripts/x.py'],
    ['after an option', '```sh\nuv run python -m harness.run scripts/x.py\n```', 'scripts/x.py'],
    ['in quotes', '```sh\nbash "scripts/x.sh"\n```', 'scripts/x.sh'],
    ['in JSON', '```json\n{"command": "node scripts/x.js"}\n```', 'scripts/x.js'],
    ['of a plugin', '`${CLAUDE_PLUGIN_ROOT}/tools/x.py`', '${CLAUDE_PLUGIN_ROOT}/tools/x.py'],
    ['of the skill by variable', 'Load `${CLAUDE_SKILL_DIR}/a.json`', '${CLAUDE_SKILL_DIR}/a.json'],
    ['of the skill by placeholder', '`{skill-root}/a.toml`', '{skill-root}/a.toml'],
    [
      'of the client in the project',
      'Run `bash "$CLAUDE_PROJECT_DIR/.claude/scripts/x.sh" main`',
      '$CLAUDE_PROJECT_DIR/.claude/scripts/x.sh',
    ],
    ['of the client', 'See `.claude/rules/x.md`.', '.claude/rules/x.md'],
    ['with the folder of the skill', 'Copy `x/references/a.md` to docs.', 'x/references/a.md'],
    ['above the skill', 'Read [a](../y/references/a.md).', '../y/references/a.md'],
    ['without an extension', 'Log with `bin/x-log`.', 'bin/x-log'],
    ['in documents that the text points at', 'For more, see\n`docs/more.md`.', 'docs/more.md'],
    ['in documents that another text points at', '詳細は`docs/more.md`を参照。', 'docs/more.md'],
    ['in documents of authority', '`docs/more.md` is the authority.', 'docs/more.md'],
    ['among the examples of the documents', '| `docs/examples/a.md` | the form |', 'docs/examples/a.md'],
    ['in another folder that the text points at', 'See `setups/a.json`.', 'setups/a.json'],
    ['in a folder of another skill', 'See `other/references/a.md`.', 'other/references/a.md'],
    ['in a folder of another skill above', '- `../other/references/a.md`', '../other/references/a.md'],
    ['in a part of the repository', '```\nRun: python tools/scripts/a/b.py\n```', 'tools/scripts/a/b.py'],
    ['in a plugin of the project', '| `.claude/plugins/p/hooks/a.sh` |', '.claude/plugins/p/hooks/a.sh'],
    ['among the hooks of the plugin', '- `hooks/README.md`: safety', 'hooks/README.md'],
    ['of a script by its name', '`scripts/make-brief PLAN` prints it.', 'scripts/make-brief'],
    ['of a script that the agent runs', 'Run the `tools/a.sh` script.', 'tools/a.sh'],
    ['at the start of a command', '```bash\n# all\n./scripts/x.sh "one"\n```', './scripts/x.sh'],
    ['in a command of another program', '```bash\nrender -ql assets/x.py Scene\n```', 'assets/x.py'],
    ['beside the skill by its name', 'For more, see good-practices.md. It is long.', 'good-practices.md'],
    ['beside the skill in words', 'Use `draw.js` in this directory.', 'draw.js'],
    ['beside the skill, in another script', '请阅读 `STYLES.md` 以了解。', 'STYLES.md'],
    ['beside the skill with a purpose', 'First read `STYLES.md` for the colors.', 'STYLES.md'],
    ['beside the skill, of any kind', 'Load `./methods.csv` for all methods.', './methods.csv'],
    ['beside the skill after @', 'Load @methods.md now.', 'methods.md'],
    ['as a template', 'Start from template.md:', 'template.md'],
    ['as settings', 'Edit `config.json` to change it.', 'config.json'],
    ['as settings in other languages', '`config.json`を編集します。', 'config.json'],
    ['after a path with a verb', 'Read `~/plan-write/a.md`, then `references/b.md`.', 'references/b.md'],
    ['after words like verbs', 'The product story: `references/a.md`', 'references/a.md'],
  ])('%s', (_, body, path) => {
    expect(missing(body)).toEqual([path])
  })

  test('once, at its first mention', () => {
    expect(missing('Read `references/a.md`.\n\nThen `./references/a.md` again.')).toEqual(['references/a.md'])
  })

  test('with its position and a code of its own if it is another skill', () => {
    const disk = { exists: () => false, isUtf8: () => true, textFolders: [], above: 0 }
    const [parsed] = readAll(['x/SKILL.md'], { textOf: () => `${HEAD}\nUse [y](../y/SKILL.md).\n`, disk })
    expect(parsed?.diagnostics).toMatchObject([
      { code: 'HF122', line: 6, column: 9, message: '../y/SKILL.md does not exist.' },
    ])
  })
})

describe('nothing is said', () => {
  test.each([
    ['about addresses', '[a](https://example.org/a.md) and [b](mailto:a@b.md)'],
    ['about anchors', '[a](#part)'],
    ['about absolute paths and those of the user', '`/etc/x.md` and `~/.claude/skills/x/references/a.md`'],
    ['about other variables', 'Read `$HOME/references/a.md` and `{project-root}/references/a.md`.'],
    [
      'about placeholders',
      '`references/<name>.md`, `references/*.md`, `references/{x}.md`, [a](path/to/a.md)',
    ],
    ['about examples', 'Name a file (e.g. `references/guide.md`) or, for example, `scripts/x.py`.'],
    ['about bad examples', '- ❌ Bad: `references/a.md`'],
    ['about results', 'Write the report to `references/report.md`.'],
    ['about results in other languages', '`references/report.md`に保存します。'],
    ['about files that may be absent', 'Read `references/a.md` if it exists.'],
    [
      'about files of the project',
      'Look at `src/index.ts`, `docs/plan.md`, `package.json` and `.claude/settings.json`.',
    ],
    ['about programs of the project', 'Run `bin/rails test`.'],
    ['about links in code', 'Write `[a](references/a.md)` there.'],
    ['about other code', '```markdown\n[a](references/a.md)\n```'],
    ['about a tree of files', '```\nx/\n├── references/a.md\n└── scripts/b.py\n```'],
    ['about links without a file', '[Title](URL)'],
    ['about numbers', 'It got 4.2/5.0 points.'],
    ['about files that every project has', 'See CLAUDE.md and read `README.md` for the rules.'],
    ['about files that the agent wrote', 'Then load `baseline.json` and read kanban.md to get all.'],
    ['about libraries', 'See Next.js.'],
    ['about links in the code of a text', 'Write `see [a](./src/README.md) first` there.'],
    ['about files that a command makes or lists', '```bash\ntouch scripts/x.py\nls -la scripts/y.py\n```'],
    ['about code in folders of code', 'See `src/templates/a.ts` and `app/scripts/b.js`.'],
    ['about other folders', 'The list is in `setups/a.json`.'],
  ])('%s', (_, body) => {
    expect(missing(body)).toEqual([])
  })

  test('without a disk', () => {
    const [parsed] = readAll(['x/SKILL.md'], { textOf: () => `${HEAD}\n[a](a.md)\n` })
    expect(parsed?.diagnostics).toEqual([])
  })
})

describe('a file exists', () => {
  test.each([
    ['in the folder of the skill', 'references/a.md', 'skills/x/references/a.md'],
    ['in the plugin', '${CLAUDE_PLUGIN_ROOT}/scripts/a.py', 'scripts/a.py'],
    ['in a folder above', 'agents/a.md', 'skills/agents/a.md'],
    ['in the folder of skills', 'x/references/a.md', 'skills/x/references/a.md'],
    ['where the skill will be installed', '.claude/skills/y/SKILL.md', 'skills/y/SKILL.md'],
  ])('%s', (_, path, file) => {
    expect(missing(`Read \`${path}\`.`)).toEqual([path])
    expect(missing(`Read \`${path}\`.`, { files: [file] })).toEqual([])
  })

  test('in a usual folder, if only its name is said', () => {
    expect(missing('See a-b.md.', { files: ['skills/x/references/a-b.md'] })).toEqual([])
  })

  test('if the text names it in full elsewhere', () => {
    expect(missing('See a-b.md, which is `~/notes/a-b.md`.')).toEqual([])
  })

  test('unless the folder of a skill lacks it', () => {
    const body = 'The list is in `y/src/list.ts`, and that of the group in `g/z/list.ts`.'
    expect(missing(body)).toEqual([])
    expect(missing(body, { files: ['skills/y/SKILL.md', 'skills/g/z/SKILL.md'] })).toEqual([
      'y/src/list.ts',
      'g/z/list.ts',
    ])
  })

  test('above the folder that is checked, up to the repository', () => {
    const at = 'SKILL.md'
    expect(missing('Run `scripts/a.py`.', { at, files: ['../../scripts/a.py'], above: 2 })).toEqual([])
    expect(missing('Run `scripts/a.py`.', { at, files: ['../../scripts/a.py'], above: 1 })).toHaveLength(1)
  })

  test('with a space that its link escapes', () => {
    expect(missing('[a](the%20rules.md)', { files: ['skills/x/the rules.md'] })).toEqual([])
  })
})
