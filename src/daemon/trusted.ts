import type { ExportedModule } from '../model/plan/definition.ts'
import type { Store } from '../store/store.ts'
import { findTrusted, toModule } from '../store/trusted-module.ts'
import { packagedModules } from './packaged.ts'

/** What the user trusts workflow modules to export, then what the package ships, by the digest of their code. */
export const trustedIn =
  (store: Store) =>
  async (code: string): Promise<ExportedModule | undefined> => {
    const row = await store.transact((tx) => findTrusted(tx, { digest: code }), { reads: true })
    return row === undefined ? packagedModules().get(code) : toModule(row)
  }
