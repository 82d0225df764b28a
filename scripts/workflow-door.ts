import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'src/workflow/index.ts')
const OPTIONS = ['--declaration', '--emitDeclarationOnly', '--target', 'es2024', '--module', 'nodenext']

/** The module `holdfast/workflow` as JavaScript, and its types as editors read them. */
export function workflowDoor(): { readonly code: string; readonly types: string } {
  const { code } = transformSync(readFileSync(SOURCE, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'es2024',
  })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-types-'))
  try {
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    execFileSync(tsc, [SOURCE, '--ignoreConfig', '--strict', ...OPTIONS, '--outDir', folder])
    return { code, types: readFileSync(join(folder, 'index.d.ts'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
