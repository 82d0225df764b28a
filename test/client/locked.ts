import { execFileSync, execSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findHome } from '../../src/daemon/home.ts'
import { shellWord } from '../../src/model/shell/word.ts'
import { RealClient } from './client.ts'
import { use } from './model-server.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** Why stories at level locked cannot run here; undefined if they can. */
export const whyNot = ['bwrap', 'socat'].some((program) => !has(program))
  ? 'bubblewrap or socat is missing: sudo apt install bubblewrap socat'
  : undefined

/** The line of the last step that only its file contains. */
export const SECRET = 'Do what do says'
export const SKILL = '.claude/skills/flow'

const step = (name: string, consumes: string, produces: string): string =>
  `---\nconsumes: [${consumes}]\nproduces: [${produces}]\n---\n\n# ${name}\n\nDo what ${name} says.\n\nThen go on.\n`

/** A client in a locked project with one skill, which git does not track unless asked. */
export async function lockedClient({ isTracked = false } = {}): Promise<RealClient> {
  const client = await RealClient.start()
  client.write(`${SKILL}/SKILL.md`, '---\nname: flow\ndescription: Flows.\n---\n\nFollow the steps.\n')
  client.write(`${SKILL}/steps/look.md`, step('look', 'user-request', 'view'))
  client.write(`${SKILL}/steps/think.md`, step('think', 'view', 'idea'))
  client.write(`${SKILL}/steps/do.md`, step('do', 'idea', 'result'))
  client.write(
    `${SKILL}/holdfast.yaml`,
    'gate: visited\nartifacts:\n  view: {command: sh check.sh, covers: [check.sh]}\n',
  )
  client.write('.gitignore', `/.claude/settings.local.json\n${isTracked ? '' : '/.claude/skills/\n'}`)
  git(client, 'add', '.')
  git(client, 'commit', '-qm', 'Second')
  const { warnings } = await client.user.json<{ warnings: readonly string[] }>(['init', '--locked', '--yes'])
  for (const warning of warnings) followGit(client, warning)
  return client
}

/** Runs the command about git that a warning names, as its user would. */
function followGit(client: RealClient, warning: string): void {
  const [fix] = /(?<=Fix: )(?:printf|git) .*/.exec(warning) ?? []
  if (fix !== undefined) execSync(fix, { cwd: client.project, env: client.user.env })
}

export const git = (client: RealClient, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=user', '-c', 'user.email=user@example.com', ...words], {
    cwd: client.project,
    env: client.user.env,
    encoding: 'utf8',
  })

/** The launcher, which agents call. */
export const launcherOf = (client: RealClient): string => shellWord(findHome(client.user.env).launcher)

/** How the stories run the client: without questions, as an agent that does what it likes. */
export const FREELY = {
  limit: 170_000,
  args: ['--permission-mode', 'bypassPermissions'],
  // As root, the client bypasses permissions only in a sandbox; this variable claims one.
  env: { IS_SANDBOX: '1' },
} as const

export const run = (command: string) => use('Bash', { command, description: 'Run it' })
export const stepsOf = (client: RealClient): string => join(client.project, SKILL, 'steps')
