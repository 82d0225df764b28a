import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportedModule } from '../model/plan/definition.ts'
import type { Store } from '../store/store.ts'
import { findTrusted, toModule } from '../store/trusted-module.ts'
import { packagedContents } from './packaged.ts'

/** What the user trusts workflow modules to export, then what the package ships, by the digest of their code. */
export const trustedIn =
  (store: Store) =>
  async (code: string): Promise<ExportedModule | undefined> => {
    const row = await store.transact((tx) => findTrusted(tx, { digest: code }), { reads: true })
    return row === undefined ? packagedModules().get(code) : toModule(row)
  }

let known: ReadonlyMap<string, ExportedModule> | undefined

/** The compiled modules of the skills that the package ships, by the digest of their code. */
export const packagedModules = (): ReadonlyMap<string, ExportedModule> => (known ??= readPackaged())

function readPackaged(): ReadonlyMap<string, ExportedModule> {
  const path = join(packagedContents(), TRUSTED_FILE)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}'
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, ExportedModule>>))
}

/** Made by `npm run generate`. */
export const TRUSTED_FILE = 'trusted.json'
