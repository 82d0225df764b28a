import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { windowAt } from '../agent-window.ts'

vi.setConfig({ testTimeout: 300_000 })

const PAUSE = '{"until":"2999-01-01T00:00:00.000Z"}'
const SUBAGENT = { agent_id: 'a44a10e710ee25cd5', agent_type: 'reviewer' }

type Call = readonly [tool: string, input: object]

/** Ways to change what holds the rules, or to read its secrets, without any command of ours. */
function routes(home: string, project: string, settings: string, programs: string): readonly Call[] {
  const shells = [
    `echo '${PAUSE}' > ${home}/pause.json`,
    `cd ${home} && echo '${PAUSE}' > pause.json`,
    `echo '${PAUSE}' | tee ${home}/pause.json`,
    `cp /tmp/pause.json ${home}/pause.json`,
    `cp /tmp/pause.json ${home}/`,
    `mv /tmp/pause.json ${home}`,
    `ln -s /tmp/pause.json ${home}/pause.json`,
    `sed -i 's/strict/observe/' ${home}/engine.db`,
    `rm -rf ${home}`,
    `rm ${home}/*`,
    `truncate -s 0 ${home}/engine.db`,
    `dd if=/dev/null of=${home}/engine.db`,
    `sqlite3 ${home}/engine.db "update projects set level = 'observe'"`,
    `python3 -c "open('${home}/pause.json', 'w').write('x')"`,
    `python3 - <<'END'\nopen('${home}/pause.json', 'w')\nEND`,
    `node -e "fs.writeFileSync('${home}/pause.json', 'x')"`,
    `curl -o ${home}/pause.json http://127.0.0.1/`,
    `bash -c "echo x > ${home}/bin/holdfast"`,
    `sudo tee ${home}/pause.json < /dev/null`,
    `touch ${project}/linked/pause.json`,
    `touch ${Array.from({ length: 250 }, (_, at) => `f${at}`).join(' ')} ${project}/linked/pause.json`,
    `chmod 000 ${home}`,
    `chmod -x ${home}/bin/holdfast`,
    `cd ${home}/bin && chmod -x holdfast`,
    `tar xf x.tar -C ${home}`,
    `tar xf x.tar --directory=${home}`,
    `rsync -a x/ ${home}/`,
    `git -C ${home} checkout .`,
    `git --work-tree=${home} checkout .`,
    `python3 -c "open('${settings}', 'w').write('{}')"`,
    `python3 - <<'END'\nopen('${settings}', 'w').write('{}')\nEND`,
    `node -e "fs.writeFileSync('.claude/settings.local.json', x)"`,
    `cat ${home}/hook.json`,
    `cat ${home}/*.json`,
    `grep token ${home}/http.json`,
    `grep -r token ${home}`,
    `base64 < ${home}/http.json`,
    `cp ${home}/engine.db /tmp/copy.db`,
    `strings ${home}/engine.db-wal`,
    'echo "tasks: /" > .holdfast/config.yaml',
    'mkdir -p .holdfast/skills/deploy && echo x > .holdfast/skills/deploy/holdfast.yaml',
    'rm -f .holdfast/config.yaml',
    'echo "phases: []" > ~/.config/holdfast/skills/deploy.yaml',
    'rm -rf ~/.config/holdfast/skills',
    'rm -rf ~/.config/holdfast',
    'rm -r ~/.config/*',
    'mv x ~/.config/holdfast',
    'chmod 000 ~/.config/holdfast/skills/deploy.yaml',
    'tar xf x.tar -C ~/.config/holdfast',
    'python3 -c "open(\\".holdfast/skills/deploy.yaml\\",\\"w\\")"',
    'python3 -c "os.remove(os.path.expanduser(\'~/.config/holdfast/skills/deploy.yaml\'))"',
    'rm -rf .holdfast',
    'rm -rf .h*',
    'rm -rf .holdfast/s*',
    'rm .holdfast/*/deploy.yaml',
    'mv .holdfast elsewhere',
    'mv prepared .holdfast',
    'ln -sfn prepared sub/.holdfast',
    'find .holdfast -name "*.yaml" -delete',
    'chmod 000 .holdfast/skills',
    'rsync -a --delete empty/ .holdfast/skills/',
    'git checkout HEAD~1 -- .holdfast/skills/deploy.yaml',
    'git rm -rf .holdfast',
    'git -C .holdfast/skills clean -fdx',
    'node -e "fs.rmSync(\'.holdfast/skills/deploy.yaml\')"',
    'curl -o .holdfast/skills/deploy.yaml http://127.0.0.1/',
    'echo "{}" > .claude/settings.json',
    'rm ~/.claude/settings.json',
    'rm -rf ~/.local/share/holdfast/versions',
    'sed -i s/block/allow/ ~/.local/share/holdfast/versions/1/dist/daemon.cjs',
    `node -e "fs.writeFileSync('${programs}/versions/1/dist/daemon.cjs', '')"`,
    `jq 'del(.hooks)' ~/.claude/settings.json > x && mv x ~/.claude/settings.json`,
  ]
  return [
    ['Write', { file_path: `${home}/pause.json`, content: PAUSE }],
    ['Write', { file_path: `${project}/linked/pause.json`, content: PAUSE }],
    ['Edit', { file_path: `${home}/bin/holdfast`, old_string: 'exec', new_string: 'echo' }],
    ['NotebookEdit', { notebook_path: `${home}/x.ipynb`, new_source: 'x' }],
    ['Write', { file_path: `${programs}/versions/1/dist/cli.cjs`, content: '' }],
    ['Write', { file_path: `${project}/.holdfast/config.yaml`, content: 'tasks: x' }],
    ['Write', { file_path: `${project}/.Holdfast/skills/deploy.yaml`, content: '' }],
    ['mcp__filesystem__move_file', { source: `${project}/.holdfast`, destination: `${project}/x` }],
    ['mcp__filesystem__write_file', { path: `${home}/pause.json`, content: PAUSE }],
    ['mcp__desktop__start_process', { command: `echo '${PAUSE}' > ${home}/pause.json` }],
    ['Read', { file_path: `${home}/hook.json` }],
    ['Read', { file_path: `${project}/linked/http.json` }],
    ['Grep', { pattern: 'token', path: home, output_mode: 'content' }],
    ...shells.map((command) => ['Bash', { command }] as const),
  ]
}

