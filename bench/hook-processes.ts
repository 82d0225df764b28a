import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeCommand } from '../src/hook/commands.ts'
import { startBare } from './hook-http.ts'
import { keyIn, Post } from './hook-post.ts'
import { looking, makeRepository, Scene } from './hook-scene.ts'
import {
  atLeast,
  atMost,
  compared,
  type Contender,
  over,
  p50,
  p99,
  race,
  ratioOf,
  type Row,
  type Times,
  timed,
} from './measure.ts'
import { HOLDFAST, homeIn, startDaemon, stop, withFolder } from './processes.ts'

const PYTHON = 'Python hook (sqlite3 + yaml)'
const JQ = 'bash + jq hook'

/** One PreToolUse end to end by each route, against other kinds of hooks and empty programs. */
export function asProcesses(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const bareKey = join(folder, 'bare.json')
    const [bare, daemon] = [startBare(bareKey, homeIn(folder)), startDaemon(folder)]
    const [echo, ours] = [await keyIn(bareKey), await keyIn(join(folder, 'home', 'hook.json'))]
    const post = await Post.open(ours)
    const scene = await new Scene(makeRepository(folder)).begin(post.route)
    const input = JSON.stringify(scene.look()[0])
    const run = (program: string, ...words: readonly string[]): Contender =>
      timed(() => {
        const { status } = spawnSync(program, words, { input, env: homeIn(folder) })
        if (status !== 0) throw new Error(`${program} ended with ${status}.`)
      })
    const line = pipeCommand({ client: 'claude-code' })
    const others = otherKinds(folder, run)
    const times: Readonly<Record<string, readonly Times[]>> = await race(
      { rounds, calls: 60, turns: 30, warmUp: 5 },
      {
        true: run('/bin/true'),
        http: looking(scene, post.route),
        bare: run('bash', '-c', barePipe(echo.port)),
        bash: run('bash', '-c', line),
        sh: run('sh', '-c', line),
        node: run(process.execPath, '-e', '0'),
        command: run(process.execPath, HOLDFAST, 'hook', 'claude-code'),
        ...others,
      },
    )
    post.close()
    await Promise.all([stop(bare), stop(daemon)])
    return rowsOf(times)
  })
}

function rowsOf(times: Readonly<Record<string, readonly Times[]>>): readonly Row[] {
  const of = (name: string) => times[name] ?? []
  const row = (what: string, name: string, against: string, baseline: string) =>
    compared({ name: 'hooks', what, times: of(name), against, baseline: of(baseline), unit: 'ms' })
  const piped = (what: string, name: string) => row(what, name, 'bare bash pipe', 'bare')
  const [python, jq] = [times[PYTHON], times[JQ]]
  const toTrue = (what: string, name: string) => row(what, name, '/bin/true', 'true')
  return [
    { ...piped('pipe in bash', 'bash'), target: atMost(1.2) },
    piped('pipe in sh', 'sh'),
    row('holdfast hook', 'command', 'node -e 0', 'node'),
    python === undefined ? skipped('http', 'python3 with yaml') : faster(of('http'), python),
    toTrue('http, a process beside it', 'http'),
    toTrue('pipe in bash', 'bash'),
    toTrue('node -e 0', 'node'),
    python === undefined ? skipped(PYTHON, 'python3 with yaml') : toTrue(PYTHON, PYTHON),
    jq === undefined ? skipped(JQ, 'bash and jq') : toTrue(JQ, JQ),
  ]
}

const skipped = (what: string, missing: string): Row => ({
  name: 'hooks',
  what,
  unit: 'ms',
  p50: Number.NaN,
  skipped: `no ${missing}`,
})

const faster = (ours: readonly Times[], theirs: readonly Times[]): Row => ({
  name: 'hooks',
  what: 'speedup of http',
  unit: 'ms',
  baseline: { what: PYTHON, value: over(theirs, p50) / 1000 },
  p50: over(ours, p50) / 1000,
  p99: over(ours, p99) / 1000,
  ratio: ratioOf(theirs, ours),
  target: atLeast(50),
})

/** The smallest possible pipe, with no checks. */
const barePipe = (port: number) =>
  [
    'LC_ALL=C;IFS= read -r -N 8192 b',
    `{ printf "POST / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\nContent-Length: \${#b}\\r\\n\\r\\n%s" "$b" >&3`,
    `IFS= read -r -N 65536 -t 5 r <&3; } 3<>/dev/tcp/127.0.0.1/${port}`,
    'exit 0',
  ].join(';')

/** Hooks that keep their own state, if the machine can run them. */
function otherKinds(
  folder: string,
  run: (program: string, ...words: readonly string[]) => Contender,
): Readonly<Record<string, Contender>> {
  const [python, bash] = [join(folder, 'hook.py'), join(folder, 'hook.sh')]
  writeFileSync(python, PYTHON_HOOK)
  writeFileSync(bash, BASH_HOOK)
  const step = join(folder, 'repository', '.claude', 'skills', 'flow', 'steps', 'step-1.md')
  // `python3` on the PATH may be a wrapper script that would add its own time.
  const interpreter = output(folder, 'python3', '-c', 'import sqlite3, sys, yaml; print(sys.executable)')
  const hasJq = output(folder, 'bash', '-c', 'command -v jq') !== undefined
  return {
    ...(interpreter !== undefined && { [PYTHON]: run(interpreter, python, join(folder, 'hook.db'), step) }),
    ...(hasJq && { [JQ]: run('bash', bash, join(folder, 'hook.json')) }),
  }
}

function output(folder: string, program: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', env: homeIn(folder) })
  return status === 0 ? stdout.trim() : undefined
}

const PYTHON_HOOK = `import json, sqlite3, sys, yaml

event = json.load(sys.stdin)
database = sqlite3.connect(sys.argv[1])
database.execute("pragma journal_mode = wal")
database.execute("create table if not exists span (session text primary key, step text, calls integer)")
database.execute("create table if not exists history (session text, tool text)")
with open(sys.argv[2]) as step:
    plan = yaml.safe_load(step.read().split("---")[1])
session, tool = event["session_id"], event["tool_name"]
known = database.execute("select step, calls from span where session = ?", (session,)).fetchone()
step, calls = known or (plan["consumes"][0], 0)
database.execute("insert or replace into span values (?, ?, ?)", (session, step, calls + 1))
database.execute("insert into history values (?, ?)", (session, tool))
database.commit()
print(json.dumps({}))
`

const BASH_HOOK = `input=$(cat)
[ -f "$1" ] || echo '{}' > "$1"
until mkdir "$1.lock" 2>/dev/null; do sleep 0.01; done
trap 'rmdir "$1.lock"' EXIT
session=$(jq -r .session_id <<< "$input")
tool=$(jq -r .tool_name <<< "$input")
calls=$(jq -r --arg s "$session" '.[$s].calls // 0' "$1")
jq --arg s "$session" --arg t "$tool" --argjson n "$((calls + 1))" '.[$s] = {calls: $n, last: $t}' "$1" > "$1.new"
mv "$1.new" "$1"
echo '{}'
`
