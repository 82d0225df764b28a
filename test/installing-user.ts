import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Finding } from '../src/cli/doctor/check.ts'
import { SkilledUser } from './skilled-user.ts'

/** What the package ships. */
export const OURS = resolve('contents')
const KEPT = '.holdfast.json'

/** What a command says that it did with a skill or an agent. */
export interface Done {
  readonly name: string
  readonly done: string
  readonly copy: string | null
}

export const doneWith = (all: readonly Done[], name: string): string | undefined =>
  all.find((one) => one.name === name)?.done

/** Every file below a folder, with its content. */
export const contentOf = (folder: string): Readonly<Record<string, string>> =>
  !existsSync(folder)
    ? {}
    : Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((one) => !one.isDirectory())
          .map((one) => join(one.parentPath, one.name))
          .toSorted()
          .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
      )

/** The files of a skill in the package. */
export const shipped = (name: string): Readonly<Record<string, string>> =>
  contentOf(join(OURS, 'skills', name))

/** Makes an installed file what an older version of the package had there. */
export function age(folder: string, file: string, text = 'As it was before.\n'): void {
  const path = join(folder, KEPT)
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { version: string; files: Record<string, string[]> }
  kept.version = '0.1.0'
  kept.files[file] = [hash('sha256', text)]
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
  writeFileSync(path, JSON.stringify(kept))
}

/** A user who installs skills of the package. */
export class InstallingUser extends SkilledUser {
  /** A path in their own folder of the client. */
  own(...path: readonly string[]): string {
    return join(this.clientConfig, ...path)
  }

  /** The folder of an installed skill. */
  skill(name: string): string {
    return this.own('skills', name)
  }

  async install(...words: readonly string[]): Promise<readonly Done[]> {
    return (await this.json<{ installed: readonly Done[] }>(['skill', 'install', ...words])).installed
  }

  /** The files of an installed skill, without our list of them. */
  installed(name: string): Readonly<Record<string, string>> {
    const { [KEPT]: _, ...files } = contentOf(this.skill(name))
    return files
  }

  /** What doctor finds about installed skills. */
  async found(): Promise<readonly Finding[]> {
    const { stdout } = await this.run(['--json', 'doctor'])
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return findings.filter(({ code }) => /^skill-(?:missing|changed|older)$/.test(code ?? ''))
  }
}