/** The work of every day, close to our files. */
function ordinary(home: string, project: string, programs: string): readonly Call[] {
  const shells = [
    `ls -la ${home}`,
    `tail -n 5 ${home}/daemon.log`,
    `du -sh ${home}`,
    'cat ~/.local/share/holdfast/versions/1/README.md',
    `${programs}/versions/1/holdfast step`,
    `${programs}/versions/1/node ${programs}/versions/1/bin/holdfast.js step`,
    `${home}/bin/holdfast status`,
    `sh ${home}/bin/holdfast step`,
    'mkdir -p .holdfast/tasks/login && echo x > .holdfast/tasks/login/NOTES.md',
    'cat .holdfast/config.yaml',
    'cat .claude/settings.json',
    'git add -A && git commit -m "work"',
    'git add .claude/settings.json',
    'git add .holdfast/skills/deploy.yaml && git commit -m "hold .holdfast/skills" .holdfast/skills',
    'git diff HEAD~1 -- .holdfast',
    'grep -r hold .holdfast/skills',
    'python3 -m yaml .holdfast/skills/deploy.yaml',
    'rm -rf .holdfast/tasks/login .cache',
    'python3 -m json.tool .claude/settings.json',
    'node -e "JSON.parse(fs.readFileSync(\'.claude/settings.json\'))"',
    'chmod +x build.sh && tar czf src.tgz src',
    'echo "tasks: x" > config.yaml',
  ]
  return [
    ['Write', { file_path: `${project}/.holdfast/tasks/login/NOTES.md`, content: 'x' }],
    ['Write', { file_path: `${project}/.holdfast/runs/one/REPORT.md`, content: 'x' }],
    ['Read', { file_path: `${project}/.claude/settings.json` }],
    ['Read', { file_path: `${project}/.holdfast/config.yaml` }],
    ...shells.map((command) => ['Bash', { command }] as const),
  ]
}

async function ownAt(level: string) {
  const window = await windowAt(level)
  const { user } = window
  const home = user.env['HOLDFAST_HOME'] ?? ''
  const programs = join(user.env['HOME'] ?? '', '.local/share/holdfast')
  mkdirSync(join(user.project, '.holdfast'), { recursive: true })
  symlinkSync(home, join(user.project, 'linked'))
  return {
    ...window,
    home,
    routes: routes(home, user.project, join(user.clientConfig, 'settings.json'), programs),
    ordinary: ordinary(home, user.project, programs),
  }
}

test('at enforce, the user is asked before files that hold the rules are used', async () => {
  const { before, routes: all, entries } = await ownAt('enforce')
  for (const [tool, input] of all) {
    const { refusals, questions } = await before(tool, input)
    expect({ input, refusals, asked: questions.length }).toEqual({ input, refusals: [], asked: 1 })
    expect(questions[0]).toContain('files that hold its rules')
    const { length } = (await before(tool, input, SUBAGENT)).refusals
    expect({ input, length }).toEqual({ input, length: 1 })
  }
  expect(await entries('door.asked')).toHaveLength(all.length)
})

test('at strict, files that hold the rules are refused', async () => {
  const { before, routes: all } = await ownAt('strict')
  for (const [tool, input] of all) {
    const { refusals, questions } = await before(tool, input)
    expect({ input, refused: refusals.length, questions }).toEqual({ input, refused: 1, questions: [] })
    expect(refusals[0]?.toLowerCase()).toContain('only the user can use')
  }
})

test('at observe, such a use is recorded', async () => {
  const { before, entries } = await ownAt('observe')
  expect(await before('Bash', { command: 'echo x > .holdfast/config.yaml' })).toMatchObject({ refusals: [] })
  expect(await entries('tool.refused')).toEqual([expect.objectContaining({ observed: true })])
})

