import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Patient } from './patient.ts'

interface Handler {
  command?: string
  [field: string]: unknown
}

export interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Handler[] }[]>
  [field: string]: unknown
}

export const settingsOf = (user: Patient) => join(user.clientConfig, 'settings.json')

export const handlerOf = (settings: Settings, event: string): Handler =>
  settings.hooks[event]?.[0]?.hooks[0] ?? {}

export function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}

/** A separate user, because the daemon gets other keys. */
export async function another(): Promise<Patient> {
  const user = new Patient()
  await user.wire()
  return user
}

/** Installs once for all tests that change only settings. */
export class WiredPatient extends Patient {
  #wired = ''

  async init(): Promise<void> {
    await this.wire()
    this.#wired = readFileSync(settingsOf(this), 'utf8')
  }

  /** The same user, with the original settings plus a change. */
  changed(change: (settings: Settings) => unknown = () => undefined): this {
    for (const folder of [join(this.project, '.claude'), join(this.clientConfig, 'plugins')])
      rmSync(folder, { recursive: true, force: true })
    const settings = JSON.parse(this.#wired) as Settings
    const other = change(settings)
    write(settingsOf(this), other ?? settings)
    return this
  }
}
