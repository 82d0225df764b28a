import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../src/cli/daemon/connect.ts'
import { findHome } from '../src/daemon/home.ts'
import { testDaemon, User } from './holdfast.ts'

export interface Finding {
  readonly check: string
  readonly code?: string
  readonly level: 'ok' | 'warning' | 'broken'
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

/** A user who runs doctor and follows its commands exactly. */
export class Patient extends User {
  readonly home = findHome(this.env)

  /** What doctor finds after these lines; stops any daemon that they started elsewhere. */
  async doctor(lines: readonly string[] = []): Promise<{ code: number; problems: readonly Finding[] }> {
    const env = await this.#envAfter(lines)
    const { code, stdout, stderr } = await this.run(['doctor', '--json'], { env })
    if (env['HOLDFAST_HOME'] !== this.env['HOLDFAST_HOME']) await this.run(['daemon', 'stop'], { env })
    if (stdout === '') throw new Error(`doctor said nothing: ${stderr}`)
    const { findings, healthy } = JSON.parse(stdout) as {
      healthy: boolean
      findings: readonly Finding[]
    }
    const problems = findings.filter(({ level }) => level !== 'ok')
    const isBroken = problems.some(({ level }) => level === 'broken')
    if (healthy === isBroken || code !== Number(isBroken))
      throw new Error(`doctor found ${stdout} and gave ${code}.`)
    return { code, problems }
  }

  /** The variables of a shell after these lines. */
  async #envAfter(lines: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
    if (lines.length === 0) return this.env
    const file = join(this.folder, 'variables')
    await this.shell(`${lines.join('\n')}\nenv -0 >'${file}'`)
    const gone = Object.keys(this.env).map((name) => [name, undefined] as const)
    const left = readFileSync(file, 'utf8').matchAll(/([^=\0]+)=([^\0]*)\0/g)
    return Object.fromEntries([
      ...gone,
      ...[...left].map(([, name = '', value = '']) => [name, value] as const),
    ])
  }

  shell(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((done, failed) => {
      const child = spawn('sh', ['-c', script], { cwd: this.project, env: this.env })
      const [out, err]: [string[], string[]] = [[], []]
      child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
      child.on('error', failed)
      child.on('close', (code) => done({ code: code ?? -1, stdout: out.join(''), stderr: err.join('') }))
      child.stdin.end()
    })
  }

  /** The codes and messages of doctor, and the codes that remain after its own commands. */
  async mend(besides: readonly string[] = ['hooks-none']) {
    const isMeant = (finding: Finding) => !besides.includes(codeOf(finding))
    const found = (await this.doctor()).problems.filter(isMeant)
    const fixes = [...new Set(found.map(({ fix = 'echo nothing mends it' }) => fix))]
    const left = (await this.doctor(fixes)).problems.filter(isMeant)
    return { codes: found.map(codeOf), found, left: left.map(codeOf) }
  }
}

const codeOf = ({ code = '' }: Finding): string => code

/** Runs an odd daemon until it is stopped. */
export async function startOdd(user: Patient, how: 'old' | 'new' | 'mute'): Promise<void> {
  spawn(process.execPath, [testDaemon('test/odd-daemon.ts'), how], {
    env: user.env,
    stdio: 'ignore',
    detached: true,
  }).unref()
  for (;;) {
    const connection = await connectTo(user.home)
    if (connection !== undefined) return connection.close()
    await sleep(20)
  }
}