test.each(['enforce', 'strict'])('at %s, the work of every day goes on beside them', async (level) => {
  const { before, ordinary: all } = await ownAt(level)
  for (const [tool, input] of all) {
    const { refusals, questions } = await before(tool, input)
    expect({ input, refusals, questions }).toEqual({ input, refusals: [], questions: [] })
  }
})

test('settings may change as long as they call us as before', async () => {
  const { user, before } = await ownAt('strict')
  const own = join(user.clientConfig, 'settings.json')
  const text = readFileSync(own, 'utf8')
  const refused = async (tool: string, input: object) => (await before(tool, input)).refusals.length
  const local = join(user.project, '.claude/settings.local.json')
  const parsed = JSON.parse(text) as { hooks: Record<string, unknown> }
  const written = (settings: object) => ({ file_path: own, content: JSON.stringify(settings) })
  expect(await refused('Write', written({ ...parsed, model: 'x' }))).toBe(0)
  expect(await refused('Write', { file_path: local, content: '{"model":"x"}' })).toBe(0)
  expect(await refused('Edit', { file_path: own, old_string: '{', new_string: '{"model":"x",' })).toBe(0)
  expect(await refused('Write', written({ ...parsed, hooks: {} }))).toBe(1)
  const { PreToolUse: _, ...others } = parsed.hooks
  expect(await refused('Write', written({ ...parsed, hooks: others }))).toBe(1)
  expect(await refused('Write', written({ ...parsed, disableAllHooks: true }))).toBe(1)
  expect(await refused('Write', { file_path: local, content: '{"disableAllHooks":true}' })).toBe(1)
  expect(await refused('Edit', { file_path: own, old_string: '"PreToolUse"', new_string: '"Off"' })).toBe(1)
  expect(await refused('Edit', { file_path: own, old_string: '{', new_string: '' })).toBe(1)
  const many = { file_path: own, edits: [{ old_string: '"PreToolUse"', new_string: '"Off"' }] }
  expect(await refused('MultiEdit', many)).toBe(1)
})

type Hooks = Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>

/** Edits of settings after which the client still has our hooks and ignores them. */
const WEAKER: Readonly<Record<string, (settings: { hooks: Hooks } & Record<string, unknown>) => void>> = {
  'another home': ({ hooks }) =>
    each(hooks, (hook) => (hook['command'] = String(hook['command']).replaceAll('/home', '/elsewhere'))),
  'no time': ({ hooks }) => each(hooks, (hook) => (hook['timeout'] = 0.001)),
  'in the background': ({ hooks }) => each(hooks, (hook) => (hook['async'] = true)),
  'another matcher': ({ hooks }) => hooks['PreToolUse']?.forEach((group) => (group.matcher = 'Write')),
  'a condition': ({ hooks }) => each(hooks, (hook) => (hook['if'] = 'Bash(rm *)')),
}

function each(hooks: Hooks, change: (hook: Record<string, unknown>) => void): void {
  for (const group of Object.values(hooks).flat()) for (const hook of group.hooks) change(hook)
}

test('settings may not weaken our hooks, neither by a file tool nor by a program', async () => {
  for (const level of ['enforce', 'strict']) {
    const { user, before } = await ownAt(level)
    const own = join(user.clientConfig, 'settings.json')
    const local = join(user.project, '.claude/settings.local.json')
    const text = readFileSync(own, 'utf8')
    const stopped = async (input: object) => {
      const { refusals, questions } = await before('Write', input)
      return refusals.length + questions.length
    }
    const told = async (file_path: string, content: string) => {
      mkdirSync(join(file_path, '..'), { recursive: true })
      writeFileSync(file_path, content)
      const payload = { session_id: 'one', cwd: user.project, hook_event_name: 'ConfigChange', file_path }
      const params = { client: 'claude-code', payload: { ...payload, source: 'user_settings' } }
      return (await user.ask<{ decision: string }>('hooks.handle', params)).decision
    }
    for (const [name, weaken] of Object.entries(WEAKER)) {
      const settings = JSON.parse(text) as { hooks: Hooks }
      weaken(settings)
      const content = JSON.stringify(settings)
      expect({ name, stopped: await stopped({ file_path: own, content }) }).toEqual({ name, stopped: 1 })
      expect({ name, decision: await told(own, content) }).toEqual({ name, decision: 'block' })
      expect(await told(own, text)).toBe('allow')
    }
    expect(await told(local, '{"model":"x"}')).toBe('allow')
    const more = { ...(JSON.parse(text) as object), env: { A: 'b' }, model: 'x' }
    expect(await stopped({ file_path: own, content: JSON.stringify(more, null, 4) })).toBe(0)
    const plain = (JSON.parse(text) as { hooks: Hooks }).hooks
    each(plain, (hook) => delete hook['onFailure'])
    const open = JSON.stringify({ ...(JSON.parse(text) as object), hooks: plain })
    expect(await stopped({ file_path: own, content: open })).toBe(text.includes('onFailure') ? 1 : 0)
  }
})
